// Processes that are killed: at random (F01), with a call in doubt (F02), at every boundary of a commit (F03), inside a commit (F04).
import { setTimeout as pause } from 'node:timers/promises';
import { createRuntime, type RunResult } from 'agent-machines';
import { startChild } from '../fixtures/child.ts';
import type { FaultyCommand, FaultyProcessOptions } from '../fixtures/faulty-process.ts';
import { keyed, paying } from '../fixtures/faulty-workflow.ts';
import { notesIn, readNotes, recordedStore } from '../fixtures/history.ts';
import { type Fault, type FaultOptions, type FaultOutcome, inLanes } from './fault.ts';
import { type FaultPlace, violationsAt } from './fault-place.ts';
import { type FaultyChild, faultyChild } from './faulty-child.ts';

const ended = (result: unknown, output: string): readonly string[] => {
  const { status, output: said } = (result ?? {}) as { readonly status?: string; readonly output?: string };
  return status === 'done' && said === output ? [] : [`ended as ${JSON.stringify(result)}`];
};

const keyedOutput = 'a,b,c,d,yes,e';

/** How many lives share a database. */
const livesPerPlace = 25;

/** F01: processes one after the other on one database, each killed at any moment while it goes on with what was left and begins more. */
export const randomKills: Fault = {
  row: 'F01',
  what: 'SIGKILL at any moment: every run ends as it would have, committed steps are not repeated, keyed effects happen once',
  asked: 1_000,
  async make(options) {
    const violations: string[] = [];
    const { places, count, random } = options;
    let kills = 0;
    let runs = 0;
    let parked = 0;
    const rounds = Math.ceil(count / livesPerPlace);
    await inLanes({ ...options, count: rounds, progress: () => options.progress?.(kills) }, 2, async (round) => {
      const place = await places.create();
      const lives = Math.min(livesPerPlace, count - round * livesPerPlace);
      let next = 0;
      for (let life = 0; life < lives; life++) {
        const child = await faultyChild(place, { by: `p${life}` });
        const over = liveOn(child, () => `r${next++}`);
        await pause(Math.floor(random() * 200)); // any moment: nothing is waited for
        child.kill('SIGKILL');
        await Promise.all([child.ended, over]);
        kills++;
      }
      const last = await faultyChild(place, { by: 'last' });
      const left = ((await last.call('recover'))?.result ?? []) as readonly { readonly error: { readonly code: string } }[];
      // three kills in a row before a run came any further: it is parked, and goes on when it is told to
      parked += left.filter(({ error }) => error.code === 'RUN_POISONED').length;
      violations.push(...left.filter(({ error }) => error.code !== 'RUN_POISONED').map((one) => `left: ${JSON.stringify(one)}`));
      violations.push(...(await allEnded(place, last)), ...(await violationsAt(place)));
      runs += next;
      await last.call('close');
      last.kill('SIGKILL');
      await last.ended;
    });
    return { reached: kills, violations, seen: { runs, parked } };
  },
};

/** Goes on with what was left, then begins runs, two at once, as long as the process lives. */
async function liveOn(child: FaultyChild, newId: () => string): Promise<void> {
  if (!(await child.call('recover'))) return;
  const lane = async (): Promise<void> => {
    for (;;) {
      const id = newId();
      if (!(await child.call('start', 'keyed', id, `t-${id}`))) return;
    }
  };
  await Promise.all([lane(), lane()]);
}

/** Each run that was begun has come to the end that it would have come to. */
async function allEnded(place: FaultPlace, child: FaultyChild): Promise<readonly string[]> {
  const store = place.open();
  const found: string[] = [];
  const notes = readNotes(place.notes);
  const acknowledged = new Set(notes.flatMap((note) => (note.op === 'told' && note.what === 'create' ? [note.run] : [])));
  for (const id of new Set(notes.map(({ run }) => run))) {
    const record = await store.read(id);
    if (!record) {
      if (acknowledged.has(id)) found.push(`${id} is lost`);
      continue;
    }
    // one that waited for its answer when its process died is answered now
    const reply = await child.call('live', id, true);
    found.push(...ended(reply?.result, keyedOutput).map((line) => `${id} ${line}`));
    const thread = await store.readThread(`t-${id}`);
    if (thread?.revision !== 1 || thread.activeRun !== undefined) found.push(`the thread of ${id} is ${JSON.stringify(thread)}`);
  }
  await store.close();
  return found;
}

