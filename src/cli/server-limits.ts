import { isObject } from '../core/util/is-object.ts';
import { mergeJson } from '../core/util/merge-json.ts';
import type { ServerLimitOptions } from '../server/http/server-limits.ts';
import { defaultServerLimits } from '../server/http/server-limits.ts';
import { UsageError } from './usage-error.ts';

/** Flags of limits. An absent one leaves the limit to the config file, or to the server's default. */
export interface LimitFlags {
  readonly maxRunning?: number;
  /** Maximum number of starts per minute. */
  readonly maxStarts?: number;
  /** Maximum number of changes per minute. */
  readonly maxChanges?: number;
  readonly maxThreads?: number;
  /** Maximum size of all documents in MiB. */
  readonly maxDocuments?: number;
  /** Limits by name, each `NAME=NUMBER`. They win over all others. */
  readonly limit?: readonly string[];
}

/** Merges the limits of a config file and of flags. @throws {UsageError} for a `--limit` that is none. */
export function serverLimits(flags: LimitFlags, configured: ServerLimitOptions = {}): ServerLimitOptions {
  const { maxRunning, maxStarts, maxChanges, maxThreads, maxDocuments, limit = [] } = flags;
  const own: ServerLimitOptions = {
    ...(maxRunning === undefined ? {} : { runningRuns: maxRunning }),
    ...(maxStarts === undefined ? {} : { starts: { perMinute: maxStarts, burst: maxStarts } }),
    ...(maxChanges === undefined ? {} : { writes: { perMinute: maxChanges, burst: Math.ceil(maxChanges / 3) } }),
    ...(maxThreads === undefined ? {} : { threads: maxThreads }),
    ...(maxDocuments === undefined ? {} : { documentBytes: maxDocuments * 1024 * 1024 }),
  };
  return limit.reduce((all, text) => withLimit(all, text), mergeJson(configured, own));
}

function withLimit(limits: ServerLimitOptions, text: string): ServerLimitOptions {
  const [, name = '', part, value] = /^(\w+)(?:\.(\w+))?=(\d{1,15})$/.exec(text) ?? [];
  const usual: unknown = Object.hasOwn(defaultServerLimits, name)
    ? Object.entries(defaultServerLimits).find(([key]) => key === name)?.[1]
    : undefined;
  const parts = partsOf(name, usual);
  const isKnown = part === undefined ? typeof usual === 'number' : parts.includes(part);
  if (value === undefined || Number(value) === 0 || !isKnown)
    throw new UsageError(`--limit ${JSON.stringify(text)} is not NAME=NUMBER, with a number from 1 and a name of ${allNames.join(', ')}.`);
  if (part === undefined) return { ...limits, [name]: Number(value) };
  const { [name]: given = isRate(usual) ? usual : {} }: Readonly<Record<string, unknown>> = { ...limits }; // a rate needs both numbers
  return { ...limits, [name]: { ...(isObject(given) ? given : {}), [part]: Number(value) } };
}

const isRate = (usual: unknown): usual is object => typeof usual === 'object' && usual !== null && 'perMinute' in usual;

const partsOf = (name: string, usual: unknown): readonly string[] =>
  typeof usual === 'object' && usual !== null ? [...Object.keys(usual), ...(name === 'streams' ? ['ofProtocols'] : [])] : [];

const allNames: readonly string[] = Object.entries(defaultServerLimits).flatMap(([name, usual]) =>
  typeof usual === 'number' ? [name] : partsOf(name, usual).map((part) => `${name}.${part}`),
);
