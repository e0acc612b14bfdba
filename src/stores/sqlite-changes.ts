import type { FoundRun, RunChange, RunPlace, RunStorage, StoredRun } from '../ports/run-storage.ts';
import { type CurrentRow, newRow, type RunRow, rowsPerRun, toRow, toStoredRun } from './sqlite-rows.ts';
import type { SqliteRuns } from './sqlite-runs.ts';
import { findThread, saveThread } from './sqlite-threads.ts';
import type { StoreDatabase } from './store-database.ts';
import { journalFull } from './store-errors.ts';

/** A run, and its row. */
interface RunInRow {
  readonly run: StoredRun;
  readonly row: CurrentRow;
}

interface Written<TChange> {
  readonly change: TChange;
  readonly row: CurrentRow;
}

/** How a run in the tables is changed. */
export function sqliteChanges(file: StoreDatabase, runs: SqliteRuns): RunStorage['change'] {
  const { db } = file;
  /** Driven runs as this store has written them last: an append need not read what nobody else has changed. */
  const remembered = new Map<string, RunInRow>();

  /** Writes a change of a run that was read; `undefined` when a row is not as it was read any more. */
  const save = (before: RunInRow | undefined, { run, entries, thread }: RunChange): CurrentRow | undefined => {
    const { record } = run;
    const isDriven = record.status === 'running';
    // an entry of a driven run leaves a place for the last one, that of its settlement
    if (entries.length > 0 && record.seq > rowsPerRun - 1 - Number(isDriven)) throw journalFull(record.id, rowsPerRun - 1);
    const isSameLease = before?.run.record.epoch === record.epoch;
    if (!isSameLease) file.goOn();
    if (thread) saveThread(db, thread);
    if (!before) return runs.add(newRow(db.one<Pick<RunRow, 'n'>>('SELECT coalesce(max(n), 0) + 1 AS n FROM runs')?.n ?? 1, run), entries);
    const [entry] = entries;
    if (entry && isDriven && isSameLease) return runs.advance(before.row, record, entry);
    const next = toRow(before.row, run);
    return !entry && record === before.run.record ? runs.saveLease(next) : runs.save(before.row, next, entry);
  };

  /** Adds an entry to a remembered run; `undefined` when only the stored one can say what comes of it. */
  const advance = <TChange extends RunChange>(before: RunInRow, decide: (found: FoundRun) => TChange): Written<TChange> | undefined => {
    let change: TChange;
    try {
      change = decide({ run: before.run });
    } catch {
      return undefined;
    }
    const { entries, run } = change;
    // all else is written without a look at what stands there
    const isAppended = entries.length > 0 && run.record.status === 'running' && run.record.epoch === before.run.record.epoch;
    const row = isAppended ? save(before, change) : undefined;
    return row && { change, row };
  };

  const changeStored = <TChange extends RunChange>(
    { runId, threadId, reads }: RunPlace,
    decide: (found: FoundRun) => TChange,
  ): Written<TChange> => {
    const row = runs.find(runId);
    file.assertOnward(remembered.get(runId)?.row, row);
    if (remembered.get(runId)?.row.epoch !== row?.epoch) remembered.delete(runId);
    const before = row && { run: toStoredRun(row), row };
    const id = threadId ?? before?.run.record.threadId;
    const thread = reads === 'run' || id === undefined ? undefined : findThread(db, id, reads);
    let change: TChange;
    try {
      change = decide({ run: before?.run, thread });
    } catch (refusal) {
      file.assertNotOlder(); // what an older file says is no reason
      throw refusal;
    }
    const written = save(before, change);
    if (!written) throw new Error(`the row of the run ${runId} has changed in the transaction that has read it`);
    return { change, row: written };
  };

  return (place, decide) => {
    const written = file.write(
      () => {
        const before = place.reads === 'run' ? remembered.get(place.runId) : undefined;
        return (before && advance(before, decide)) ?? changeStored(place, decide);
      },
      ({ change: { run }, row }) => {
        if (row.tail === undefined) remembered.delete(place.runId);
        else remembered.set(place.runId, { run, row });
      },
    );
    return written instanceof Promise ? written.then(({ change }) => change) : written.change;
  };
}