/** F02: a call that may be made once, killed behind its effect: the run asks a human, and makes it again when told to, only. */
export const onceInDoubt: Fault = {
  row: 'F02',
  what: 'SIGKILL behind the effect of a `once` call, before its result is written: the run is in doubt and shows its arguments',
  asked: 200,
  async make(options) {
    const violations: string[] = [];
    const reached = await inLanes(options, 2, async (number) => {
      const place = await options.places.create();
      const child = await faultyChild(place, { by: 'dying', killAt: { point: 'effect.after', number: 1 + (number % 2) } });
      await child.call('start', 'paying', 'r');
      await child.ended;
      violations.push(
        ...(await settleDoubt(place, (['done', 'retry', 'abort'] as const)[number % 3] ?? 'done')),
        ...(await violationsAt(place)),
      );
    });
    return { reached, violations };
  },
};

/** A human's word on what was found in doubt, and what comes of it. */
async function settleDoubt(place: FaultPlace, as: 'done' | 'retry' | 'abort'): Promise<readonly string[]> {
  const note = notesIn(place.notes);
  const by = 'next';
  const store = recordedStore(place.open(), { by, note });
  const runtime = createRuntime({ store, workflows: [paying({ by, note })] });
  const found: string[] = [];
  const effects = (): number => readNotes(place.notes).filter(({ op }) => op === 'effect').length;
  try {
    const before = effects();
    const { taken } = await runtime.recover();
    const result: RunResult<unknown> | undefined = await taken[0]?.run.result;
    if (result?.status !== 'in_doubt' || result.calls.length !== 1) return [`is not in doubt: ${JSON.stringify(result)}`];
    const [call] = result.calls;
    const step = call?.callId.split('/').at(-1) ?? '';
    if (JSON.stringify(call?.describe) !== JSON.stringify({ tool: 'change', args: { step } })) found.push(`shows ${JSON.stringify(call)}`);
    const again = await (await runtime.resume('r')).result;
    if (again.status !== 'in_doubt' || effects() !== before) found.push('went on without a word');
    if (as === 'retry') note({ op: 'retry', by, run: 'r', key: call?.callId ?? '' });
    const resolution = as === 'done' ? ({ as, output: step } as const) : ({ as } as const);
    const end = await (await runtime.resolve('r', call?.callId ?? '', resolution)).result;
    const isAsTold =
      as === 'abort'
        ? end.status !== 'in_doubt' && !(end.status === 'done' && end.output === 'pay,post')
        : ended(end, 'pay,post').length === 0;
    if (!isAsTold) found.push(`${as} ended as ${JSON.stringify(end)}`);
    return found;
  } finally {
    await runtime.close();
    await store.close();
  }
}

interface Boundary {
  readonly point: string;
  readonly number: number;
}

/** The workloads of the sweep: what a process does that may die on its way. */
const workloads: Readonly<Record<string, Workload>> = {
  keyed: { calls: [['start', 'keyed', 'r', 't']], output: keyedOutput },
  paying: { calls: [['start', 'paying', 'r', 't']], output: 'pay,post' },
  fork: {
    calls: [
      ['start', 'keyed', 'r', 't'],
      ['fork', 'r', 'both#1'],
    ],
    output: keyedOutput,
    from: 'fork.before', // the run before is that of `keyed`
  },
  /** The first change takes longer than a third of the lease. */
  renewing: {
    calls: [['start', 'paying', 'r', 't']],
    output: 'pay,post',
    from: 'renew.before',
    to: 'renew.after',
    how: { leaseMs: 600, holds: 'until renewed' },
  },
};

/** What a process of the sweep does, and which of its boundaries are looked at. */
interface Workload {
  readonly calls: readonly (readonly [FaultyCommand['call'], ...string[]])[];
  readonly output: string;
  readonly from?: string;
  readonly to?: string;
  readonly how?: Omit<FaultyProcessOptions, 'by'>;
}

async function obey(child: FaultyChild, { calls }: Workload): Promise<void> {
  for (const [call, ...args] of calls) await child.call(call, ...args);
}

/** Every boundary that a workload comes to, in its order. */
async function boundariesOf({ places }: FaultOptions, workload: Workload): Promise<readonly Boundary[]> {
  const place = await places.create();
  const child = await faultyChild(place, { by: 'calm', ...workload.how });
  await obey(child, workload);
  const reply = await child.call('points');
  child.kill('SIGKILL');
  await child.ended;
  const counts = new Map<string, number>();
  const points = reply?.result as readonly string[];
  const from = workload.from === undefined ? 0 : points.indexOf(workload.from);
  const to = workload.to === undefined ? points.length : points.indexOf(workload.to) + 1;
  const all = points.map((point) => {
    const number = (counts.get(point) ?? 0) + 1;
    counts.set(point, number);
    return { point, number };
  });
  return all.slice(from, to);
}

