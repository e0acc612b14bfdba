import { memoryStore, type RunStore, subWorkflow } from 'agent-machines';
import { crashResume } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { failure, final, type LogHandler, type LogState, logWorkflow, node, says, waiting } from '../../fixtures/log-workflow.ts';

type Input = { readonly log?: readonly string[] };

/** Two steps in one node, a question, a timer, two nodes at once, and a workflow inside a node that asks, too. */
const everything = (calls: string[] = []) => {
  const step =
    (name: string): LogHandler =>
    async (_state, io) => ({
      log: await io.step(name, async () => {
        calls.push(name);
        return [name];
      }),
    });
  const inner = logWorkflow({
    id: 'inner',
    states: { x: node('x', 'ask'), ask: waiting({ SAY: 'done' }), done: final, failed: failure },
    nodes: { x: step('x') },
  });
  return logWorkflow({
    states: {
      a: node('a', 'ask'),
      ask: waiting({ SAY: 'night', STOP: 'failed' }, { 60000: 'failed' }),
      night: { after: { 3600000: 'both' } },
      both: {
        type: 'parallel',
        states: {
          left: { initial: 'run', states: { run: node('left', 'end', '#log.failed'), end: { type: 'final' } } },
          right: { initial: 'run', states: { run: node('right', 'end', '#log.failed'), end: { type: 'final' } } },
        },
        onDone: 'inside',
      },
      inside: node('inside', 'done'),
      done: final,
      failed: failure,
    },
    nodes: {
      a: async (state, io) => ({ log: [...((await step('a1')(state, io)).log ?? []), ...((await step('a2')(state, io)).log ?? [])] }),
      left: step('left'),
      right: step('right'),
      inside: subWorkflow<LogState, Input, LogState, string>(inner, {
        toInput: () => ({}),
        toPatch: ({ output }) => ({ log: [`[${output}]`] }),
      }),
    },
  });
};
const say = { answer: (_: unknown, index: number) => ({ type: 'SAY', text: `answer ${index}` }) };

describe('crashResume', () => {
  it('crashes before each write and reaches the same end with steps, questions, timers, regions and nested workflows', async () => {
    let calls: string[] = [];
    const written: number[] = [];
    const { result, crashes } = await crashResume(
      () => {
        calls = [];
        return everything(calls);
      },
      {},
      {
        ...say,
        onCrash: ({ at, journal }) => void written.push(at - journal.length),
        onEnd: (_, { journal }) => {
          const steps = journal.filter(({ kind }) => kind === 'step').length;
          expect(calls.length).toBeLessThanOrEqual(5 + 5 - steps); // what was recorded is not done again
        },
      },
    );
    expect(result).toMatchObject({ status: 'done', output: 'a1,a2,answer 0,left,right,[x,answer 1]' });
    expect(crashes).toBe(written.length);
    expect(crashes).toBeGreaterThan(15);
  });

  it('advances time if a question has no answer', async () => {
    const { result } = await crashResume(everything(), {}, { answer: () => undefined });
    expect(result).toMatchObject({ status: 'failed', resumable: false, finalState: 'failed', output: 'a1,a2' });
  });

  it('reports a different end of a run whose node is not deterministic', async () => {
    let times = 0;
    const forgetful = () => {
      times = 0;
      return logWorkflow({
        states: { a: node('a', 'b'), b: node('b', 'done'), done: final, failed: failure },
        nodes: { a: says('a'), b: async () => ({ log: [`b${++times}`] }) },
      });
    };
    await expect(crashResume(forgetful, {})).rejects.toThrow(
      /Expected the end of the run after a crash before write 2 \(last entry "a#1"\) to be .*a,b1.*, got .*a,b2/,
    );
  });

  it('detects a store that loses or changes entries', async () => {
    type Journal = Awaited<ReturnType<RunStore['journal']>>;
    /** A store whose journal is another one for everybody who comes after the first owner. */
    const faulty = (change: (journal: Journal) => Journal) => (): RunStore => {
      const store = memoryStore();
      let taken = false;
      return {
        ...store,
        acquire: (...args) => {
          taken = true;
          return store.acquire(...args);
        },
        journal: async (id) => (taken ? change(await store.journal(id)) : store.journal(id)),
      };
    };
    const stepping = () =>
      logWorkflow({
        states: { a: node('a', 'done'), done: final, failed: failure },
        nodes: { a: async (_state, io) => ({ log: [await io.step('x', async () => 'x')] }) },
      });
    const loses = faulty((journal) => journal.filter(({ kind }) => kind !== 'step'));
    await expect(crashResume(stepping, {}, { store: loses })).rejects.toThrow(/Expected the journal after a crash before write 2/);
    const changes = faulty((journal) =>
      journal.map((entry) => (entry.kind === 'step' ? { ...entry, outcome: { output: 'CHANGED' } } : entry)),
    );
    await expect(crashResume(stepping, {}, { store: changes })).rejects.toThrow(/CHANGED/);
  });

  it('resolves a call in doubt', async () => {
    let paid = 0;
    const paying = () => {
      paid = 0;
      return logWorkflow({
        states: { pay: node('pay', 'done'), done: final, failed: failure },
        nodes: {
          pay: async (_state, io) => ({ log: [await io.step('pay', async () => `receipt ${++paid}`, { effect: 'once' })] }),
        },
      });
    };
    const doubts: string[] = [];
    const { crashes } = await crashResume(
      paying,
      {},
      {
        resolve: ({ callId }) => {
          doubts.push(callId);
          return paid > 0 ? { as: 'done', output: 'receipt 1' } : { as: 'retry' };
        },
        onEnd: () => expect(paid).toBe(1),
      },
    );
    expect([crashes > 3, doubts]).toEqual([true, ['pay#1/pay']]);
  });
});
