import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { isObject } from '../../core/util/is-object.ts';

/** Minimum length for a reference. A shorter text takes no more space than a reference to it. */
const leastLength = 40;

/**
 * Packs an outcome as JSON. The output of a run is usually a text of its last node. In that case it becomes `[seq, key, rest]`, a reference
 * to that node.
 */
export function packOutcome({ kind, outcome }: JournalEntry, last: JournalEntry | undefined): string {
  if (kind === 'settle' && last && isObject(outcome)) {
    const { output, ...rest } = outcome;
    const key = typeof output === 'string' && output.length >= leastLength ? keyOf(output, last) : undefined;
    if (key !== undefined) return JSON.stringify([last.seq, key, rest]);
  }
  return JSON.stringify(kind === 'settle' && Array.isArray(outcome) ? [outcome] : outcome);
}

/**
 * Reverses `packOutcome`. Returns `undefined` if the reference is invalid.
 *
 * @param before the entries before this one.
 */
export function unpackOutcome(found: Json | undefined, kind: string, before: readonly JournalEntry[]): Json | undefined {
  if (kind !== 'settle' || !Array.isArray(found)) return found;
  if (found.length === 1) return found[0] as Json;
  const [seq, key, rest] = found as readonly Json[];
  const output = patchOf(before[Number(seq) - 1])?.[String(key)];
  if (output === undefined || !isObject(rest)) return undefined;
  const { status, finalState, ...more } = rest as JsonObject;
  return { ...(status === undefined ? {} : { status }), ...(finalState === undefined ? {} : { finalState }), output, ...more };
}

function keyOf(output: string, last: JournalEntry): string | undefined {
  const patch = patchOf(last) ?? {};
  return Object.keys(patch).find((key) => patch[key] === output);
}

function patchOf(entry: JournalEntry | undefined): JsonObject | undefined {
  const output = isObject(entry?.outcome) ? entry.outcome.output : undefined;
  return isObject(output) ? (output as JsonObject) : undefined;
}
