import { type AnyWorkflow, defineMachine, defineState, defineWorkflow } from 'agent-machines';
import { exploreMachine, never } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';

// A reducer may look at the items of a list, although a promise reads nothing but its length.

interface Tags {
  readonly tags: readonly string[];
}
type Human = { readonly type: 'ADD'; readonly tag: string } | { readonly type: 'MORE' } | { readonly type: 'END' };
type Reducer = (before: readonly string[], more: readonly string[]) => readonly string[];

const byItems: Readonly<Record<string, Reducer>> = {
  'adds what is new': (before, more) => [...new Set([...before, ...more])],
  'removes what is there': (before, [tag = '']) => (before.includes(tag) ? before.filter((each) => each !== tag) : [...before, tag]),
  'skips one text': (before, more) => [...before, ...more.filter((tag) => tag !== 'x')],
};
const byLength: Readonly<Record<string, Reducer>> = {
  'keeps the last three': (before, more) => [...before, ...more].slice(-3),
  'keeps the first three': (before, more) => [...before, ...more].slice(0, 3),
};

const textOf = (event: unknown): Extract<Human, { type: 'ADD' }> => {
  const tag: unknown = Object(event).tag;
  if (typeof tag !== 'string') throw new Error('no tag');
  return { type: 'ADD', tag };
};

/** Tags that a human adds, or that a node returns again and again. */
const workflows: Readonly<Record<string, (reducer: Reducer) => AnyWorkflow>> = {
  'a human': (reducer) => {
    const state = defineState<Tags, null, null, Human>({
      reducers: { tags: (before, more) => [...reducer(before, more)] },
      events: {
        ADD: {
          schema: { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] },
          parse: (event) => textOf(event),
          patch: (_state, { tag }) => ({ tags: [tag] }),
        },
      },
    });
    const machine = defineMachine(state, {
      id: 'tags',
      initial: 'wait',
      context: () => ({ tags: [] }),
      states: { wait: { waiting: { ADD: { target: 'wait', reenter: true }, END: 'end' } }, end: { final: true } },
    });
    return defineWorkflow({ machine, nodes: {} }) as unknown as AnyWorkflow;
  },
  'a node': (reducer) => {
    const machine = defineMachine(
      defineState<Tags, null, null, Human>({ reducers: { tags: (before, more) => [...reducer(before, more)] } }),
      {
        id: 'tags',
        initial: 'read',
        context: () => ({ tags: [] }),
        states: {
          read: { node: 'read', done: 'wait', error: 'end' },
          wait: { waiting: { MORE: 'read', END: 'end' } },
          end: { final: 'success' },
        },
      },
    );
    return defineWorkflow({ machine, nodes: { read: async () => ({}) } }) as unknown as AnyWorkflow;
  },
};

describe.each(Object.entries(workflows))('tags of %s', (_, make) => {
  it.each(Object.entries(byItems))('are not proven to stay few with a reducer that %s', (_name, reducer) => {
    for (const count of [2, 3, 6, 20]) {
      const isMany = never('many', ({ state }) => Object(state.tags).length >= count);
      expect(isMany.check(exploreMachine(make(reducer), { maxStates: 500 })).verdict).not.toBe('holds');
    }
  });

  it.each(Object.entries(byLength))('are proven to stay few with a reducer that %s', (_name, reducer) => {
    const atMost = (count: number) => never('many', ({ state }) => Object(state.tags).length > count).check(exploreMachine(make(reducer)));
    expect(atMost(3)).toEqual({ verdict: 'holds' });
    expect(atMost(2).verdict).toBe('broken');
  });
});
