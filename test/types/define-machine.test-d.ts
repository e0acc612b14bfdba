// Checked by `tsc --noEmit`: what the short form of a machine must refuse.
import {
  append,
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  final,
  nested,
  node,
  parallel,
  parallelNodes,
  schemaState,
  type Workflow,
  waiting,
} from 'agent-machines';
import { z } from 'zod';

const schema = z.object({ topic: z.string(), text: z.string().default(''), score: z.number().default(0) });
const state = schemaState(schema, { events: { APPROVE: null, REVISE: z.object({ text: z.string() }) } });
const good = { id: 'm', initial: 'write', guards: { isGood: ({ score }: { score: number }) => score > 7 } } as const;
const ends = { done: final(), failed: final('failure') };
const machine = defineMachine(state, {
  ...good,
  output: ({ text }) => text,
  states: {
    write: node('write', {
      done: [
        { guard: 'isGood', target: 'review' },
        { target: 'write', reenter: true },
      ],
      error: 'failed',
    }),
    review: waiting({ APPROVE: 'done', REVISE: 'write' }, { after: { 1000: 'failed' } }),
    ...ends,
  },
});

type Text = { topic: string; text: string; score: number };
const workflow: Workflow<{ topic: string }, Text, string> = defineWorkflow({
  machine,
  nodes: { write: async ({ topic }) => ({ text: topic }) },
});
export const output: Promise<string> = createRuntime()
  .start(workflow, { topic: 'otters' })
  .result.then((result) => (result.status === 'done' ? result.output : ''));

// names of nodes, and the types of states and inputs
// @ts-expect-error a node is missing
defineWorkflow({ machine, nodes: {} });
// @ts-expect-error a node that the machine does not have
defineWorkflow({ machine, nodes: { write: async () => ({}), other: async () => ({}) } });
// @ts-expect-error a patch of another type
defineWorkflow({ machine, nodes: { write: async () => ({ text: 1 }) } });
// @ts-expect-error a key that the caller does not give
void createRuntime().start(workflow, { topic: 'otters', text: 'mine' });
// @ts-expect-error a key that must be given
void createRuntime().start(workflow, {});

// targets
// @ts-expect-error a target that does not exist
defineMachine(state, { ...good, states: { write: node('write', { done: 'dnoe', error: 'failed' }), ...ends } });
// @ts-expect-error an error edge to nowhere
defineMachine(state, { ...good, states: { write: node('write', { done: 'done', error: 'fialed' }), ...ends } });
const lost = [{ guard: 'isGood', target: 'x' }, 'done'] as const;
// @ts-expect-error the target of a guarded edge
defineMachine(state, { ...good, states: { write: node('write', { done: lost, error: 'failed' }), ...ends } });
// @ts-expect-error the target of an event
defineMachine(state, { ...good, states: { write: waiting({ APPROVE: 'dnoe' }), ...ends } });
// @ts-expect-error the target of a timer
defineMachine(state, { ...good, states: { write: waiting({ APPROVE: 'done' }, { after: { 1000: 'x' } }), ...ends } });
// @ts-expect-error the end of parallel nodes
defineMachine(state, { ...good, states: { write: parallelNodes(['a', 'b'], { done: 'x', error: '#m.failed' }), ...ends } });
// @ts-expect-error a machine of another name
defineMachine(state, { ...good, states: { write: parallelNodes(['a', 'b'], { done: 'done', error: '#n.failed' }), ...ends } });
// @ts-expect-error a state that the machine does not have
defineMachine(state, { ...good, states: { write: parallelNodes(['a', 'b'], { done: 'done', error: '#m.fialed' }), ...ends } });
// @ts-expect-error a first state that does not exist
defineMachine(state, { ...good, initial: 'wirte', states: { write: node('write', { done: 'done', error: 'failed' }), ...ends } });

// guards and events
defineMachine(state, {
  ...good,
  // @ts-expect-error an undeclared guard
  states: { write: node('write', { done: [{ guard: 'isBad', target: 'done' }, 'done'], error: 'failed' }), ...ends },
});
// @ts-expect-error an event that nobody has declared
defineMachine(state, { ...good, states: { write: waiting({ APROVE: 'done' }), ...ends } });
// @ts-expect-error a guard over a key that the state does not have
defineMachine(state, { ...good, guards: { isGood: ({ points }) => points > 7 }, states: { write: final() } });

