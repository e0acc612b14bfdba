import type { JournalEntry, Lease, RunStore } from 'agent-machines';

/** Databases that do wrong what a database must not: the simulation has to find each. */
export const plantedFaults: Readonly<Record<string, (store: RunStore) => RunStore>> = {
  /** An entry of a lease that another one has followed is taken, too. */
  'forgets the fence': (store) => ({
    ...store,
    async append(lease, entry, activeMs) {
      try {
        await store.append(lease, entry, activeMs);
      } catch (cause) {
        const record = await store.read(lease.runId);
        if (record?.status !== 'running' || record.epoch === lease.epoch) throw cause;
        await store.append({ ...lease, epoch: record.epoch }, { ...entry, seq: record.seq + 1, epoch: record.epoch }, activeMs);
      }
    },
  }),

  /** Every twentieth entry is acknowledged, and is not there. */
  'drops what it has acknowledged': (store) => {
    let appends = 0;
    return { ...store, append: (lease, entry, activeMs) => (++appends % 20 === 0 ? undefined : store.append(lease, entry, activeMs)) };
  },

  /** Whoever asks for a run under the lease of another one gets the same lease. */
  'gives one lease to two': (store) => {
    const leases = new Map<string, Awaited<ReturnType<RunStore['acquire']>>>();
    return {
      ...store,
      async acquire(runId, request) {
        const before = leases.get(runId);
        const record = await store.read(runId);
        if (before && record?.status === 'running' && record.epoch === before.lease.epoch) return { ...before, record };
        const given = await store.acquire(runId, request);
        leases.set(runId, given);
        return given;
      },
    };
  },

  /** The record that a call has begun is not kept: after a crash it is made again. */
  'forgets what was begun': (store) => {
    const hidden = new Map<string, number>();
    const shift = (lease: Lease, entry: JournalEntry): JournalEntry => ({ ...entry, seq: entry.seq - (hidden.get(lease.runId) ?? 0) });
    return {
      ...store,
      async append(lease, entry, activeMs) {
        if (entry.kind === 'intent') hidden.set(lease.runId, (hidden.get(lease.runId) ?? 0) + 1);
        else await store.append(lease, shift(lease, entry), activeMs);
      },
      settle: (lease, settlement) =>
        store.settle(lease, settlement.entry ? { ...settlement, entry: shift(lease, settlement.entry) } : settlement),
      acquire: (runId, request) => {
        hidden.delete(runId);
        return store.acquire(runId, request);
      },
    };
  },

  /** A run is taken for ended before that is written. */
  'says that a run has ended, and forgets it': (store) => ({
    ...store,
    settle: (lease, settlement) => (settlement.status === 'done' ? undefined : store.settle(lease, settlement)),
  }),
};
