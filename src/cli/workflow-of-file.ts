import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject } from '../core/util/is-object.ts';
import type { AnyWorkflow } from '../index.ts';
import { UsageError } from './usage-error.ts';

/** Export of a user's module that can be drawn or checked: a workflow, or a plain XState machine. */
export interface FoundMachine {
  readonly name: string;
  readonly machine: AnyWorkflow['machine'];
  readonly workflow?: AnyWorkflow;
}

/** True for a file, false for the name of a workflow of this package. */
export const isFile = (word: string): boolean => /[/\\]|\.[cm]?[jt]s(?:#|$)/.test(word);

/**
 * Loads the workflow or the machine of a user's module: `FILE`, or `FILE#export` if there are several.
 *
 * @throws {UsageError} when the file is missing, or contains no workflow or more than one.
 */
export async function machineOfFile(word: string): Promise<FoundMachine> {
  const all = await machinesOfFile(word);
  const [first, ...more] = all;
  if (first && more.length === 0) return first;
  const [file = word] = word.split('#');
  throw new UsageError(`${file} exports several workflows. Choose one of ${all.map(({ name }) => `${file}#${name}`).join(', ')}.`);
}

/**
 * Loads all workflows of a user's module, or its machines if it has no workflow. An exported function is called with an empty object in
 * place of its services, to create the workflow; no node runs here.
 *
 * @returns at least one.
 * @throws {UsageError} when the file is missing, or contains none.
 */
export async function machinesOfFile(word: string): Promise<readonly FoundMachine[]> {
  const [file = word, chosen] = word.split('#');
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${file}.`);
  const module = Object.entries((await import(pathToFileURL(path).href)) as Record<string, unknown>);
  const named = module.filter(([name]) => chosen === undefined || name === chosen);
  const whole = named.flatMap(([name, value]) => found(name, value));
  const isOnly = named.filter(([, value]) => typeof value === 'function').length === 1;
  const all = whole.length > 0 ? whole : named.flatMap(([name, value]) => found(name, made(value, isOnly)));
  if (all.length > 0) return all;
  throw new UsageError(
    `${file} exports no workflow${chosen === undefined ? '' : ` "${chosen}"`}, no machine, and no function that returns one.`,
  );
}

/** Calls a function with an empty object. If it fails, the export is ignored, unless it is the only one: then its error is reported. */
function made(value: unknown, alone: boolean): unknown {
  if (typeof value !== 'function') return undefined;
  try {
    return value({});
  } catch (error) {
    if (alone) throw error;
    return undefined;
  }
}

function found(name: string, value: unknown): readonly FoundMachine[] {
  if (isMachine(value)) return [{ name, machine: value }];
  return isWorkflow(value) ? [{ name, machine: value.machine, workflow: value }] : [];
}

const isWorkflow = (value: unknown): value is AnyWorkflow => isObject(value) && isMachine(value.machine);

/** Checks the shape, because a user's module has its own copy of XState. */
const isMachine = (value: unknown): value is AnyWorkflow['machine'] =>
  isObject(value) && isObject(value.root) && isObject(value.config) && typeof value.transition === 'function';
