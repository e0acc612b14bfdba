import { fleetStateOf, fleetStates } from '../../core/ports/fleet-state.ts';
import { maxCrashes, type NewRun, type RunStore, runStatuses, type Settlement, type StoreQuery } from '../../core/ports/run-store.ts';
import { findRecords } from '../../engine/store/matches-query.ts';
import { checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { begin, idsOf, newRun, nodeEntry, requestBy, settleEntry, startEntry, startMs, takeOver } from './example-run.ts';

/** Adds runs in every state, at different times. `r_parked` has crashed 3 times, `r_moved` has gone on since. */
async function fillStates(store: RunStore): Promise<void> {
  const at = (minutes: number): number => startMs + minutes * 60_000;
  const settled = async (id: string, settlement: Omit<Settlement, 'activeMs' | 'entry'>, minutes: number): Promise<void> => {
    const { lease } = await store.create(newRun(id), [startEntry()], requestBy('o_1', startMs));
    const entry = settleEntry(2, { status: settlement.status });
    await store.settle(lease, { ...settlement, activeMs: 0, entry: { ...entry, at: at(minutes) } });
  };
  await settled('r_done', { status: 'done' }, 1);
  await settled('r_failed', { status: 'failed', failure: 'TOOL_FAILED' }, 2);
  await settled('r_end', { status: 'done', failure: 'TOOL_FAILED' }, 3);
  await settled('r_limit', { status: 'failed', failure: 'LIMIT_EXCEEDED' }, 4);
  await settled('r_timed', { status: 'waiting', wakeAt: at(99) }, 5);
  await settled('r_sleeps', { status: 'waiting', wakeAt: at(99), sleeps: true }, 5);
  await settled('r_asks', { status: 'waiting' }, 6);
  await settled('r_doubt', { status: 'in_doubt' }, 7);
  await settled('r_paused', { status: 'paused' }, 8);
  await settled('r_left', { status: 'paused', wakeAt: at(0) }, 9);
  await settled('r_cancelled', { status: 'cancelled' }, 10);
  await begin(store, 'r_owner', { threadId: 't_1' });
  await store.create(newRun('r_queued', { threadId: 't_1', ifBusy: 'queue' }), [startEntry()], requestBy('o_2'));
  await crash(store, 'r_parked', maxCrashes);
  await crash(store, 'r_moved', maxCrashes, { workflow: 'another' });
  const { lease, record } = await takeOver(store, 'r_moved', 'o_9', at(60));
  await store.append(lease, nodeEntry(2, { epoch: lease.epoch, at: record.updatedAt + 1 }), 0);
}

/** Creates a run whose process dies that often. */
async function crash(store: RunStore, id: string, times: number, more: Partial<NewRun> = {}): Promise<void> {
  await begin(store, id, more);
  for (let time = 1; time <= times; time++) await takeOver(store, id, `o_${time + 1}`, startMs + time * 120_000);
}

/** States of a fleet: each query and count by state says what `fleetStateOf` says of each record. */
export const stateCases: Cases<RunStore> = {
  'lets a caller acquire a run only in the epoch that it has read, even by force': async (store) => {
    await crash(store, 'r_1', maxCrashes);
    const epoch = (await store.read('r_1'))?.epoch ?? 0;
    const request = { ...requestBy('o_8', startMs + 999_999_999), force: true };
    await store.acquire('r_1', { ...request, epoch });
    await checkRefused(() => store.acquire('r_1', { ...request, owner: 'o_9', epoch }), 'RUN_BUSY');
    checkSame((await store.read('r_1'))?.epoch, epoch + 1, 'the epoch after one of two callers');
  },

  'lists the runs of each state, code and age as a filter of all runs': async (store) => {
    await fillStates(store);
    const records = await store.list({});
    const times = [...new Set(records.map(({ updatedAt }) => updatedAt))];
    const queries: readonly StoreQuery[] = [
      ...fleetStates.flatMap((state) => [
        { state },
        { state, limit: 1 },
        { state, workflow: 'another' },
        { state, threadId: 't_1' },
        { state, code: 'TOOL_FAILED' },
        { state, before: 'r_doubt' },
        { state, updatedBefore: startMs + 300_000 },
        ...runStatuses.flatMap((status) => [
          { state, status },
          { state, resultStatus: status },
        ]),
      ]),
      ...['TOOL_FAILED', 'LIMIT_EXCEEDED', 'UNKNOWN', "' OR 1 = 1"].flatMap((code) => [{ code }, { code, status: 'done' as const }]),
      ...times.flatMap((time) => [{ updatedBefore: time }, { updatedBefore: time + 1 }]),
    ];
    for (const query of queries) {
      const expected = findRecords(records, { limit: Number.MAX_SAFE_INTEGER, ...query });
      checkSame(
        await idsOf(store, query),
        expected.map(({ id }) => id),
        `the list of ${JSON.stringify(query)}`,
      );
    }
    const listed = await Promise.all(fleetStates.map((state) => idsOf(store, { state })));
    checkSame(listed.flat().sort(), records.map(({ id }) => id).sort(), 'the runs of all states');
  },

  'counts each run once, by its state and error code, with the time of the oldest': async (store) => {
    await fillStates(store);
    const expected = new Map<string, { count: number; oldestAt: number }>();
    for (const record of await store.list({})) {
      const state = fleetStateOf(record);
      const key = [record.workflow, state, state === 'failed' ? record.failure : undefined].join(' ');
      const { count = 0, oldestAt = record.updatedAt } = expected.get(key) ?? {};
      expected.set(key, { count: count + 1, oldestAt: Math.min(oldestAt, record.updatedAt) });
    }
    const { runs } = await store.tally();
    checkSame(
      runs.map(({ workflow, state, code, count, oldestAt }) => [[workflow, state, code].join(' '), count, oldestAt]).sort(),
      [...expected].map(([key, { count, oldestAt }]) => [key, count, oldestAt]).sort(),
      'the groups',
    );
    checkSame([...new Set(runs.map(({ state }) => state))].sort(), [...fleetStates].sort(), 'the states');
  },
};
