import { type EntryRow, entryChecksum, type KnownRow, type Numbered, type RunRow, type Stored } from './run-rows.ts';
import { journalMissing, recordCorrupt } from './store-errors.ts';

// What is only so in a SQLite file: how the rows of journals are numbered, and the tails of driven runs.

/**
 * The row behind the last entry of a run that is driven. It says what changes with every entry, so that the run's own row need not be
 * written: an append then changes one page of the file instead of two.
 */
export interface TailRow extends Omit<EntryRow, 'kind'> {
  /** The `head`. */
  readonly key: string;
  readonly kind: 'tail';
  /** The `active_ms`. */
  readonly outcome: string;
  readonly events: '';
  /** The `updated_at`. */
  readonly at: number;
}

/** A row of `journal` with its number. */
export type Placed<TRow> = Stored<TRow> & { readonly id: number };

/** A run as it stands: what its row says, and its tail. */
export interface CurrentRow extends KnownRow {
  /** The checksum of its tail, when it has one. */
  readonly tail?: string | undefined;
}

/** A journal's rows are numbered `run * rowsPerRun + seq`: they stand side by side, and new ones go to the end of one tree. */
export const rowsPerRun = 1_000_000;

/** The tail of a run, tied to the very row of the run: who takes over the run writes another tail. */
export function toTailRow({ seq, head, epoch, active_ms, updated_at, checksum }: Stored<RunRow>): Stored<TailRow> {
  const row = { key: head, kind: 'tail', outcome: String(active_ms), events: '', epoch, at: updated_at } as const;
  return { ...row, checksum: entryChecksum(checksum, seq, '', row) };
}

/** What a run's row and its tail say together. Not checked. */
export function withTail(row: Stored<RunRow>, { id, key, outcome, at, checksum }: Placed<TailRow>): CurrentRow {
  const seq = id - 1 - row.n * rowsPerRun;
  const crashes = seq === row.seq ? row.crashes : 0; // an entry ends a series of crashes
  return { ...row, seq, head: key, crashes, active_ms: Number(outcome), updated_at: at, tail: checksum };
}

/** @throws {WorkflowError} `JOURNAL_MISSING`, `JOURNAL_CORRUPT`. */
export function checkTail(row: Stored<RunRow>, tail: Placed<EntryRow | TailRow> | undefined): asserts tail is Placed<TailRow> {
  if (!tail) throw journalMissing(row.id);
  // the kind is a part of it
  if (tail.checksum !== entryChecksum(row.checksum, tail.id - 1 - row.n * rowsPerRun, '', tail)) throw recordCorrupt(row.id);
}

/** The rows of a run's journal, each with its place in it. */
export const numbered = (n: number, rows: readonly Placed<EntryRow>[]): readonly Numbered<EntryRow>[] =>
  rows.map((row) => ({ ...row, seq: row.id - n * rowsPerRun }));
