import { WorkflowError } from '../errors.ts';
import type { JsonLimits } from './parse-strict-json.ts';
import type { Rate } from './rate-limiter.ts';
import type { StreamLimits } from './stream-slots.ts';

/** How much a server takes. */
export interface ServerLimits {
  /** Bytes of a body of JSON. @default 1_048_576 */
  readonly bodyBytes: number;
  /** How long a body may take to come, in milliseconds. @default 30_000 */
  readonly bodyMs: number;
  /** Bytes of a document. @default 10_485_760 */
  readonly uploadBytes: number;
  /** What a body of JSON may be. @default 64 levels, 10_000 keys, strings of 262_144 characters */
  readonly json: JsonLimits;
  /** Requests of a tenant that only look. @default 600 a minute, 200 at once */
  readonly reads: Rate;
  /** Requests of a tenant that change something. @default 60 a minute, 20 at once */
  readonly writes: Rate;
  /** Of them, those that start a run. @default 10 a minute, 10 at once */
  readonly starts: Rate;
  /** Tokens that are swapped for a session, of all together. @default 30 a minute, 10 at once */
  readonly sessions: Rate;
  /** @default 8 per tenant, 200 in all */
  readonly streams: StreamLimits;
  /** Runs of a tenant that are driven at the same time, by whomever: no more is started meanwhile. @default 4 */
  readonly runningRuns: number;
  /** Conversations of a tenant: no new one is begun. @default 1_000 */
  readonly threads: number;
  /** Bytes of all documents of a tenant together. @default 52_428_800 */
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
  streams: { perTenant: 8, perProcess: 200 },
  runningRuns: 4,
  threads: 1_000,
  documentBytes: 52_428_800,
};

/** Fills in the defaults. @throws {WorkflowError} `OPTION_INVALID`. */
export function parseServerLimits(limits: Partial<ServerLimits> = {}): ServerLimits {
  for (const [name, value] of Object.entries(limits)) {
    const numbers: readonly unknown[] = typeof value === 'object' ? Object.values(value) : [value];
    if (name in defaultServerLimits && numbers.every((one) => typeof one === 'number' && one > 0)) continue;
    throw new WorkflowError({
      code: 'OPTION_INVALID',
      message: `The limit ${name} of a server cannot be that.`,
      hint: `Limits are positive numbers: ${Object.keys(defaultServerLimits).join(', ')}.`,
    });
  }
  return { ...defaultServerLimits, ...limits };
}
