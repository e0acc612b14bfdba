import type { Lease, LeaseRequest, RunStore, Settlement } from '../../core/ports/run-store.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import {
  begin,
  beginAndSettle,
  contentsOf,
  countWinners,
  leaseMs,
  newRun,
  nodeEntry,
  requestBy,
  settleEntry,
  startEntry,
  startMs,
  takeOver,
} from './example-run.ts';

const resumable: readonly Settlement['status'][] = ['paused', 'waiting', 'in_doubt', 'failed'];
const ended: readonly Settlement['status'][] = ['done', 'cancelled'];

/** Returns all writes that a lease allows; `seq` is the sequence number of the next entry. */
const writesOf = (store: RunStore, lease: Lease, seq: number): readonly (() => unknown)[] => [
  () => store.renew(lease, requestBy('o_1', startMs + 1_000_000)),
  () => store.append(lease, nodeEntry(seq, { outcome: 'of a stranger' }), 99),
  () => store.settle(lease, { status: 'done', activeMs: 99 }),
  () => store.settle(lease, { status: 'paused', activeMs: 99, wakeAt: 5, threadState: 'of a stranger', entry: settleEntry(seq) }),
];

/** Permission to write to a run. */
export const leaseCases: Cases<RunStore> = {
  'refuses a driven run to another owner and names the current one': async (store) => {
    await begin(store, 'r_1');
    const before = await contentsOf(store, 'r_1');
    const error = await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + 1)), 'RUN_BUSY');
    check(String(error.data?.owner).includes('o_1'), 'RUN_BUSY names the owner');
    checkSame([error.data?.runId, error.data?.waitMs], ['r_1', leaseMs], 'runId and waitMs of RUN_BUSY');
    check(typeof error.data?.ownerMayBeGone === 'boolean', 'RUN_BUSY has ownerMayBeGone');
    check(error.retryable, 'RUN_BUSY is retryable');
    checkSame(await contentsOf(store, 'r_1'), before, 'the run');
  },

  'moves a run to another machine in one settlement and refuses a foreign lease': async (store) => {
    const { lease } = await begin(store, 'r_1');
    const machine = { version: '2', structure: 'another' };
    const entry = settleEntry(2);
    const stranger = { ...lease, epoch: lease.epoch + 1 };
    await checkRefused(() => store.settle(stranger, { status: 'waiting', activeMs: 0, entry, machine }), 'RUN_FENCED');
    check((await store.read('r_1'))?.version !== '2', 'a foreign lease does not move the run');
    await store.settle(lease, { status: 'waiting', activeMs: 0, entry, machine });
    const { version, structure, status } = (await store.read('r_1')) ?? {};
    checkSame([version, structure, status], ['2', 'another', 'waiting'], 'the machine of the run');
    checkSame(await store.journal('r_1'), [startEntry(), entry], 'the journal');
    const listed = await store.list({});
    checkSame(
      listed.map((record) => [record.version, record.structure]),
      [['2', 'another']],
      'the machine in the list',
    );
    const taken = await store.acquire('r_1', requestBy('o_2'));
    await store.settle(taken.lease, { status: 'paused', activeMs: 0 });
    checkSame((await store.read('r_1'))?.version, '2', 'the version after another lease');
  },

  'lets the owner write after another caller was refused': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await checkRefused(() => store.acquire('r_1', requestBy('o_2')), 'RUN_BUSY');
    await store.append(lease, nodeEntry(2), 0);
    checkSame(await store.journal('r_1'), [startEntry(), nodeEntry(2)], 'the journal');
  },

  'hands over a run exactly when its lease has not been renewed for its full duration': async (store) => {
    await begin(store, 'r_1');
    for (const [laterMs, waitMs] of [
      [0, leaseMs],
      [10_000, leaseMs - 10_000],
      [leaseMs - 1, 1],
    ] as const) {
      const error = await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + laterMs)), 'RUN_BUSY');
      checkSame(error.data?.waitMs, waitMs, 'waitMs of RUN_BUSY');
    }
    const { lease } = await store.acquire('r_1', requestBy('o_2', startMs + leaseMs));
    checkSame(lease, { runId: 'r_1', epoch: 2 }, 'the lease');
  },

  'does not compare wall clocks': async (store) => {
    await begin(store, 'r_1');
    const dayMs = 86_400_000;
    for (const [owner, aheadMs] of [
      ['o_2', dayMs],
      ['o_3', -dayMs],
    ] as const) {
      const ask = (laterMs: number, now: number): LeaseRequest => ({ ...requestBy(owner, startMs + laterMs), now });
      await checkRefused(() => store.acquire('r_1', ask(0, startMs - aheadMs)), 'RUN_BUSY');
      await checkRefused(() => store.acquire('r_1', ask(leaseMs - 1, startMs + aheadMs)), 'RUN_BUSY');
      const { lease } = await store.acquire('r_1', ask(leaseMs, startMs - aheadMs));
      await store.settle(lease, { status: 'paused', activeMs: 0 });
      await store.acquire('r_1', requestBy('o_1'));
    }
  },

  "does not compare an owner's clock with a caller's": async (store) => {
    await store.create(newRun('r_1'), [startEntry()], { ...requestBy('o_1'), monotonic: 1_000_000_000 });
    const { lease } = await takeOver(store, 'r_1', 'o_2', startMs + leaseMs);
    await store.renew(lease, { ...requestBy('o_2'), monotonic: -1_000_000_000 });
    await takeOver(store, 'r_1', 'o_3', startMs + leaseMs);
  },

  'keeps a lease for the requested duration': async (store) => {
    await store.create(newRun('r_1'), [startEntry()], { ...requestBy('o_1'), leaseMs: 10 * leaseMs });
    await checkRefused(() => store.acquire('r_1', requestBy('o_2')), 'RUN_BUSY');
    await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + 10 * leaseMs - 1)), 'RUN_BUSY');
    await store.acquire('r_1', requestBy('o_2', startMs + 10 * leaseMs));
  },

  'measures the wait of each observer separately': async (store) => {
    await begin(store, 'r_1');
    await checkRefused(() => store.acquire('r_1', requestBy('o_2')), 'RUN_BUSY');
    await checkRefused(() => store.acquire('r_1', requestBy('o_3', startMs + leaseMs)), 'RUN_BUSY');
    await store.acquire('r_1', requestBy('o_2', startMs + leaseMs));
  },

  'lets an owner acquire its own run again': async (store) => {
    await begin(store, 'r_1');
    const { lease } = await store.acquire('r_1', requestBy('o_1', startMs + 1));
    checkSame(lease, { runId: 'r_1', epoch: 2 }, 'the lease');
  },

  'protects every later lease in the same way': async (store) => {
    await begin(store, 'r_1');
    await checkRefused(() => store.acquire('r_1', requestBy('o_3')), 'RUN_BUSY');
    await takeOver(store, 'r_1', 'o_2', startMs + leaseMs);
    const error = await checkRefused(() => store.acquire('r_1', requestBy('o_3', startMs + 2 * leaseMs - 1)), 'RUN_BUSY');
    check(String(error.data?.owner).includes('o_2'), 'RUN_BUSY names the owner');
    checkSame(error.data?.waitMs, leaseMs, 'waitMs of the new lease');
  },

  'hands over a run by force even if its owner is alive': async (store) => {
    await begin(store, 'r_1');
    const { lease, record } = await store.acquire('r_1', { ...requestBy('o_2'), force: true });
    checkSame(lease, { runId: 'r_1', epoch: 2 }, 'the lease');
    checkSame(await store.read('r_1'), record, 'the record');
    await checkRefused(() => store.acquire('r_1', requestBy('o_1')), 'RUN_BUSY');
  },

  'raises the epoch by one with each lease and never otherwise': async (store) => {
    const epochs: number[] = [];
    let { lease } = await begin(store, 'r_1');
    let seq = 1;
    for (const owner of ['o_2', 'o_1', 'o_3']) {
      epochs.push(lease.epoch);
      await store.renew(lease, requestBy(owner));
      await store.append(lease, nodeEntry(++seq, { epoch: lease.epoch }), 0);
      await store.settle(lease, { status: 'paused', activeMs: 0 });
      checkSame((await store.read('r_1'))?.epoch, lease.epoch, 'the epoch after writes');
      ({ lease } = await store.acquire('r_1', requestBy(owner)));
    }
    checkSame([...epochs, lease.epoch], [1, 2, 3, 4], 'the epochs');
  },

  'keeps the progress of a run when another owner acquires it': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await store.append(lease, nodeEntry(2), 77);
    const { record } = await takeOver(store, 'r_1', 'o_2', startMs + leaseMs);
    checkSame(
      [record.status, record.seq, record.activeMs, record.startedAt],
      ['running', 2, 77, startMs],
      'status, seq, activeMs and startedAt',
    );
    checkSame(await store.journal('r_1'), [startEntry(), nodeEntry(2)], 'the journal');
  },

  'refuses every write of a lease after the next one': async (store) => {
    const old = await begin(store, 'r_1', { threadId: 't_1' });
    await takeOver(store, 'r_1', 'o_2', startMs + leaseMs);
    const before = await contentsOf(store, 'r_1');
    for (const write of writesOf(store, old.lease, 2)) {
      await checkRefused(write, 'RUN_FENCED');
      checkSame(await contentsOf(store, 'r_1'), before, 'the run');
    }
  },

  'refuses an old lease even if the new one has the same owner': async (store) => {
    const old = await begin(store, 'r_1');
    await store.acquire('r_1', requestBy('o_1'));
    for (const write of writesOf(store, old.lease, 2)) await checkRefused(write, 'RUN_FENCED');
  },

  'lets the new lease write after the old one was refused': async (store) => {
    const old = await begin(store, 'r_1');
    const { lease } = await store.acquire('r_1', { ...requestBy('o_2'), force: true });
    await checkRefused(() => store.append(old.lease, nodeEntry(2, { outcome: 'of a stranger' }), 0), 'RUN_FENCED');
    await store.append(lease, nodeEntry(2), 0);
    checkSame(await store.journal('r_1'), [startEntry(), nodeEntry(2)], 'the journal');
  },

  'lists the leases that are lost': async (store) => {
    const held = await begin(store, 'r_held');
    const taken = await begin(store, 'r_taken');
    await store.acquire('r_taken', { ...requestBy('o_2'), force: true });
    const ended = await begin(store, 'r_ended');
    await store.settle(ended.lease, { status: 'done', activeMs: 0 });
    const before = await store.list({});
    const leases = [held, taken, ended].map(({ lease }) => lease);
    const unknown = { runId: 'r_unknown', epoch: 1 };
    checkSame(await store.lost([...leases, unknown]), [taken.lease, ended.lease, unknown], 'the lost leases');
    checkSame(await store.lost([held.lease]), [], 'the lost leases among valid ones');
    checkSame(await store.lost([]), [], 'the lost leases among none');
    checkSame(await store.list({}), before, 'the records');
  },

  'does not extend a lease when it refuses a renewal': async (store) => {
    const old = await begin(store, 'r_1');
    await takeOver(store, 'r_1', 'o_2', startMs + leaseMs);
    await checkRefused(() => store.acquire('r_1', requestBy('o_3', startMs + leaseMs)), 'RUN_BUSY');
    await checkRefused(() => store.renew(old.lease, requestBy('o_1', startMs + leaseMs)), 'RUN_FENCED');
    const { lease } = await store.acquire('r_1', requestBy('o_3', startMs + 2 * leaseMs));
    checkSame(lease.epoch, 3, 'the epoch');
  },

  'refuses a lease that does not exist': async (store) => {
    await begin(store, 'r_1');
    const before = await contentsOf(store, 'r_1');
    for (const epoch of [0, 2, 1_000]) {
      for (const write of writesOf(store, { runId: 'r_1', epoch }, 2)) await checkRefused(write, 'RUN_FENCED');
    }
    checkSame(await contentsOf(store, 'r_1'), before, 'the run');
  },

  'lets an expired lease write until the next one is acquired': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await checkRefused(() => store.acquire('r_1', requestBy('o_2')), 'RUN_BUSY');
    await store.append(lease, nodeEntry(2, { at: startMs + 10 * leaseMs }), 0);
    await store.renew(lease, requestBy('o_1', startMs + 11 * leaseMs));
    await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + 11 * leaseMs)), 'RUN_BUSY');
    await store.settle(lease, { status: 'done', activeMs: 0 });
    checkSame((await store.read('r_1'))?.status, 'done', 'the status');
  },

  'extends a lease by its full duration with each renewal': async (store) => {
    const { lease, record } = await begin(store, 'r_1');
    for (const times of [0, 1, 2]) {
      await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + times * leaseMs)), 'RUN_BUSY');
      await store.renew(lease, requestBy('o_1', startMs + times * leaseMs));
    }
    checkSame(await store.read('r_1'), record, 'the record after renewals');
    const error = await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + 3 * leaseMs)), 'RUN_BUSY');
    checkSame(error.data?.waitMs, leaseMs, 'waitMs of RUN_BUSY');
    await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + 4 * leaseMs - 1)), 'RUN_BUSY');
    const { lease: next } = await store.acquire('r_1', requestBy('o_2', startMs + 4 * leaseMs));
    checkSame(next.epoch, 2, 'the epoch');
  },

  'reports an owner as alive after it renews': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await checkRefused(() => store.acquire('r_1', requestBy('o_2')), 'RUN_BUSY');
    await store.renew(lease, requestBy('o_1', startMs + 10_000));
    const error = await checkRefused(() => store.acquire('r_1', requestBy('o_2', startMs + 10_001)), 'RUN_BUSY');
    checkSame(error.data?.ownerMayBeGone, false, 'ownerMayBeGone');
  },

  'does not extend a lease when it appends an entry': async (store) => {
    const { lease } = await begin(store, 'r_1');
    await checkRefused(() => store.acquire('r_1', requestBy('o_2')), 'RUN_BUSY');
    await store.append(lease, nodeEntry(2, { at: startMs + leaseMs - 1 }), 0);
    const { lease: next } = await store.acquire('r_1', requestBy('o_2', startMs + leaseMs));
    checkSame(next.epoch, 2, 'the epoch');
  },

  'reports an owner as possibly alive unless it is certainly gone': async (store) => {
    const { owner } = await begin(store, 'r_1');
    check(owner.includes('o_1'), "the owner's name contains the caller's name");
    checkSame(
      [owner, 'nobody', ''].map((name) => store.mayLive(name)),
      [true, true, true],
      'the possibly live owners',
    );
  },

  'refuses every write of a lease after its settlement': async (store) => {
    for (const status of [...resumable, ...ended]) {
      const id = `r_${status}`;
      const { lease } = await begin(store, id);
      await store.settle(lease, { status, activeMs: 0 });
      const before = await contentsOf(store, id);
      for (const write of writesOf(store, lease, 2)) await checkRefused(write, 'RUN_FENCED');
      checkSame(await contentsOf(store, id), before, `the ${status} run`);
    }
  },

  'hands over a suspended run to any owner at once': async (store) => {
    for (const status of resumable) {
      await beginAndSettle(store, `r_${status}`, { status });
      const { lease, record } = await store.acquire(`r_${status}`, requestBy('o_2', startMs + 1));
      checkSame([lease.epoch, record.status], [2, 'running'], `epoch and status of the ${status} run`);
      await store.append(lease, nodeEntry(2), 0);
      checkSame((await store.journal(`r_${status}`)).length, 2, 'the number of entries');
    }
  },

  'refuses to acquire a done or cancelled run even by force': async (store) => {
    for (const status of ended) {
      const id = `r_${status}`;
      await beginAndSettle(store, id, { status }, { threadId: `t_${status}` });
      const before = await contentsOf(store, id);
      for (const force of [false, true]) await checkRefused(() => store.acquire(id, { ...requestBy('o_1'), force }), 'RUN_ENDED');
      checkSame(await contentsOf(store, id), before, 'the run');
    }
  },

  'counts consecutive leases that were lost without an entry': async (store) => {
    await begin(store, 'r_1');
    for (const crashes of [1, 2, 3]) {
      const { record } = await takeOver(store, 'r_1', `o_1${crashes}`, startMs + crashes * leaseMs);
      checkSame(record.crashes, crashes, 'crashes');
    }
    checkSame((await store.read('r_1'))?.crashes, 3, 'crashes in the record');
  },

  'does not count a lease that its own owner acquires again': async (store) => {
    await begin(store, 'r_1');
    for (const epoch of [2, 3, 4, 5]) {
      const { lease, record } = await store.acquire('r_1', requestBy('o_1'));
      checkSame([lease.epoch, record.crashes], [epoch, 0], 'epoch and crashes');
    }
  },

  'resets the count of lost leases with each entry': async (store) => {
    await begin(store, 'r_1');
    await takeOver(store, 'r_1', 'o_2', startMs + leaseMs);
    const { lease } = await takeOver(store, 'r_1', 'o_3', startMs + 2 * leaseMs);
    await store.append(lease, nodeEntry(2), 0);
    checkSame((await store.read('r_1'))?.crashes, 0, 'crashes after an entry');
    const { record } = await takeOver(store, 'r_1', 'o_4', startMs + 3 * leaseMs);
    checkSame(record.crashes, 1, 'crashes after the next lost lease');
  },

  'does not count a settled lease as lost': async (store) => {
    await begin(store, 'r_1');
    const { lease } = await takeOver(store, 'r_1', 'o_2', startMs + leaseMs);
    await store.settle(lease, { status: 'paused', activeMs: 0 });
    checkSame((await store.read('r_1'))?.crashes, 0, 'crashes after the settlement');
    const { record } = await store.acquire('r_1', requestBy('o_3', startMs + leaseMs));
    checkSame(record.crashes, 0, 'crashes of the next lease');
  },

  'does not count a refused request as a lost lease': async (store) => {
    await begin(store, 'r_1');
    for (const owner of ['o_2', 'o_3']) await checkRefused(() => store.acquire('r_1', requestBy(owner)), 'RUN_BUSY');
    checkSame((await store.read('r_1'))?.crashes, 0, 'crashes');
  },

  'lets one of many concurrent callers acquire a run': async (store) => {
    await beginAndSettle(store, 'r_1', { status: 'paused' });
    const owners = Array.from({ length: 8 }, (_, index) => `o_${index + 2}`);
    const winners = await countWinners(
      owners.map((owner) => () => store.acquire('r_1', requestBy(owner))),
      'RUN_BUSY',
    );
    checkSame([winners, (await store.read('r_1'))?.epoch], [1, 2], 'the number of winners and the epoch');
  },

  'appends one of many concurrent entries with the same seq': async (store) => {
    const { lease } = await begin(store, 'r_1');
    const entries = Array.from({ length: 8 }, (_, index) => nodeEntry(2, { outcome: index }));
    const winners = await countWinners(
      entries.map((entry) => () => store.append(lease, entry, 0)),
      'RUN_FENCED',
    );
    checkSame([winners, (await store.journal('r_1')).length], [1, 2], 'the number of winners and of entries');
  },
};
