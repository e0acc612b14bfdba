import { journalMissing, recordCorrupt } from '../../engine/store/store-errors.ts';
import { type EntryRow, entryChecksum, type KnownRow, type Numbered, type RunRow, type Stored } from '../rows/run-rows.ts';

// SQLite only: the numbering of journal rows, and the tails of driven runs.

/**
 * Row after the last entry of a driven run. It holds the columns that change with every entry, so an append changes one page of the file
 * instead of two.
 */
export interface TailRow extends Omit<EntryRow, 'kind'> {
  /** Column `head` of the run. */
  readonly key: string;
  readonly kind: 'tail';
  /** Column `active_ms` of the run. */
  readonly outcome: string;
  readonly events: '';
  /** Column `updated_at` of the run. */
  readonly at: number;
}

/** Row of `journal` with its number. */
export type JournalRow<TRow> = Stored<TRow> & { readonly id: number };

/** Current state of a run: its row combined with its tail. */
export interface CurrentRow extends KnownRow {
  /** Checksum of the tail, if the run has one. */
  readonly tail?: string | undefined;
}

/** Journal rows are numbered `run * rowsPerRun + seq`. The rows of a run are adjacent, and new ones go to the end of one tree. */
export const rowsPerRun = 1_000_000;

/** Creates the tail of a run. Its checksum covers the run's current row, so a takeover writes another tail. */
export function toTailRow({ seq, head, epoch, active_ms, updated_at, checksum }: Stored<RunRow>): Stored<TailRow> {
  // Decision 17: without a tail, a journal that lost its last entries would look complete.
  const row = { key: head, kind: 'tail', outcome: String(active_ms), events: '', epoch, at: updated_at } as const;
  return { ...row, checksum: entryChecksum(checksum, seq, '', row) };
}

/** Combines a run's row with its tail. Unchecked. */
export function withTail(row: Stored<RunRow>, { id, key, outcome, at, checksum }: JournalRow<TailRow>): CurrentRow {
  const seq = id - 1 - row.n * rowsPerRun;
  const crashes = seq === row.seq ? row.crashes : 0; // each entry resets the count of crashes
  return { ...row, seq, head: key, crashes, active_ms: Number(outcome), updated_at: at, tail: checksum };
}

/** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
export function checkTail(row: Stored<RunRow>, tail: JournalRow<EntryRow | TailRow> | undefined): asserts tail is JournalRow<TailRow> {
  if (!tail) throw journalMissing(row.id);
  // the checksum covers the kind
  if (tail.checksum !== entryChecksum(row.checksum, tail.id - 1 - row.n * rowsPerRun, '', tail)) throw recordCorrupt(row.id);
}

/** Adds its position to each row of a run's journal. */
export const numbered = (n: number, rows: readonly JournalRow<EntryRow>[]): readonly Numbered<EntryRow>[] =>
  rows.map((row) => ({ ...row, seq: row.id - n * rowsPerRun }));
