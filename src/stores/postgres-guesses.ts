import type { FoundRun, RunChange, RunPlace } from '../ports/run-storage.ts';
import type { KnownThread, PostgresKnownRuns, SeenThread } from './postgres-known-runs.ts';
import type { PostgresThreads } from './postgres-threads.ts';
import { type KnownRow, newRow, runChecksum, toEntryRow, toRow, toStoredRun } from './run-rows.ts';

/** Driven runs as this store has written them last, by their ids: an append need not read what nobody else has changed. */
export type DrivenRuns = Map<string, KnownRow>;

/** A change that was decided on what is known, and sent as one statement that writes it only where that is so. */
export interface Guess<TChange extends RunChange> {
  readonly change: TChange;
  readonly row: KnownRow;
  /** False when nobody knows: the server was gone meanwhile. */
  readonly isWritten: boolean;
}

export type Guesses = <TChange extends RunChange>(
  place: RunPlace,
  decide: (found: FoundRun) => TChange,
) => Promise<Guess<TChange> | undefined>;

/**
 * The changes of which a run has one each: a run that is new, one that its driver lets rest, a lease that is renewed. Each is one round trip,
 * and one more to look at its thread, in place of five to nine. `undefined`: it is none of these, or is not as it was thought to be, and
 * nothing was written.
 */
export function postgresGuesses(runs: PostgresKnownRuns, threads: PostgresThreads, driven: DrivenRuns): Guesses {
  const begin = async ({ run, entries: [entry, ...others] }: RunChange, thread: KnownThread | undefined): Promise<Written> => {
    if (!entry || others.length > 0 || (thread && !thread.next)) return undefined;
    const row = newRow(0, run);
    const added = toEntryRow(row, entry);
    const begun = { ...row, head: added.checksum };
    const n = await runs.begin(begun, added, thread);
    return n === false ? undefined : { row: numbered(begun, n ?? 0), isWritten: n !== undefined };
  };

  const rest = async (known: KnownRow, { run, entries: [entry] }: RunChange, thread: KnownThread | undefined): Promise<Written> => {
    const next = toRow(known, run);
    const added = entry && toEntryRow(next, entry);
    const row = numbered(added ? { ...next, head: added.checksum } : next, next.n);
    const isWritten = await runs.rest(row, known.checksum, added, thread);
    return isWritten === false ? undefined : { row, isWritten: isWritten === true };
  };

  const renew = async (known: KnownRow, { run }: RunChange): Promise<Written> => {
    const row = toRow(known, run);
    if ((await runs.renew(row, known.heartbeat)) !== true) return undefined; // it may be renewed twice
    const now = driven.get(row.id);
    if (now?.epoch === row.epoch) driven.set(row.id, { ...now, ...leaseOf(row) });
    return { row, isWritten: true };
  };

  const write = async (known: KnownRow | undefined, found: FoundRun, change: RunChange, seen: SeenThread | undefined): Promise<Written> => {
    const { record, lease } = change.run;
    const next = change.thread && threads.rowOf(change.thread, seen?.record?.state);
    if (change.thread && !next) return undefined; // parts of its state take more than one statement
    const thread = seen && { seen, next };
    if (!known) return begin(change, thread);
    if (record === found.run?.record && change.entries.length === 0) return change.thread ? undefined : renew(known, change);
    const rests = lease === undefined && record.status !== 'running' && record.epoch === known.epoch && change.entries.length <= 1;
    return rests ? rest(known, change, thread) : undefined;
  };

  return async ({ runId, threadId, reads, driven: seesOthers }, decide) => {
    if (seesOthers) return undefined;
    const known = driven.get(runId);
    // who takes a run over judges the lease that it finds, and remembers it: that is none to guess
    if ((reads === 'queue') !== (known === undefined)) return undefined;
    const id = reads === 'run' ? undefined : (known?.thread ?? threadId);
    const seen = id === undefined ? undefined : await runs.look(id);
    const found: FoundRun = { run: known && toStoredRun(known), thread: seen };
    const change = seen?.lost ? undefined : refusable(() => decide(found));
    const written = change && (await write(known, found, change, seen));
    return change && written && { change, ...written };
  };
}

type Written = { readonly row: KnownRow; readonly isWritten: boolean } | undefined;

/** What is refused of a guess is decided again on what is stored, and thrown then. */
function refusable<T>(decide: () => T): T | undefined {
  try {
    return decide();
  } catch {
    return undefined;
  }
}

/** With the number that the table has given it. */
const numbered = <TRow extends Omit<KnownRow, 'checksum'>>(row: TRow, n: number): TRow & { readonly checksum: string } => {
  const given = { ...row, n };
  return { ...given, checksum: runChecksum(given) };
};

/** What renewing it changes. */
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
