import type { CallRate } from '../ports/rate-limits.ts';
import { checkInteger } from './check-integer.ts';

/** @throws {WorkflowError} `OPTION_INVALID`. */
export function checkCallRate({ calls, perMs }: CallRate): CallRate {
  return { calls: checkInteger('calls', calls, { min: 1, max: 1_000 }), perMs: checkInteger('perMs', perMs, { min: 1 }) };
}
