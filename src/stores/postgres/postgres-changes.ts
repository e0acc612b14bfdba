import type { FoundThread, RunChange, RunStorage } from '../../core/ports/run-storage.ts';
import { isSamePlace } from '../../engine/store/matches-query.ts';
import {
  type KnownRow,
  newRow,
  type RunRow,
  runChecksum,
  type Stored,
  toEntryRow,
  toRecord,
  toRow,
  toStoredRun,
} from '../rows/run-rows.ts';
import type { PostgresDatabase, PostgresSession } from './database/postgres-database.ts';
import type { PostgresKnownRuns } from './postgres-known-runs.ts';
import { type AttemptedChange, type DrivenRuns, leaseOf, postgresOptimisticWrites } from './postgres-optimistic-writes.ts';
import type { PostgresRuns } from './postgres-runs.ts';
import type { PostgresThreads } from './postgres-threads.ts';
import type { PostgresWatch } from './postgres-watch.ts';

/** Returns the storage methods that change runs. */
export function postgresChanges(
  db: PostgresDatabase,
  runs: PostgresRuns,
  knownRuns: PostgresKnownRuns,
  threads: PostgresThreads,
  driven: DrivenRuns,
  notify: PostgresWatch['notify'],
): Required<Pick<RunStorage, 'advance' | 'change'>> {
  const guesses = postgresOptimisticWrites(knownRuns, threads, driven);
  const committed = (row: KnownRow, isTaken: boolean): void => {
    if (row.status === 'running') driven.set(row.id, row);
    else driven.delete(row.id);
    notify(row.id, isTaken);
  };

  const save = async (
    session: PostgresSession,
    before: Stored<RunRow> | undefined,
    found: FoundThread | undefined,
    { run, entries, thread }: RunChange,
    isLeaseAlone: boolean,
  ): Promise<KnownRow> => {
    if (thread) await threads.save(session, thread, found?.record?.state, found?.record === undefined);
    if (!before) return runs.add(session, newRow(await runs.nextNumber(session), run), entries);
    const known = driven.get(before.id);
    const next = toRow<KnownRow>({ ...before, last: known?.epoch === before.epoch ? known.last : undefined }, run);
    return isLeaseAlone ? runs.saveLease(session, next) : runs.save(session, next, entries[0]);
  };

  return {
    async advance({ runId, epoch }, entry, activeMs) {
      const row = driven.get(runId);
      if (row?.epoch !== epoch || entry.seq !== row.seq + 1) return false;
      const added = toEntryRow(row, entry);
      const changed = { ...row, seq: entry.seq, head: added.checksum, crashes: 0, active_ms: activeMs, updated_at: entry.at };
      const next: KnownRow = { ...changed, checksum: runChecksum(changed), ...(entry.kind === 'node' ? { last: entry } : {}) };
      const isAdded =
        (await runs.advance(next, row.checksum, added)) ??
        // the row lock waits until the server has finished the interrupted statement
        (await db.transaction(async (session) => (await runs.lock(session, runId))?.checksum === next.checksum));
      const now = driven.get(runId); // the lease may have been renewed meanwhile
      if (isAdded) committed(now?.epoch === epoch ? { ...next, ...leaseOf(now) } : next, false);
      return isAdded;
    },
    async change(place, decide) {
      type Written = Omit<AttemptedChange<ReturnType<typeof decide>>, 'isWritten'> & { readonly isTaken: boolean };
      const { runId, threadId, reads, driven: withDriven, atOnce, keyId } = place;
      const guess = await guesses(place, decide);
      if (guess?.isWritten === true) {
        if (guess.change.entries.length > 0 || guess.row.status !== 'running') committed(guess.row, false);
        return guess.change;
      }
      let written: Written | undefined = guess && { ...guess, isTaken: false };
      const { change, row, isTaken } = await db.transaction(async (session, mayBeWritten): Promise<Written> => {
        if (withDriven) await runs.lockConcurrency(session); // acquired before any row lock, to prevent a deadlock
        // a row that this change may have written was locked until just now
        const mayWait = !atOnce || mayBeWritten;
        const before = await (mayWait ? runs.lock(session, runId) : runs.lockNoWait(session, runId));
        if ((mayBeWritten || guess) && written && before && isRow(before, written.row))
          return { ...written, row: { ...written.row, ...before } };
        await runs.assertKey(session, keyId);
        const run = before && toStoredRun(before);
        const id = reads === 'run' ? undefined : (threadId ?? run?.record.threadId);
        const thread = id === undefined ? undefined : await runs.lockThread(session, id, reads);
        const decided = decide({ run, thread, ...(withDriven ? { driven: await runs.driven(session) } : {}) });
        const isLeaseAlone = decided.entries.length === 0 && decided.run.record === run?.record; // safe to write twice
        const isTaken = before !== undefined && before.epoch !== decided.run.record.epoch;
        const saved = { change: decided, row: await save(session, before, thread, decided, isLeaseAlone), isTaken };
        written = isLeaseAlone ? undefined : saved;
        return saved;
      });
      committed(row, isTaken);
      return change;
    },
  };
}

/** The checksum covers the whole history of the run, so it is unique. The table assigns the number of a new run. */
const isRow = (stored: Stored<RunRow>, row: RunRow): boolean => stored.checksum === runChecksum({ ...row, n: stored.n });

/** Replaces the rows of a run. */
export const postgresRewrite =
  (db: PostgresDatabase, runs: PostgresRuns): Required<RunStorage>['rewrite'] =>
  (record, entries, keyId) =>
    db.transaction(async (session) => {
      const row = await runs.lock(session, record.id);
      await runs.assertKey(session, keyId);
      if (!row || !isSamePlace(toRecord(row), record)) return false;
      await runs.rewrite(session, row, entries);
      return true;
    });