// states as data, also inside a group
const worked = { work: { node: 'work', done: 'end', error: '#m.failed' }, end: { final: true } } as const;
const group = nested({ initial: 'work', states: worked, done: 'done' });
export const asData = defineMachine(state, { ...good, states: { write: group, ...ends } });
defineWorkflow({ machine: asData, nodes: { work: async () => ({}) } });
// @ts-expect-error a missing node of a group
defineWorkflow({ machine: asData, nodes: {} });
// @ts-expect-error an initial state outside the group
nested({ initial: 'done', states: worked });

// states as data inside a group inside the machine
const inline = defineMachine(state, {
  ...good,
  states: {
    write: nested({
      initial: 'work',
      states: {
        work: { node: 'work', done: [{ guard: 'isGood', target: 'ask' }, 'end'], error: '#m.failed' },
        ask: { waiting: { APPROVE: 'end' } },
        end: { final: true },
      },
      done: 'done',
    }),
    ...ends,
  },
});
defineWorkflow({ machine: inline, nodes: { work: async () => ({}) } });
// @ts-expect-error a missing node of the group
defineWorkflow({ machine: inline, nodes: {} });
const isolated = { work: { node: 'work', done: 'end', error: '#m.failed' }, end: { final: true } } as const;
defineMachine(state, {
  ...good,
  // @ts-expect-error a missing sibling inside
  states: { write: nested({ initial: 'end', states: { ...isolated, ask: { waiting: { APPROVE: 'edn' } } }, done: 'done' }), ...ends },
});
defineMachine(state, {
  ...good,
  // @ts-expect-error an undeclared guard inside
  states: { write: nested({ initial: 'end', states: { end: { waiting: { APPROVE: { guard: 'isBad', target: 'end' } } } } }), ...ends },
});
defineMachine(state, {
  ...good,
  // @ts-expect-error an undeclared event inside
  states: { write: nested({ initial: 'end', states: { end: { waiting: { APROVE: 'end' } } } }), ...ends },
});

// inside states
const work = node('work', { done: 'end', error: '#m.failed' });
const region = nested({ initial: 'work', states: { work, end: final() } });
export const both = defineMachine(state, {
  ...good,
  states: {
    write: nested({ initial: 'work', states: { work, end: final() }, done: 'both' }),
    both: parallel({
      states: { left: region, right: nested({ initial: 'ask', states: { ask: waiting({ APPROVE: 'end' }), end: final() } }) },
      done: 'done',
    }),
    ...ends,
  },
});
defineWorkflow({ machine: both, nodes: { work: async () => ({}) } });
// @ts-expect-error a node inside a state is missing
defineWorkflow({ machine: both, nodes: {} });
const outside = nested({ initial: 'work', states: { work: node('work', { done: 'end', error: 'failed' }), end: final() }, done: 'done' });
// @ts-expect-error a state outside the group without the machine's id
defineMachine(state, { ...good, states: { write: outside, ...ends } });
// @ts-expect-error a first state that is not inside
nested({ initial: 'run', states: { work, end: final() } });
defineMachine(state, {
  ...good,
  states: {
    // @ts-expect-error an undeclared event inside a region
    write: parallel({ states: { a: nested({ initial: 'ask', states: { ask: waiting({ GO: 'end' }), end: final() } }) }, done: 'done' }),
    ...ends,
  },
});

// a state without a schema
const kit = defineState<Text, { topic: string }, string>();
defineMachine(kit, { ...good, context: ({ topic }) => ({ topic, text: '', score: 0 }), states: { write: final() } });
// @ts-expect-error nothing says what it begins with
defineMachine(kit, { ...good, states: { write: final() } });

// schemas
schemaState(schema, { input: ['topic', 'text'] });
// @ts-expect-error a key that the state does not have
schemaState(schema, { input: ['topc'] });
// @ts-expect-error a reducer of a text that gives a list
schemaState(schema, { reducers: { text: append } });
const remarks = { REMARK: z.object({ remark: z.string() }) };
schemaState(schema, { events: remarks, onEvent: { REMARK: ({ text }, { remark }) => ({ text: text + remark }) } });
// @ts-expect-error a patch of another type
schemaState(schema, { events: remarks, onEvent: { REMARK: () => ({ text: 1 }) } });
// @ts-expect-error a field that the event does not have
schemaState(schema, { events: remarks, onEvent: { REMARK: (_state, { words }) => ({ text: words }) } });
// @ts-expect-error an event that is not declared
schemaState(schema, { events: { REMARK: null }, onEvent: { OTHER: () => ({}) } });