/** F03: a kill at every boundary of every commit, and a life after it that ends as a calm one. `count` says at how many, spread over all. */
export const everyBoundary: Fault = {
  row: 'F03',
  what: 'SIGKILL at every boundary of a commit: before and after intent, effect, result, node, answer, timer, settlement, fork, thread',
  asked: Number.POSITIVE_INFINITY,
  async make(options) {
    const all: (Boundary & { readonly name: string; readonly workload: Workload })[] = [];
    for (const [name, workload] of Object.entries(workloads)) {
      all.push(...(await boundariesOf(options, workload)).map((boundary) => ({ ...boundary, name, workload })));
    }
    const chosen = options.count >= all.length ? all : all.filter((_, index) => (index * options.count) % all.length < options.count);
    const violations: string[] = [];
    const reached = await inLanes({ ...options, count: chosen.length }, 2, async (number) => {
      const boundary = chosen[number];
      if (!boundary) return;
      const { point, number: nth, name, workload } = boundary;
      const place = await options.places.create();
      const child = await faultyChild(place, { by: 'dying', killAt: { point, number: nth }, ...workload.how });
      await obey(child, workload);
      child.kill('SIGKILL');
      await child.ended;
      const found = [...(await goOn(place, workload)), ...(await violationsAt(place))];
      violations.push(...found.map((line) => `${name}, killed at ${point} ${nth}: ${line}`));
    });
    return { reached, violations, seen: { boundaries: all.length, names: new Set(all.map(({ point }) => point)).size } };
  },
};

/** Another process goes on with what was left: doubts are settled by what has really happened. */
async function goOn(place: FaultPlace, workload: Workload): Promise<readonly string[]> {
  const note = notesIn(place.notes);
  const by = 'next';
  const store = recordedStore(place.open(), { by, note });
  const world = { by, note };
  const runtime = createRuntime({ store, workflows: [keyed(world), paying(world)] });
  const found: string[] = [];
  try {
    for (const { id } of await runtime.list()) {
      let run = await runtime.resume(id);
      for (let rests = 0; rests < 20; rests++) {
        const result = await run.result;
        if (result.status === 'waiting') {
          run = result.interrupt
            ? await runtime.send(id, { type: 'SAY', text: 'yes' }, { interruptId: result.interrupt.id })
            : await runtime.resume(id);
        } else if (result.status === 'in_doubt') {
          const key = result.calls[0]?.callId ?? '';
          const isDone = readNotes(place.notes).some((one) => one.op === 'effect' && one.key === key);
          if (!isDone) note({ op: 'retry', by, run: id, key });
          run = await runtime.resolve(id, key, isDone ? { as: 'done', output: key.split('/').at(-1) ?? '' } : { as: 'retry' });
        } else {
          found.push(...ended(result, workload.output));
          break;
        }
      }
    }
    const thread = await store.readThread('t');
    if (thread && (thread.revision !== 1 || thread.activeRun !== undefined)) found.push(`the thread is ${JSON.stringify(thread)}`);
    return found;
  } finally {
    await runtime.close();
    await store.close();
  }
}

/** F04: a process that commits without a pause, killed wherever it is; what it has acknowledged is there, and the database is sound. */
export const insideCommits: Fault = {
  row: 'F04',
  what: 'SIGKILL inside a commit: the database opens, is sound, and holds all that was acknowledged',
  asked: 500,
  async make(options): Promise<FaultOutcome> {
    const violations: string[] = [];
    const { places, random } = options;
    let place: FaultPlace | undefined;
    const reached = await inLanes(options, 1, async (number) => {
      if (number % 20 === 0 || !place) place = await places.create();
      const id = `r_${number}`;
      const child = startChild('store-process.ts', ['commit-forever', place.address, id, '40000'], { env: place.env });
      await child.line(Math.floor(random() * 12));
      child.kill('SIGKILL');
      await child.ended;
      const acknowledged = Number(child.lines.at(-1));
      const store = place.open();
      const { length } = await store.journal(id);
      await store.close();
      if (length !== acknowledged && length !== acknowledged + 1) violations.push(`${id}: ${acknowledged} acknowledged, ${length} there`);
      violations.push(...(await place.unsound()));
    });
    return { reached, violations };
  },
};
