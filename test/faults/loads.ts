// Much at once: processes that write to one database (F20), threads on few connections (F22), a run that kills whoever drives it (F18).
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime, type NodeIo, type RunStore, type Runtime, toErrorInfo } from 'agent-machines';
import { startChild } from '../fixtures/child.ts';
import { type FaultyWorld, keyed } from '../fixtures/faulty-workflow.ts';
import { notesIn, readNotes, recordedStore } from '../fixtures/history.ts';
import { waitingFor } from '../fixtures/waiting-for.ts';
import { type Fault, type FaultOptions, inLanes } from './fault.ts';
import { type FaultPlace, type OpenOptions, violationsAt } from './fault-place.ts';
import { faultyChild } from './faulty-child.ts';
import type { Checkouts } from './watched-pool.ts';

/** F20: eight processes commit to one database without a pause. */
export const eightWriters: Fault = {
  row: 'F20',
  what: '8 processes that write to one database: no commit fails, and each is there; the count is that of the commits of each',
  asked: 1_000,
  async make({ places, count, progress }) {
    const place = await places.create();
    await place.open().close();
    const ids = Array.from({ length: 8 }, (_, number) => `r_${number}`);
    const writers = ids.map((id) => startChild('store-process.ts', ['commit', place.address, id, `${count}`], { env: place.env }));
    for (const writer of writers) await writer.line(0);
    for (const writer of writers) writer.say('go');
    const violations: string[] = [];
    const store = place.open();
    for (const [number, writer] of writers.entries()) {
      const said = await writer.line(1);
      if (said !== 'ok') violations.push(said);
      const { length } = await store.journal(ids[number] ?? '');
      if (length !== count) violations.push(`${ids[number]}: ${length} of ${count} entries`);
      progress?.(((number + 1) * count) / 8);
    }
    await store.close();
    for (const writer of writers) writer.kill('SIGKILL');
    return { reached: count, violations: [...violations, ...(await place.unsound())] };
  },
};

const poolSizes = [3, 10, 20] as const;

/** F22: threads that all ask a model at once, then all wait for a human, and go on at once, on pools of some sizes. */
export const manyThreads: Fault = {
  row: 'F22',
  what: '500 threads at once on a pool of 3, of 10 and of 20 connections: all are in a model call at once, and all wait for a human, while no connection is held; none is refused one, and all end',
  asked: 500,
  only: 'postgres',
  async make({ places, count, progress }) {
    const violations: string[] = [];
    const seen: Record<string, number> = {};
    for (const [number, poolSize] of poolSizes.entries()) {
      const place = await places.create();
      const checkouts: Checkouts = { waitsMs: [], refused: 0, held: 0 };
      const ends = await threadsOn(place, {
        poolSize,
        checkouts,
        count,
        done: (some) => progress?.(Math.floor((number * count + some) / 3)),
      });
      violations.push(...[...ends, ...(await violationsAt(place))].map((line) => `pool of ${poolSize}: ${line}`));
      if (checkouts.refused > 0) violations.push(`pool of ${poolSize}: ${checkouts.refused} were refused a connection`);
      const waitsMs = checkouts.waitsMs.sort((a, b) => a - b);
      seen[`pool of ${poolSize}: checkouts`] = waitsMs.length;
      seen[`pool of ${poolSize}: p99 of their waits in ms`] = Math.round(waitsMs[Math.floor(waitsMs.length * 0.99)] ?? 0);
    }
    return { reached: count, violations, seen };
  },
};

interface ThreadsOptions extends Required<OpenOptions> {
  readonly count: number;
  readonly done: (count: number) => void;
}

