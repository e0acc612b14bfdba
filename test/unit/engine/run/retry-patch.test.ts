import {
  createRuntime,
  defineMachine,
  defineWorkflow,
  type JsonObject,
  memoryStore,
  migrateRuns,
  type RunStore,
  type Runtime,
  schemaState,
} from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { share } from '../../../fixtures/share.ts';

const state = schemaState(
  z.object({ score: z.number().max(10).default(0), drafts: z.number().default(0), notes: z.string().default('') }),
  {
    reducers: { notes: (before, added) => before + added },
    events: { AGREE: null },
  },
);

interface Behaviour {
  /** Scores of `judge`, by visit. */
  readonly scores: readonly number[];
  /** The state `write` records a step, and waits. */
  readonly writeHangs?: boolean;
}

/** `judge` gives a score; a bad one is written again, a good one is published after a human has agreed. */
function review({ scores, writeHangs = false }: Behaviour) {
  const calls: string[] = [];
  const workflow = defineWorkflow({
    machine: defineMachine(state, {
      id: 'review',
      version: '1',
      initial: 'judge',
      guards: {
        isGood: ({ score }) => {
          if (score < 0) throw new Error('a negative score');
          return score > 5;
        },
      },
      output: ({ score, drafts, notes }) => ({ score, drafts, notes }),
      states: {
        judge: { node: 'judge', done: [{ guard: 'isGood', target: 'ask' }, 'write'], error: 'failed' },
        write: { node: 'write', done: 'judge', error: 'failed' },
        ask: { waiting: { AGREE: 'publish' } },
        publish: { node: 'publish', done: 'published', error: 'failed' },
        published: { final: true },
        failed: { final: 'failure' },
      },
    }),
    nodes: {
      judge: async (_state, io) => {
        calls.push('judge');
        const visit = Number(io.key.split('#')[1]);
        return { score: scores[visit - 1] ?? 9, notes: 'j' };
      },
      write: async ({ drafts }, io) => {
        calls.push('write');
        if (writeHangs) {
          await io.step('look', async () => 1);
          await new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason)));
        }
        return { drafts: drafts + 1, notes: 'w' };
      },
      publish: async (_state, io) => {
        calls.push('publish');
        await io.step('upload', async () => 'there', { effect: 'once' });
        return { notes: 'p' };
      },
    },
    questions: { ask: ({ score }) => `${score}` },
  });
  return { calls, workflow };
}

type Reviewed = ReturnType<typeof review>['workflow'];

/** Agrees whenever it is asked. */
async function toEnd(runtime: Runtime, workflow: Reviewed, runId: string) {
  for (;;) {
    const result = await (await runtime.of(workflow).resume(runId)).result;
    if (result.status !== 'waiting' || !result.interrupt) return result;
    await (await runtime.of(workflow).send(runId, { type: 'AGREE' }, { interruptId: result.interrupt.id })).result;
  }
}

async function failed(behaviour: Behaviour, nodeVisits: number) {
  const { calls, workflow } = review(behaviour);
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: [workflow] });
  const { id, result } = runtime.start(workflow, {}, { limits: { nodeVisits } });
  expect(await result).toMatchObject({ status: 'failed', resumable: true });
  return { calls, workflow, store, runtime, id };
}

const copyOf = async (store: RunStore, id: string) => structuredClone([await store.read(id), await store.journal(id)]);

/** Edges, starts and questions that the run's own machine has told, without those that a patch has made void. */
async function toldBy(runtime: Runtime, id: string): Promise<readonly string[]> {
  let told: string[] = [];
  let seq = 0;
  for (const { events } of await runtime.history(id)) {
    for (const event of events) {
      expect(event.seq).toBe(++seq);
      if (event.type === 'node-patched') told = told.slice(0, event.told);
      if (event.type === 'node-start') told.push(event.key);
      if (event.type === 'edge') told.push(`${event.from} -> ${event.to}`);
      if (event.type === 'interrupt') told.push(`ask ${event.interrupt.question}`);
    }
  }
  return told;
}

const limits = { nodeVisits: 30 };

