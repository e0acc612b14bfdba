import type { FoundThread, RunChange, RunStorage } from '../ports/run-storage.ts';
import type { PostgresDatabase, PostgresSession } from '../postgres/postgres-database.ts';
import type { PostgresRuns } from './postgres-runs.ts';
import type { PostgresWatch } from './postgres-watch.ts';
import { type KnownRow, newRow, type RunRow, runChecksum, type Stored, toEntryRow, toRow, toStoredRun } from './run-rows.ts';

/** Driven runs as this store has written them last, by their ids: an append need not read what nobody else has changed. */
export type DrivenRuns = Map<string, KnownRow>;

/** How runs in the tables are changed. */
export function postgresChanges(
  db: PostgresDatabase,
  runs: PostgresRuns,
  driven: DrivenRuns,
  tell: PostgresWatch['tell'],
): Required<Pick<RunStorage, 'advance' | 'change'>> {
  const committed = (row: KnownRow, isTaken: boolean): void => {
    if (row.status === 'running') driven.set(row.id, row);
    else driven.delete(row.id);
    tell(row.id, isTaken);
  };

  const save = async (
    session: PostgresSession,
    before: Stored<RunRow> | undefined,
    found: FoundThread | undefined,
    { run, entries, thread }: RunChange,
    isLeaseAlone: boolean,
  ): Promise<KnownRow> => {
    if (thread) await runs.saveThread(session, thread, found?.record === undefined);
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
        // what the server was doing when it was lost is over when the row can be locked
        (await db.transaction(async (session) => (await runs.lock(session, runId))?.checksum === next.checksum));
      if (isAdded) committed(next, false);
      return isAdded;
    },
    async change({ runId, threadId, reads, driven: withDriven }, decide) {
      type Written = { readonly change: ReturnType<typeof decide>; readonly row: KnownRow; readonly isTaken: boolean };
      let written: Written | undefined;
      const { change, row, isTaken } = await db.transaction(async (session, mayBeWritten): Promise<Written> => {
        if (withDriven) await runs.standInLine(session); // before a row is locked: nobody who has one waits for this
        const before = await runs.lock(session, runId);
        // its checksum is one of all that the run has been: nothing else has the same
        if (mayBeWritten && written && before?.checksum === written.row.checksum) return written;
        const run = before && toStoredRun(before);
        const id = reads === 'run' ? undefined : (threadId ?? run?.record.threadId);
        const thread = id === undefined ? undefined : await runs.lockThread(session, id, reads);
        const decided = decide({ run, thread, ...(withDriven ? { driven: await runs.driven(session) } : {}) });
        const isLeaseAlone = decided.entries.length === 0 && decided.run.record === run?.record; // which may be written twice
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
