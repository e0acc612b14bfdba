import type { FoundThread, RunChange, RunStorage, StoredRun } from '../../core/ports/run-storage.ts';
import { journalFull } from '../../engine/store/store-errors.ts';
import { newRow, type RunRow, toRow, toStoredRun } from '../rows/run-rows.ts';
import { assertSqliteKey } from './sqlite-encryption.ts';
import { type CurrentRow, rowsPerRun } from './sqlite-rows.ts';
import type { SqliteRuns } from './sqlite-runs.ts';
import type { SqliteThreads } from './sqlite-threads.ts';
import type { StoreDatabase } from './store-database.ts';

interface RunInRow {
  readonly run: StoredRun;
  readonly row: CurrentRow;
}

/** Returns the storage methods that change runs. */
export function sqliteChanges(
  file: StoreDatabase,
  runs: SqliteRuns,
  threads: SqliteThreads,
): Required<Pick<RunStorage, 'advance' | 'change'>> {
  const { db } = file;
  /** Driven runs as this store last wrote them. An append need not read a row that no other process has changed. */
  const remembered = new Map<string, CurrentRow>();
  const remember = (row: CurrentRow): void => {
    if (row.tail === undefined) remembered.delete(row.id);
    else remembered.set(row.id, row);
  };

  /** Writes a change of a run that was read in the same transaction. */
  const save = (before: RunInRow | undefined, found: FoundThread | undefined, { run, entries, thread }: RunChange): CurrentRow => {
    const { record } = run;
    const isDriven = record.status === 'running';
    // an entry of a driven run leaves one position for its settlement
    if (entries.length > 0 && record.seq > rowsPerRun - 1 - Number(isDriven)) throw journalFull(record.id, rowsPerRun - 1);
    if (before?.row.epoch !== record.epoch) file.raiseGeneration();
    if (thread) threads.save(thread, found?.record?.state);
    if (!before) return runs.add(newRow(db.one<Pick<RunRow, 'n'>>('SELECT coalesce(max(n), 0) + 1 AS n FROM runs')?.n ?? 1, run), entries);
    const [entry] = entries;
    const next = toRow(before.row, run);
    return !entry && record === before.run.record ? runs.saveLease(next) : runs.save(before.row, next, entry);
  };

  /** Returns the current row of a run, with the last outcome if it is known. */
  const find = (runId: string): CurrentRow | undefined => {
    const row = runs.find(runId);
    const known = remembered.get(runId);
    file.assertNotBehind(known, row);
    if (known?.epoch === row?.epoch) return row && { ...row, last: known?.last };
    remembered.delete(runId);
    return row;
  };

  return {
    advance({ runId, epoch }, entry, activeMs) {
      const advanced = file.writeAtOnce(
        () => {
          const row = remembered.get(runId);
          if (row?.epoch !== epoch || entry.seq !== row.seq + 1 || entry.seq > rowsPerRun - 2) return undefined;
          return runs.advance(row, entry, activeMs);
        },
        (row) => row && remember(row),
        runId,
      );
      return advanced instanceof Promise ? advanced.then((row) => row !== undefined) : advanced !== undefined;
    },
    change({ runId, threadId, reads, driven, keyId }, decide) {
      const written = file.write(
        () => {
          assertSqliteKey(db, keyId);
          const row = find(runId);
          const before = row && { run: toStoredRun(row), row };
          const id = threadId ?? before?.run.record.threadId;
          const thread = reads === 'run' || id === undefined ? undefined : threads.find(id, reads);
          let change: ReturnType<typeof decide>;
          try {
            change = decide({ run: before?.run, thread, ...(driven ? { driven: runs.driven() } : {}) });
          } catch (refusal) {
            file.assertNotOlder(); // data of an older file must not decide the error
            throw refusal;
          }
          return { change, row: save(before, thread, change) };
        },
        ({ row }) => remember(row),
        runId, // `remembered` has the row of the write before
      );
      return written instanceof Promise ? written.then(({ change }) => change) : written.change;
    },
  };
}
