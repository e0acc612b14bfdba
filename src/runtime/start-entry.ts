import { WorkflowError } from '../errors.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { JournalEntry } from '../ports/run-store.ts';
import { journalCorrupt } from '../stores/store-errors.ts';

/** What a run's `start` entry holds. */
export interface StartEntry {
  readonly input: Json;
  /** What the caller has noted of the run. */
  readonly metadata?: JsonObject;
  /** The thread's state that a fork starts with: its own thread is not there to ask. */
  readonly thread?: Json;
  /** Fingerprint of what the caller gave, before the workflow made its input of it; of runs whose id is their caller's. */
  readonly given?: string;
  /** Those that the run was started with, see `limitsGiven`. */
  readonly limits?: JsonObject;
  /** The caller allows tools to send data out; see `StartOptions`. Absent: false. */
  readonly grantEgress?: boolean;
  /** What the workflow offered the run, see `Offer`. Absent: nothing, or a run of an older version. */
  readonly offer?: JsonObject;
  /** What the run was forked from. */
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
    message: `The journal of the run ${runId} has no beginning.`,
    hint: 'The store was changed by something else; restore it from a backup.',
    data: { runId },
  });
}
