import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import type { StartEntry } from '../drive/start-entry.ts';
import type { Limits } from '../journal/limits.ts';

/** Limits in the format of the journal: `null` stands for `Infinity`, which JSON lacks. */
export const toStoredLimits = (limits: Partial<Limits>): JsonObject =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, value === Number.POSITIVE_INFINITY ? null : value]));

/** Limits that a run was given at its start and at resumes. They belong to the run, regardless of the process that resumes it. */
export function limitsOfRun(entries: readonly JournalEntry[]): Partial<Limits> {
  const limits: Record<string, number> = {};
  for (const { kind, outcome } of entries) {
    const stored = kind === 'limits' ? outcome : kind === 'start' ? limitsOfStart(outcome) : undefined;
    for (const [name, value] of Object.entries(stored ?? {})) limits[name] = value === null ? Number.POSITIVE_INFINITY : Number(value);
  }
  return limits;
}

const limitsOfStart = (outcome: Json): JsonObject | undefined => (outcome as JsonObject & StartEntry).limits;
