import { existsSync, readdirSync } from 'node:fs';
import pkg from '../package.json' with { type: 'json' };

/** Files of an entry point of the package. */
export interface Door {
  readonly '@agent-machines/source': string;
  readonly types: string;
  readonly default: string;
}

const given: Readonly<Record<string, string | Door | Omit<Door, '@agent-machines/source'>>> = pkg.exports;
const machines = readdirSync('machines', { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** Returns the entry points of the package by their paths, without the deprecated ones. A pattern becomes one for each folder of `machines` that has its file. */
export const doors: Readonly<Record<string, Door>> = Object.fromEntries(
  Object.entries(given).flatMap(([path, door]) => {
    if (typeof door === 'string' || !('@agent-machines/source' in door)) return []; // package.json, and the deprecated
    if (!path.includes('*')) return [[path, door] as const];
    return machines.flatMap((name) => {
      const here = (text: string): string => text.replaceAll('*', name);
      const source = here(door['@agent-machines/source']);
      if (!existsSync(source)) return [];
      return [[here(path), { '@agent-machines/source': source, types: here(door.types), default: here(door.default) }] as const];
    });
  }),
);
