// A program that has its own host: the entry without runtime and store.
import { systemClock } from 'agent-machines';
import { append, defineMachine, defineState, drive, type Host, nodeLogic, type Outcome } from 'agent-machines/drive';
import { describe, expect, it } from 'vitest';

interface Said {
  readonly word: string;
  readonly said: readonly string[];
}

/** Keeps nothing: each piece of work runs once, in memory. */
const ownHost = (events: string[]): Host => ({
  runId: 'own',
  startedAt: 0,
  clock: systemClock,
  step: (_key, work) => work(),
  memo: (_node, _step, work) => work({ number: 1, idempotencyKey: 'own', signal: new AbortController().signal }),
  recorded: () => [],
  waitEvent: () => Promise.reject(new Error('nothing waits here')),
  sleep: () => new Promise<Outcome>(() => {}),
  next: (pending) => Promise.race([...pending].map(async ([key, outcome]) => [key, await outcome] as const)),
  emit: ({ type }) => void events.push(type),
  attempt: () => 1,
});

describe('the entry of the driver', () => {
  it('drives a machine with handlers on a host of its own', async () => {
    const state = defineState<Said, string, readonly string[]>({ reducers: { said: append } });
    const machine = defineMachine(state, {
      id: 'own',
      version: '1',
      initial: 'say',
      context: (word) => ({ word, said: [] }),
      output: ({ said }) => said,
      states: { say: { node: 'say', done: 'end', error: 'failed' }, end: { final: true }, failed: { final: 'failure' } },
    });
    const events: string[] = [];
    const actors = { say: nodeLogic<Said>(async ({ word }) => ({ said: [`${word}!`] })) };
    const end = await drive({ machine: machine.provide({ actors }) }, 'hello', ownHost(events));
    expect(end).toMatchObject({ output: ['hello!'] });
    expect(events).toContain('node-start');
  });
});