async function threadsOn(place: FaultPlace, { count, done, ...options }: ThreadsOptions): Promise<readonly string[]> {
  const violations: string[] = [];
  const note = notesIn(place.notes);
  const by = 'one';
  const store = recordedStore(place.open(options), { by, note });
  const { checkouts } = options;
  /** Opens when all have come to it: who held a connection meanwhile would keep others from coming. */
  const meeting = (): (() => Promise<void>) => {
    const all = Promise.withResolvers<void>();
    let there = 0;
    return async () => {
      if (++there === count) all.resolve(isLetGo(checkouts).then((isFree) => void (isFree || violations.push('connections are held'))));
      await all.promise;
    };
  };
  const [inCalls, atQuestions] = [meeting(), meeting()];
  const before = (_io: NodeIo, step: string): Promise<void> | undefined => (step === 'a' ? inCalls() : undefined);
  const runtime = createRuntime({ store, workflows: [keyed({ by, note, before })] });
  let ended = 0;
  const runs = Array.from({ length: count }, async (_, number) => {
    const { id, result } = runtime.start('keyed', {}, { threadId: `t${number}` });
    const question = waitingFor(await result).id;
    await atQuestions();
    const going = await runtime.send(id, { type: 'SAY', text: 'yes' }, { interruptId: question });
    const end = await going.result;
    if (end.status !== 'done') violations.push(`${id}: ${JSON.stringify(end)}`);
    done(++ended);
  });
  await Promise.all(runs);
  await runtime.close();
  await store.close();
  return violations;
}

/** Whether nobody but who listens has a connection, at some moment soon. */
async function isLetGo(checkouts: Checkouts): Promise<boolean> {
  for (let looks = 0; looks < 200; looks++) {
    if (checkouts.held <= 1) return true;
    await pause(10);
  }
  return false;
}

/** F18: of many runs one kills its process each time. It is parked; the others are not taken for what it is. */
export const poisonedRun: Fault = {
  row: 'F18',
  what: 'one run that kills whoever drives it, among 1,000 others: it is parked after three crashes, and all others end; when 99 of 100 of them have, with it and without',
  asked: 1_000,
  async make(options) {
    const without = await workOff(await options.places.create(), { ...options, poison: undefined });
    const place = await options.places.create();
    const poison = 'poison';
    const { lives, p99Ms, violations } = await workOff(place, { ...options, poison });
    const kills = readNotes(place.notes).filter((one) => one.op === 'told' && one.run === poison && one.what === 'acquire').length;
    return {
      reached: options.count,
      violations: [
        ...without.violations.map((line) => `without: ${line}`),
        ...violations,
        ...(kills > 4 ? [`the poisoned run was driven ${kills} times`] : []),
        ...(await violationsAt(place)),
      ],
      seen: { lives, kills, 'p99 without it in ms': without.p99Ms, 'p99 with it in ms': p99Ms },
    };
  },
};

interface WorkOffOptions extends FaultOptions {
  /** The run that kills its process. `undefined`: there is none. */
  readonly poison: string | undefined;
}

interface WorkedOff {
  /** Workers that were killed. */
  readonly lives: number;
  /** When 99 of 100 runs had come to their end, from when the first worker was asked for. */
  readonly p99Ms: number;
  readonly violations: readonly string[];
}

/** Leaves many runs to workers, one after the other, until all but the one that kills them have come to their question. */
async function workOff(place: FaultPlace, { count, progress, poison }: WorkOffOptions): Promise<WorkedOff> {
  const note = notesIn(place.notes);
  const store = place.open();
  const ids = await leaveRuns(store, { by: 'leaver', note }, { count, poison });
  const begun = Date.now();
  const isParked = async (): Promise<boolean> => poison === undefined || ((await store.read(poison))?.crashes ?? 0) >= 3;
  const how = { slowMs: 400, concurrency: 8, ...(poison === undefined ? {} : { poison }) };
  let lives = 0;
  for (; lives < 20 && !(await isParked()); lives++) {
    const child = await faultyChild(place, { by: `p${lives}`, ...how });
    await child.call('work');
    await child.ended;
  }
  const last = await faultyChild(place, { by: 'last', ...how, slowMs: 0 });
  await last.call('work');
  const parked = poison === undefined ? 0 : 1;
  let before = Number.NaN;
  // until nothing has changed for a while but the one that is parked
  for (let looks = 0; looks < 50; ) {
    const now = await countUnrested(store, ids.length);
    progress?.(count + parked - now);
    if (now <= parked) break;
    looks = now === before ? looks + 1 : 0;
    before = now;
    await pause(100);
  }
  last.kill('SIGKILL');
  await last.ended;
  const violations: string[] = [];
  const endedMs: number[] = [];
  for (const id of ids) {
    const record = await store.read(id);
    const isRight = id === poison ? record?.status === 'running' || record?.status === 'paused' : record?.status === 'waiting';
    if (!isRight) violations.push(`${id} is ${record?.status} after ${record?.crashes} crashes`);
    if (id !== poison && record) endedMs.push(record.updatedAt - begun);
  }
  await store.close();
  endedMs.sort((a, b) => a - b);
  return { lives, violations, p99Ms: endedMs[Math.floor(endedMs.length * 0.99)] ?? 0 };
}