describe('retry with a patch', () => {
  it('replaces fields in the result of the last node, and continues after it', async () => {
    const { calls, runtime, workflow, id } = await failed({ scores: [1, 2] }, 3);
    expect(calls).toEqual(['judge', 'write', 'judge']);
    expect(await (await runtime.retry(id, { patch: { score: 8 }, limits })).result).toMatchObject({
      status: 'waiting',
      interrupt: { question: '8' },
    });
    expect(await toEnd(runtime, workflow, id)).toMatchObject({ status: 'done', output: { score: 8, drafts: 1, notes: 'jwjp' } });
    expect(calls).toEqual(['judge', 'write', 'judge', 'publish']);
    const patched = (await runtime.history(id)).flatMap(({ events }) => events).filter(({ type }) => type === 'node-patched');
    expect(patched).toMatchObject([{ key: 'judge#2', fields: ['score'] }]);
  });

  it('repairs a result on which a guard throws', async () => {
    const { runtime, workflow, id } = await failed({ scores: [-1] }, 9);
    await expect(runtime.retry(id, { patch: { score: -2 } })).rejects.toMatchObject({
      code: 'PATCH_REFUSED',
      data: { reason: expect.stringContaining('a negative score') },
    });
    await runtime.retry(id, { patch: { score: 7 } });
    expect(await toEnd(runtime, workflow, id)).toMatchObject({ status: 'done', output: { score: 7 } });
  });

  it('may be changed again while the run fails again', async () => {
    const { runtime, workflow, id } = await failed({ scores: [1] }, 1);
    for (const score of [2, 3]) expect(await (await runtime.retry(id, { patch: { score } })).result).toMatchObject({ status: 'failed' });
    await (await runtime.retry(id, { patch: { score: 9, notes: 'x' }, limits })).result;
    expect(await toEnd(runtime, workflow, id)).toMatchObject({ status: 'done', output: { score: 9, notes: 'xp' } });
    expect(await toldBy(runtime, id)).toEqual(['judge#1', 'judge -> ask', 'ask 9', 'ask -> publish', 'publish#1', 'publish -> published']);
  });

  it('is kept by forks after it, and changed by a fork at it', async () => {
    const { runtime, workflow, id } = await failed({ scores: [1] }, 1);
    await (await runtime.retry(id, { patch: { score: 8, notes: 'x' }, limits })).result;
    await toEnd(runtime, workflow, id);
    const at = async (key: string, patch?: JsonObject) => {
      const fork = await runtime.fork(id, { at: key, repeatOnce: true, limits, ...(patch ? { patch } : {}) });
      return toEnd(runtime, workflow, fork.id);
    };
    expect(await at('publish#1')).toMatchObject({ output: { score: 8, notes: 'xp' } });
    expect(await at('judge#1', { score: 7 })).toMatchObject({ output: { score: 7, notes: 'xp' } });
    await expect(at('judge#1', { score: 11 })).rejects.toMatchObject({ code: 'PATCH_INVALID' });
    await expect(at('judge#1', { scroe: 7 })).rejects.toMatchObject({ code: 'PATCH_INVALID' });
    expect(await at('judge#1')).toMatchObject({ output: { score: 9, drafts: 1, notes: 'jwjp' } });
  });

  it.each<[string, Behaviour, number, JsonObject, RegExp]>([
    ['with a value that the state refuses', { scores: [1] }, 1, { score: 11 }, /does not take the new result/],
    ['with a field that the state does not have', { scores: [1] }, 1, { scroe: 8 }, /scroe/],
  ])('is refused %s, and nothing is written', async (_name, behaviour, visits, patch, reason) => {
    const { runtime, store, id } = await failed(behaviour, visits);
    const [record, journal] = await copyOf(store, id);
    await expect(runtime.retry(id, { patch, limits })).rejects.toMatchObject({
      code: 'PATCH_REFUSED',
      data: { reason: expect.stringMatching(reason) },
    });
    const [after, entries] = await copyOf(store, id);
    expect(entries).toEqual(journal);
    expect(after).toMatchObject({ status: 'failed', seq: (record as { seq: number }).seq });
  });

  it('is refused once a later node has recorded a step with the old result', async () => {
    const { workflow } = review({ scores: [1], writeHangs: true });
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [workflow], limits: { wallTimeMs: 50 } });
    const { id, result } = runtime.start(workflow, {});
    expect(await result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
    await expect(runtime.retry(id, { patch: { score: 8 } })).rejects.toMatchObject({
      code: 'PATCH_REFUSED',
      data: { reason: expect.stringContaining('write#1/look') },
    });
  });

  it('is refused once the machine has received an answer', async () => {
    const { runtime, workflow, id } = await failed({ scores: [1] }, 1);
    const waits = await (await runtime.retry(id, { patch: { score: 8 } })).result;
    if (waits.status !== 'waiting' || !waits.interrupt) throw new Error('no question');
    const answered = await runtime.of(workflow).send(id, { type: 'AGREE' }, { interruptId: waits.interrupt.id });
    expect(await answered.result).toMatchObject({ status: 'failed' });
    await expect(runtime.retry(id, { patch: { score: 1 } })).rejects.toMatchObject({
      code: 'PATCH_REFUSED',
      data: { reason: expect.stringContaining('ask#1') },
    });
  });

  it('is never dropped for the sake of another caller', async () => {
    const { runtime, id } = await failed({ scores: [1] }, 1);
    const ends = await Promise.allSettled([runtime.retry(id, { limits }), runtime.retry(id, { patch: { score: 8 }, limits })]);
    expect(ends[0].status).toBe('fulfilled');
    expect(ends[1]).toMatchObject({ reason: { code: 'RUN_BUSY' } });
  });

  it('leads to the same path, events and state as a node that had returned the patched result, after any number of restarts', async () => {
    const tape = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 5 });
    const patches = fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(tape, patches, async (scores, patched) => {
        // every visit of a judge with a bad score is followed by a visit of write
        const judged = scores.findIndex((score) => score > 5) + 1 || scores.length;
        const { store, id, workflow } = await failed({ scores }, 2 * judged - 1).catch(() => ({}) as Record<string, never>);
        if (!store) return; // a good score waits for a human, and no limit is reached
        for (const score of patched) {
          const runtime = createRuntime({ store, workflows: [workflow] });
          const { status } = await (await runtime.retry(id, { patch: { score } })).result;
          if (status === 'waiting') break;
          expect(status).toBe('failed');
        }
        const runtime = createRuntime({ store, workflows: [workflow] });
        const info = await runtime.get(id);
        const resumed = createRuntime({ store, workflows: [workflow] });
        if (info.status === 'failed') await (await resumed.retry(id, { limits })).result;
        else await (await resumed.resume(id, { limits })).result;
        const end = await toEnd(createRuntime({ store, workflows: [workflow], limits }), workflow, id);
        const results = (await runtime.history(id)).filter(({ kind, key }) => kind === 'node' && key === `judge#${judged}`);
        const { score } = z.object({ output: z.object({ score: z.number() }) }).parse(results.at(-1)?.outcome).output;
        const plain = review({ scores: scores.with(judged - 1, score) });
        const other = createRuntime({ workflows: [plain.workflow] });
        const run = other.start(plain.workflow, {}, { limits });
        await run.result;
        expect(end).toEqual(await toEnd(other, plain.workflow, run.id));
        expect(await toldBy(runtime, id)).toEqual(await toldBy(other, run.id));
      }),
      { numRuns: share(200) },
    );
  });
});

