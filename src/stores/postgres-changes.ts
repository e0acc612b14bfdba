import type { FoundThread, RunChange, RunHead, RunStorage } from '../ports/run-storage.ts';
import type { PostgresDatabase, PostgresSession } from '../postgres/postgres-database.ts';
import type { PostgresRuns } from './postgres-runs.ts';
import { type KnownRow, newRow, type RunRow, runChecksum, type Stored, toEntryRow, toRow, toStoredRun } from './run-rows.ts';

/** How runs in the tables are changed. */
export function postgresChanges(
  db: PostgresDatabase,
  runs: PostgresRuns,
  tell: (head: RunHead) => void,
): Required<Pick<RunStorage, 'advance' | 'change'>> {
  /** Driven runs as this store has written them last: an append need not read what nobody else has changed. */
  const remembered = new Map<string, KnownRow>();
  const committed = (row: KnownRow): void => {
    if (row.status === 'running') remembered.set(row.id, row);
    else remembered.delete(row.id);
    tell({ id: row.id, epoch: row.epoch, status: row.status });
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
    const known = remembered.get(before.id);
    const next = toRow<KnownRow>({ ...before, last: known?.epoch === before.epoch ? known.last : undefined }, run);
    return isLeaseAlone ? runs.saveLease(session, next) : runs.save(session, next, entries[0]);
  };

  return {
    async advance({ runId, epoch }, entry, activeMs) {
      const row = remembered.get(runId);
      if (row?.epoch !== epoch || entry.seq !== row.seq + 1) return false;
      const added = toEntryRow(row, entry);
      const changed = { ...row, seq: entry.seq, head: added.checksum, crashes: 0, active_ms: activeMs, updated_at: entry.at };
      const next: KnownRow = { ...changed, checksum: runChecksum(changed), ...(entry.kind === 'node' ? { last: entry } : {}) };
      const isAdded =
        (await runs.advance(next, row.checksum, added)) ??
        // what the server was doing when it was lost is over when the row can be locked
        (await db.transaction(async (session) => (await runs.lock(session, runId))?.checksum === next.checksum));
      if (isAdded) committed(next);
      return isAdded;
    },
    async change({ runId, threadId, reads }, decide) {
      type Written = { readonly change: ReturnType<typeof decide>; readonly row: KnownRow };
      let written: Written | undefined;
      const { change, row } = await db.transaction(async (session, mayBeWritten): Promise<Written> => {
        const before = await runs.lock(session, runId);
        // its checksum is one of all that the run has been: nothing else has the same
        if (mayBeWritten && written && before?.checksum === written.row.checksum) return written;
        const run = before && toStoredRun(before);
        const id = reads === 'run' ? undefined : (threadId ?? run?.record.threadId);
        const thread = id === undefined ? undefined : await runs.lockThread(session, id, reads);
        const decided = decide({ run, thread });
        const isLeaseAlone = decided.entries.length === 0 && decided.run.record === run?.record; // which may be written twice
        const saved = { change: decided, row: await save(session, before, thread, decided, isLeaseAlone) };
        written = isLeaseAlone ? undefined : saved;
        return saved;
      });
      committed(row);
      return change;
    },
  };
}
