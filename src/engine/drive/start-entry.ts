import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { journalCorrupt } from '../store/store-errors.ts';

/** Content of a run's `start` entry. */
export interface StartEntry {
  readonly input: Json;
  /** Metadata that the caller has given. */
  readonly metadata?: JsonObject;
  /** Run that this one begins after, see `StartOptions`. Absent: the thread's latest run. */
  readonly after?: string | null;
  /** State of the thread before the run, if it is not the thread's latest: of a fork, which belongs to no thread, and of a run with `after`. */
  readonly thread?: Json;
  /** Hash of the caller's input before `parseInput`. Only for runs with a caller's id. */
  readonly given?: string;
  /** Limits that the run was started with, see `limitsOfRun`. */
  readonly limits?: JsonObject;
  /** True when the caller allows tools to send data out, see `StartOptions`. Absent: false. */
  readonly grantEgress?: boolean;
  /** Offer of the workflow to the run, see `Offer`. Absent when it is empty, or the run is of an older version. */
  readonly offer?: JsonObject;
  /** Who has started it, see `Runtime.as`. No part of the run: a replay ignores it. */
  readonly by?: JsonObject;
  /** Origin of a fork. */
  readonly forkOf?: JsonObject;
}

/** @throws {WorkflowError} `JOURNAL_MISSING` for a journal that does not begin with a `start`, `JOURNAL_CORRUPT` for a `start` without an input. */
export function readStart(runId: string, entries: readonly JournalEntry[]): StartEntry {
  const [first] = entries;
  if (first?.kind === 'start') {
    const { outcome } = first;
    if (typeof outcome === 'object' && outcome !== null && 'input' in outcome) return outcome as JsonObject & StartEntry;
    throw journalCorrupt(runId, 1, 'has no input');
  }
  throw new WorkflowError({
    code: 'JOURNAL_MISSING',
    message: `The journal of the run ${runId} has no start entry.`,
    hint: 'Another program has changed the store. Restore it from a backup.',
    data: { runId },
  });
}
