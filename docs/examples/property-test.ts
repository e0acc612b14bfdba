import { defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { always, crashResume, never, until } from 'agent-machines/testing';
import { propertyTestWorkflow } from 'agent-machines/testing/fast-check';
import fc from 'fast-check';
import { z } from 'zod';

const ticket = z.object({ isSpam: z.boolean().default(false), answer: z.string().default(''), drafts: z.number().default(0) });
const support = defineWorkflow({
  machine: defineMachine(schemaState(ticket, { reducers: { drafts: (all, more) => all + more }, events: { SEND: null, AGAIN: null } }), {
    id: 'support',
    initial: 'sort',
    guards: { isSpam: ({ isSpam }) => isSpam, isTired: ({ drafts }) => drafts >= 2 },
    states: {
      sort: { node: 'sort', done: [{ guard: 'isSpam', target: 'archive' }, 'search'], error: 'failed' },
      search: { node: 'search', done: 'draft', error: 'draft' },
      draft: { node: 'draft', done: 'review', error: 'failed' },
      review: { waiting: { SEND: 'send', AGAIN: [{ guard: 'isTired', target: 'failed' }, 'draft'] }, after: { 86400000: 'failed' } },
      send: { node: 'send', done: 'archive', error: 'failed' },
      archive: { node: 'archive', done: 'closed', error: 'failed' },
      closed: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    sort: async () => ({ isSpam: false }),
    search: async () => ({}),
    draft: async () => ({ answer: 'Turn it off and on again.', drafts: 1 }),
    send: async () => ({}),
    archive: async () => ({}),
  },
});

// the test: whatever the five nodes come back with, whatever the human says, whatever is late
const promises = [
  until(
    'nothing is sent that nobody has read',
    ({ isIn }) => !isIn('send'),
    ({ took }) => took('review', 'SEND'),
  ),
  never('spam is answered', ({ isIn, state }) => state.isSpam && isIn('send')),
  always('nobody reads a third draft', ({ state, isIn }) => state.drafts <= 2 || !isIn('review')),
];
const patches = {
  sort: fc.record({ isSpam: fc.boolean() }),
  search: fc.constant({}),
  draft: fc.record({ answer: fc.string(), drafts: fc.constant(1) }),
};
const { runs, missingEdges } = await propertyTestWorkflow(support, { patches, invariants: promises, numRuns: 300 });
console.log(`${runs} runs, edges that none of them took: ${missingEdges.length}`);

const { result } = await crashResume(support, {}, { answer: () => ({ type: 'SEND' }) });
console.log(`the same end after a crash before any write: ${result.status}`);