/** Runs that are at work or handed over. One list: a run that a worker takes between two lists would be in neither. */
export async function countUnrested(store: RunStore, limit: number): Promise<number> {
  return (await store.list({ limit })).filter(({ status }) => status === 'running' || status === 'paused').length;
}

/** Begins runs and hands them over, for the next who looks for work. */
async function leaveRuns(
  store: RunStore,
  world: Pick<FaultyWorld, 'by' | 'note'>,
  { count, poison }: Pick<WorkOffOptions, 'count' | 'poison'>,
): Promise<readonly string[]> {
  const recorded = recordedStore(store, world);
  const runtime = createRuntime({ store: recorded, workflows: [keyed({ ...world, before: ({ signal }) => until(signal) })] });
  const ids = Array.from({ length: count }, (_, number) => `r${number}`);
  if (poison !== undefined) ids.splice(3, 0, poison); // among those that a worker takes at once
  for (const id of ids) void runtime.start('keyed', {}, { runId: id });
  while ((await store.list({ status: 'running', limit: ids.length })).length < ids.length) await pause(20);
  await runtime.close();
  return ids;
}

const until = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Drives a run to its end, though its store cannot be used now and then for longer than it is waited for. */
async function liveOn(runtime: Runtime, id: string): Promise<string> {
  for (;;) {
    try {
      const result = await (await runtime.resume(id)).result;
      if (result.status === 'waiting' && result.interrupt) {
        await runtime.send(id, { type: 'SAY', text: 'yes' }, { interruptId: result.interrupt.id });
      } else if (result.status === 'done' || result.status === 'failed') {
        if (result.status === 'done') return result.status;
        if (result.error.code !== 'STORE_UNAVAILABLE') return `${result.status}: ${result.error.code}: ${result.error.message}`;
      }
    } catch (cause) {
      const { code } = toErrorInfo(cause);
      if (code === 'RUN_UNKNOWN') runtime.start('keyed', {}, { runId: id, threadId: `t-${id}` });
      else if (code !== 'STORE_UNAVAILABLE') return code;
    }
    await pause(20);
  }
}

/** F21: a database server that is killed and started again, over and over, in the middle of runs. */
export const restartedServer: Fault = {
  row: 'F21',
  what: 'PostgreSQL killed and started again every 1 to 4 seconds: every run ends, nothing is done twice, no connection is left behind',
  asked: 80,
  only: 'postgres',
  async make(options) {
    const { places, random } = options;
    const place = await places.create();
    const note = notesIn(place.notes);
    const by = 'one';
    const store = recordedStore(place.open(), { by, note });
    const runtime = createRuntime({ store, workflows: [keyed({ by, note })] });
    const violations: string[] = [];
    let isOver = false;
    let runs = 0;
    const lane = async (): Promise<void> => {
      while (!isOver) {
        const id = `r${runs++}`;
        runtime.start('keyed', {}, { runId: id, threadId: `t-${id}` });
        const status = await liveOn(runtime, id);
        if (status !== 'done') violations.push(`${id}: ${status}`);
        await pause(20);
      }
    };
    const lanes = Array.from({ length: 4 }, lane);
    const reached = await inLanes(options, 1, async () => {
      await pause(1_000 + Math.floor(random() * 3_000));
      await places.restart?.();
    });
    isOver = true;
    await Promise.all(lanes);
    const connections = (await place.connections?.()) ?? 0;
    if (connections > 4) violations.push(`${connections} connections`); // three of the pool, and one that listens
    await runtime.close();
    await store.close();
    return { reached, violations: [...violations, ...(await violationsAt(place))], seen: { runs, connections } };
  },
};
