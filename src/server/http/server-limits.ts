import type { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { JsonLimits } from './parse-strict-json.ts';
import type { Rate } from './rate-limiter.ts';
import type { StreamLimits } from './stream-slots.ts';

/** Limits of a server. */
export interface ServerLimits {
  /** Maximum size of a JSON body in bytes. @default 1_048_576 */
  readonly bodyBytes: number;
  /** Time limit for receiving a body, in milliseconds. @default 30_000 */
  readonly bodyMs: number;
  /** Maximum size of a document in bytes. @default 10_485_760 */
  readonly uploadBytes: number;
  /** Limits on a JSON body. @default 64 levels, 10_000 keys, strings of 262_144 characters */
  readonly json: JsonLimits;
  /** Read-only requests per tenant. @default 600 a minute, 200 at once */
  readonly reads: Rate;
  /** Requests per tenant that change something. @default 60 a minute, 20 at once */
  readonly writes: Rate;
  /** Writes per tenant that start a run. @default 10 a minute, 10 at once */
  readonly starts: Rate;
  /** Exchanges of a token for a session, for all clients together. @default 30 a minute, 10 at once */
  readonly sessions: Rate;
  /** Unknown tokens per address. @default 20 a minute, 20 at once */
  readonly wrongTokens: Rate;
  /** @default 8 per tenant, 200 in all */
  readonly streams: StreamLimits;
  /** Maximum number of runs of a tenant that are driven at the same time, in any process. Further starts are rejected. @default 4 */
  readonly runningRuns: number;
  /** Maximum number of conversations of a tenant. Further new ones are rejected. @default 1_000 */
  readonly threads: number;
  /** Maximum total size of a tenant's documents in bytes. @default 52_428_800 */
  readonly documentBytes: number;
}

export const defaultServerLimits: ServerLimits = {
  bodyBytes: 1_048_576,
  bodyMs: 30_000,
  uploadBytes: 10_485_760,
  json: { depth: 64, keys: 10_000, stringChars: 262_144 },
  reads: { perMinute: 600, burst: 200 },
  writes: { perMinute: 60, burst: 20 },
  starts: { perMinute: 10, burst: 10 },
  sessions: { perMinute: 30, burst: 10 },
  wrongTokens: { perMinute: 20, burst: 20 },
  streams: { perTenant: 8, perProcess: 200 },
  runningRuns: 4,
  threads: 1_000,
  documentBytes: 52_428_800,
};

type GroupName = { readonly [K in keyof ServerLimits]: ServerLimits[K] extends number ? never : K }[keyof ServerLimits];

/** Limits as options. A missing limit gets its default; a rate without a `burst` uses its `perMinute`. */
export type ServerLimitOptions = {
  readonly [K in keyof ServerLimits]?: K extends GroupName ? Partial<ServerLimits[K]> : ServerLimits[K];
};

/** Fills in the defaults. @throws {WorkflowError} `OPTION_INVALID` with the path of an invalid limit. */
export function parseServerLimits(given: unknown = {}): ServerLimits {
  const limits = members('limits', given, Object.keys(defaultServerLimits));
  const parsed = Object.entries(defaultServerLimits).map(([name, usual]) => {
    const value = limits[name];
    if (value === undefined) return [name, usual] as const;
    return [name, typeof usual === 'number' ? positive(`limits.${name}`, value) : group(`limits.${name}`, value, usual)] as const;
  });
  return { ...defaultServerLimits, ...Object.fromEntries(parsed) };
}

/** Parses a group of limits. A rate must state its `perMinute`: a default would be a guess. */
function group(path: string, value: unknown, usual: object): Readonly<Record<string, number>> {
  const given = members(path, value, [...Object.keys(usual), ...(path === 'limits.streams' ? ['ofProtocols'] : [])]);
  const numbers = Object.fromEntries(
    Object.entries(given).flatMap(([key, one]) => (one === undefined ? [] : [[key, positive(`${path}.${key}`, one)]])),
  );
  if (!('perMinute' in usual)) return { ...usual, ...numbers };
  const perMinute = positive(`${path}.perMinute`, numbers.perMinute);
  return { perMinute, burst: numbers.burst ?? perMinute };
}

function members(path: string, value: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw invalid(path, value, `an object of ${known.join(', ')}`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return value;
  throw invalid(`${path}.${unknown}`, value[unknown], `left out. The known names are ${known.join(', ')}`);
}

function positive(path: string, value: unknown): number {
  if (typeof value === 'number' && value > 0) return value;
  throw invalid(path, value, 'a number above 0');
}

const invalid = (option: string, value: unknown, expected: string): WorkflowError =>
  optionInvalid(
    `The option ${option} of the server is ${shorten(JSON.stringify(value) ?? String(value), 100)}.`,
    `It must be ${expected}.`,
    option,
  );
