import type { FoundRun, RunChange, RunPlace } from '../../core/ports/run-storage.ts';
import { type KnownRow, newRow, runChecksum, toEntryRow, toRow, toStoredRun } from '../rows/run-rows.ts';
import type { KnownThread, PostgresKnownRuns, VersionedThread } from './postgres-known-runs.ts';
import type { PostgresThreads } from './postgres-threads.ts';

/** Rows of driven runs as this store last wrote them, by run id. An append need not read a row that no other process has changed. */
export type DrivenRuns = Map<string, KnownRow>;

/** Change that was decided on the known row, and written by one statement if the row was unchanged. */
export interface AttemptedChange<TChange extends RunChange> {
  readonly change: TChange;
  readonly row: KnownRow;
  /** False when the connection was lost and the result is unknown. */
  readonly isWritten: boolean;
}

export type OptimisticWrites = <TChange extends RunChange>(
  place: RunPlace,
  decide: (found: FoundRun) => TChange,
) => Promise<AttemptedChange<TChange> | undefined>;

/**
 * Optimistic changes: create a run, suspend a run, renew a lease. Each takes one round trip, and one more to read the thread, instead of
 * five to nine. `undefined` means that the change is of another kind, or that the known row is outdated. Nothing was written then.
 */
export function postgresOptimisticWrites(runs: PostgresKnownRuns, threads: PostgresThreads, driven: DrivenRuns): OptimisticWrites {
  const begin = async (
    { run, entries: [entry, ...others] }: RunChange,
    thread: KnownThread | undefined,
    keyId: string | undefined,
  ): Promise<Written> => {
    if (!entry || others.length > 0 || (thread && !thread.next)) return undefined;
    const row = newRow(0, run);
    const added = toEntryRow(row, entry);
    const begun = { ...row, head: added.checksum };
    // Decision 409: one conditional statement replaces a transaction of four to six round trips.
    const n = await runs.begin(begun, added, thread, keyId);
    return n === false ? undefined : { row: numbered(begun, n ?? 0), isWritten: n !== undefined };
  };

  const suspend = async (known: KnownRow, { run, entries: [entry] }: RunChange, thread: KnownThread | undefined): Promise<Written> => {
    const next = toRow(known, run);
    const added = entry && toEntryRow(next, entry);
    const row = numbered(added ? { ...next, head: added.checksum } : next, next.n);
    const isWritten = await runs.suspend(row, known.checksum, added, thread);
    return isWritten === false ? undefined : { row, isWritten: isWritten === true };
  };

  const renew = async (known: KnownRow, { run }: RunChange): Promise<Written> => {
    const row = toRow(known, run);
    if ((await runs.renew(row, known.heartbeat)) !== true) return undefined; // renewing twice is safe
    const now = driven.get(row.id);
    if (now?.epoch === row.epoch) driven.set(row.id, { ...now, ...leaseOf(row) });
    return { row, isWritten: true };
  };

  const write = async (
    known: KnownRow | undefined,
    found: FoundRun,
    change: RunChange,
    seen: VersionedThread | undefined,
    keyId: string | undefined,
  ): Promise<Written> => {
    const { record, lease } = change.run;
    const next = change.thread && threads.rowOf(change.thread, seen?.record?.state);
    if (change.thread && !next) return undefined; // changed parts of the state need more than one statement
    const thread = seen && { seen, next };
    if (!known) return begin(change, thread, keyId);
    if (record === found.run?.record && change.entries.length === 0) return change.thread ? undefined : renew(known, change);
    const rests = lease === undefined && record.status !== 'running' && record.epoch === known.epoch && change.entries.length <= 1;
    return rests ? suspend(known, change, thread) : undefined;
  };

  return async ({ runId, threadId, reads, driven: seesOthers, keyId }, decide) => {
    // a change of a title is not written by `begin`, so its key is compared in a transaction
    if (reads !== 'queue' && keyId !== undefined) return undefined;
    if (seesOthers) return undefined;
    const known = driven.get(runId);
    // a takeover judges and records the stored lease, so it must not use a guess
    if ((reads === 'queue') !== (known === undefined)) return undefined;
    const id = reads === 'run' ? undefined : (known?.thread ?? threadId);
    const seen = id === undefined ? undefined : await runs.readThread(id);
    const found: FoundRun = { run: known && toStoredRun(known), thread: seen };
    const change = seen?.lost ? undefined : ignoringErrors(() => decide(found));
    const written = change && (await write(known, found, change, seen, keyId));
    return change && written && { change, ...written };
  };
}

type Written = { readonly row: KnownRow; readonly isWritten: boolean } | undefined;

/** Ignores errors of a guess. The decision is repeated on the stored rows and throws there. */
function ignoringErrors<T>(decide: () => T): T | undefined {
  try {
    return decide();
  } catch {
    return undefined;
  }
}

/** Adds the number that the table assigned, and the checksum. */
const numbered = <TRow extends Omit<KnownRow, 'checksum'>>(row: TRow, n: number): TRow & { readonly checksum: string } => {
  const given = { ...row, n };
  return { ...given, checksum: runChecksum(given) };
};

/** Columns that a renewal changes. */
export const leaseOf = ({
  owner,
  expires_at,
  lease_ms,
  heartbeat,
}: KnownRow): Pick<KnownRow, 'owner' | 'expires_at' | 'lease_ms' | 'heartbeat'> => ({
  owner,
  expires_at,
  lease_ms,
  heartbeat,
});
