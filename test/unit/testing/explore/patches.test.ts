import { type AnyWorkflow, defineMachine, defineState, defineWorkflow, schemaState } from 'agent-machines';
import { exploreMachine, never, type Predicate } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { closedOver, type Order } from '../../../fixtures/closed-over.ts';

// The state decides what an event or a failure changes, and no guard and no promise reads what decides it.

const first: Order = { amount: 0, text: '', tags: [], fraud: false };
const schema = z.object({
  amount: z.number().default(0),
  text: z.string().default(''),
  tags: z.array(z.string()).default([]),
  fraud: z.boolean().default(false),
});
type Check = { readonly type: 'CHECK' };
type Form = (order: Order) => boolean;

const nodes = { read: async () => ({}), pay: async () => ({}) };
const ofEvent = {
  id: 'order',
  initial: 'read',
  states: { read: { node: 'read', done: 'wait', error: 'end' }, wait: { waiting: { CHECK: 'end' } }, end: { final: 'success' } },
} as const;
const ofFailure = {
  id: 'order',
  initial: 'read',
  states: { read: { node: 'read', done: 'pay', error: 'end' }, pay: { node: 'pay', done: 'end', error: 'end' }, end: { final: 'success' } },
} as const;
const { read } = nodes;

const made: Readonly<Record<string, (form: Form) => AnyWorkflow>> = {
  'an event, without a schema': (form) =>
    defineWorkflow({
      machine: defineMachine(defineState<Order, null, null, Check>({ events: { CHECK: { patch: (order) => ({ fraud: form(order) }) } } }), {
        ...ofEvent,
        context: () => first,
      }),
      nodes: { read },
    }) as unknown as AnyWorkflow,
  'an event': (form) =>
    defineWorkflow({
      machine: defineMachine(
        schemaState(schema, { events: { CHECK: null }, onEvent: { CHECK: (order) => ({ fraud: form(order) }) } }),
        ofEvent,
      ),
      nodes: { read },
    }) as unknown as AnyWorkflow,
  'an event, after declared returns': (form) =>
    defineWorkflow({
      machine: defineMachine(
        schemaState(schema, { events: { CHECK: null }, onEvent: { CHECK: (order) => ({ fraud: form(order) }) } }),
        ofEvent,
      ),
      nodes: { read },
      returns: { read: z.object({ amount: z.number(), text: z.string(), tags: z.array(z.string()) }) },
    } as never) as unknown as AnyWorkflow,
  'a failure, without a schema': (form) =>
    defineWorkflow({
      machine: defineMachine(defineState<Order, null, null>({ onError: (order) => ({ fraud: form(order) }) }), {
        ...ofFailure,
        context: () => first,
      }),
      nodes,
    }) as unknown as AnyWorkflow,
  'a failure': (form) =>
    defineWorkflow({
      machine: defineMachine(schemaState(schema, { onError: (order) => ({ fraud: form(order) }) }), ofFailure),
      nodes,
    }) as unknown as AnyWorkflow,
};

describe.each(Object.entries(made))('the patch of %s', (what, make) => {
  const ends: Predicate = ({ took }) => (what.startsWith('an event') ? took('wait', 'CHECK') : took('pay', 'error'));

  it.each(Object.entries(closedOver))('is not proven free of %s', (_form, form) => {
    const found = never('it is found', (moment) => ends(moment) && moment.state.fraud === true);
    expect(found.check(exploreMachine(make(form))).verdict).not.toBe('holds');
  });

  it('is proven to depend on nothing else', () => {
    const explored = exploreMachine(make(({ amount }) => amount > 4_711));
    const wrong = never('too early', (moment) => ends(moment) && moment.state.fraud === true && Number(moment.state.amount) < 4_711);
    expect(wrong.check(explored)).toEqual({ verdict: 'holds' });
  });
});

const wanted: Readonly<Record<string, Predicate>> = {
  'the first of a list': ({ state }) => Object(state.tags)[0] === 'xyzzy',
  'an item of a list': ({ state }) => Object(state.tags).includes('xyzzy'),
  'a length': ({ state }) => Object(state.tags).length > 5,
  'a member': ({ state }) => Object(state.customer).name === 'xyzzy',
};
const details = z.object({ tags: z.array(z.string()), customer: z.object({ name: z.string() }) });
const last = { tags: [], customer: { name: '' } };

describe.each(Object.entries(wanted))('%s', (_, predicate) => {
  const isWanted = never('it is found', predicate);

  it('is tried where a node declares what it returns', () => {
    const machine = defineMachine(defineState<z.infer<typeof details>, null, null>(), {
      id: 'details',
      initial: 'read',
      context: () => last,
      states: { read: { node: 'read', done: 'end', error: 'end' }, end: { final: 'success' } },
    });
    const workflow = defineWorkflow({ machine, nodes: { read: async () => last }, returns: { read: details } });
    expect(isWanted.check(exploreMachine(workflow as unknown as AnyWorkflow)).verdict).toBe('broken');
  });

  it('is tried in a field with another name', () => {
    type Told = { readonly type: 'TELL'; readonly words: readonly string[]; readonly person: { readonly name: string } };
    const state = defineState<z.infer<typeof details>, null, null, Told>({
      events: {
        TELL: {
          schema: z.object({ words: z.array(z.string()), person: z.object({ name: z.string() }) }),
          parse: (event) =>
            z.object({ type: z.literal('TELL'), words: z.array(z.string()), person: z.object({ name: z.string() }) }).parse(event),
          patch: (_state, { words, person }) => ({ tags: [...words], customer: person }),
        },
      },
    });
    const machine = defineMachine(state, {
      id: 'details',
      initial: 'wait',
      context: () => last,
      states: { wait: { waiting: { TELL: 'end' } }, end: { final: 'success' } },
    });
    const workflow = defineWorkflow({ machine, nodes: {} });
    expect(isWanted.check(exploreMachine(workflow as unknown as AnyWorkflow)).verdict).toBe('broken');
  });
});
