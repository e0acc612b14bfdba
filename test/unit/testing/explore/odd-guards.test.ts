import { defineState, defineWorkflow, type Guard, type Workflow } from 'agent-machines';
import { exploreMachine } from 'agent-machines/testing';
import { expect, it } from 'vitest';
import { setup } from 'xstate';

interface OddState {
  readonly text: string;
  readonly items: readonly { readonly status: string; readonly n: number }[];
  readonly answer: string | null;
  readonly score: number;
  readonly limit: number;
  readonly when: string;
  readonly kind: string;
  readonly nested: { readonly deep?: { readonly flag?: boolean } } | null;
  readonly json: string;
  readonly tags: Readonly<Record<string, number>>;
}

const initial: OddState = {
  text: 'hello',
  items: [],
  answer: null,
  score: 0,
  limit: 5,
  when: '2020-01-01',
  kind: '',
  nested: null,
  json: '{}',
  tags: {},
};
const most = 37;
const word = 'zebra';
const kinds = new Set(['p', 'q']);

function decides(guard: Guard<OddState>): Workflow<unknown, OddState, unknown> {
  const kit = defineState<OddState, undefined, undefined>();
  const machine = setup({
    types: kit.types,
    actors: { judge: kit.slot('judge') },
    guards: kit.guards({ odd: guard }),
    actions: { merge: kit.merge },
  }).createMachine({
    id: 'odd',
    version: '1',
    initial: 'judge',
    context: initial,
    states: {
      judge: {
        invoke: {
          src: 'judge',
          input: ({ context }) => context,
          onDone: [
            { guard: 'odd', target: 'yes', actions: 'merge' },
            { target: 'no', actions: 'merge' },
          ],
          onError: { target: 'failed', actions: 'merge' },
        },
      },
      yes: { type: 'final' },
      no: { type: 'final' },
      failed: { type: 'final', tags: 'failure' },
    },
  });
  return defineWorkflow({ machine, nodes: { judge: async () => ({}) } }) as Workflow<unknown, OddState, unknown>;
}

/** Both edges of each can be taken: by this patch, and by what the state is. */
const odd: readonly (readonly [string, Guard<OddState>, Partial<OddState>])[] = [
  ['the length of a trimmed text', (s) => s.text.trim().length > 7, { text: '12345678' }],
  ['an empty text', (s) => !s.text, { text: '' }],
  ['a pattern', (s) => /^yes/i.test(s.answer ?? ''), { answer: 'Yes!' }],
  ['a member of some item', (s) => s.items.some((item) => item.status === 'bad' && item.n > 7), { items: [{ status: 'bad', n: 8 }] }],
  ['a sum', (s) => s.items.reduce((sum, { n }) => sum + n, 0) >= 100, { items: [{ status: '', n: 100 }] }],
  ['two numbers', (s) => s.score >= s.limit, { score: 5 }],
  ['a date', (s) => new Date(s.when) > new Date('2026-01-01'), { when: '2027-01-01' }],
  ['a list of words', (s) => ['x', 'y'].includes(s.kind), { kind: 'y' }],
  ['an imported set', (s) => kinds.has(s.kind), { kind: 'q' }],
  ['an imported word', (s) => s.kind === word, { kind: word }],
  ['an imported number', (s) => s.score > most, { score: 38 }],
  ['a remainder', (s) => s.score % 7 === 3, { score: 3 }],
  ['a deep member', (s) => s.nested?.deep?.flag === true, { nested: { deep: { flag: true } } }],
  ['a parsed text', (s) => JSON.parse(s.json).ok === true, { json: '{"ok":true}' }],
  ['the values of a record', (s) => Object.values(s.tags).some((value) => value > 2), { tags: { a: 3 } }],
  [
    'four conditions',
    (s) => s.score > 10 && s.kind === 'k' && s.text.startsWith('ab') && s.limit < 3,
    { score: 11, kind: 'k', text: 'ab', limit: 1 },
  ],
];

it.each(odd)('is complete only after it has seen both results of a guard on %s', (_what, guard, patch) => {
  const workflow = decides(guard);
  const { complete, cutOff, edgesNeverTaken } = exploreMachine(workflow);
  if (complete) expect(edgesNeverTaken).toEqual([]);
  else expect(cutOff).toEqual([expect.stringContaining('"odd"')]);

  const given = exploreMachine(workflow, { outcomes: { judge: [{ patch }, { patch: {} }] } });
  expect([given.complete, given.edgesNeverTaken]).toEqual([true, []]);
});
