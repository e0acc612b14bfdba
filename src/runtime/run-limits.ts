import type { Json, JsonObject } from '../ports/json.ts';
import type { JournalEntry } from '../ports/run-store.ts';
import type { Limits } from './limits.ts';
import type { StartEntry } from './start-entry.ts';

/** Limits as a journal holds them: JSON has no `Infinity`. */
export const toStoredLimits = (limits: Partial<Limits>): JsonObject =>
  Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, value === Number.POSITIVE_INFINITY ? null : value]));

/** The limits that a run was given when it was started and resumed: they are its own, wherever it goes on, and whoever goes on with it. */
export function limitsGiven(entries: readonly JournalEntry[]): Partial<Limits> {
  const given: Record<string, number> = {};
  for (const { kind, outcome } of entries) {
    const stored = kind === 'limits' ? outcome : kind === 'start' ? limitsOfStart(outcome) : undefined;
    for (const [name, value] of Object.entries(stored ?? {})) given[name] = value === null ? Number.POSITIVE_INFINITY : Number(value);
  }
  return given;
}

const limitsOfStart = (outcome: Json): JsonObject | undefined => (outcome as JsonObject & StartEntry).limits;