describe('retry with another patch', () => {
  const counter = schemaState(z.object({ n: z.number().default(0), out: z.string().default('') }), { events: { GO: null } });
  const counting = (version: string, n: number, questions = {}) =>
    defineWorkflow({
      machine: defineMachine(counter, {
        id: 'counting',
        version,
        initial: 'count',
        guards: {
          isDone: ({ n }) => {
            if (n < 0) throw new Error('negative');
            return n > 5;
          },
        },
        output: ({ n, out }) => `${n}${out}`,
        states: {
          count: { node: 'count', done: [{ guard: 'isDone', target: 'print' }, 'ask'], error: 'failed' },
          ask: { waiting: { GO: 'print' } },
          print: { node: 'print', done: 'printed', error: 'failed' },
          printed: { final: true },
          failed: { final: 'failure' },
        },
      }),
      nodes: { count: async () => ({ n }), print: async () => ({ out: '!' }) },
      questions,
      ...(version === '1' ? {} : { migrate: { from: '1' } }),
    });

  it('replaces an earlier patch when the run has failed again', async () => {
    const runtime = createRuntime();
    await runtime.start(counting('1', -1), {}, { runId: 'r', limits: { nodeVisits: 1 } }).result;
    const first = await (await runtime.retry('r', { patch: { n: 9 } })).result;
    expect(first).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
    const second = await (await runtime.retry('r', { patch: { n: 7 }, limits: { nodeVisits: 5 } })).result;
    expect(second).toMatchObject({ status: 'done', output: '7!' });
  });

  it('says the reason of a refusal as one sentence', async () => {
    const runtime = createRuntime();
    await runtime.start(counting('1', -1), {}, { runId: 'r' }).result;
    await expect(runtime.retry('r', { patch: { n: 'x' } })).rejects.toMatchObject({
      code: 'PATCH_REFUSED',
      message: expect.not.stringMatching(/\.\.$/),
    });
  });

  it('refuses a patch of a node before a migration, and writes nothing', async () => {
    const store = memoryStore();
    const old = counting('1', 3);
    await createRuntime({ store }).start(old, {}, { runId: 'r' }).result;
    let isBroken = false;
    const question = () => {
      if (isBroken) throw new Error('no question');
      return 'Go?';
    };
    const workflows = [counting('2', 3, { ask: question })];
    await migrateRuns({ store, workflows });
    isBroken = true;
    const runtime = createRuntime({ store, workflows });
    expect(await (await runtime.resume('r')).result).toMatchObject({ status: 'failed', resumable: true });
    isBroken = false;
    const before = await runtime.history('r');
    await expect(runtime.retry('r', { patch: { n: 4 } })).rejects.toMatchObject({ code: 'PATCH_REFUSED' });
    expect(await runtime.history('r')).toEqual(before);
    expect(await (await runtime.retry('r')).result).toMatchObject({ status: 'waiting' });
  });
});
