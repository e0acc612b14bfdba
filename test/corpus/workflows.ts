// The machines of the corpus. Never change one: what is stored has to go on with it. Add another one instead.
import { type AnyWorkflow, type ChatModel, subWorkflow } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { calculator } from 'agent-machines/tools';
import { drafts } from '../fixtures/drafts.ts';
import { failure, final, type LogHandler, type LogWorkflowOptions, logWorkflow, node, says, waiting } from '../fixtures/log-workflow.ts';
import { echo } from '../fixtures/text-tools.ts';
import { contract } from '../machines/contract-agent/helpers.ts';
import { knowledge } from '../machines/guide-agent/helpers.ts';

const ends = { done: final, failed: failure };
const region = (event: string) => ({ initial: 'ask', states: { ask: waiting({ [event]: 'said' }), said: { type: 'final' } } });
const works = (src: string) => ({ initial: src, states: { [src]: node(src, 'end', 'end'), end: { type: 'final' } } });
const make = (options: LogWorkflowOptions): AnyWorkflow => logWorkflow(options) as AnyWorkflow;
const pays: LogHandler = async (_state, io) => ({
  log: [await io.step('pay', async () => 'paid', { effect: 'once', describe: { euros: 5 } })],
});

const asks = make({ id: 'asks', states: { ask: waiting({ SAY: 'b' }), b: node('b', 'done'), ...ends }, nodes: { b: says('b') } });

/** Asks for a payment, and says that it was made once it was: it remembers nothing, as it is made anew where a run goes on. */
const payer: ChatModel = {
  name: 'payer',
  generate: (request) =>
    scriptedModel([
      request.messages.some(({ role }) => role === 'tool')
        ? { reply: 'Paid.' }
        : { reply: { toolCalls: [{ id: 'c1', name: 'pay', arguments: { text: '10' } }] } },
    ]).generate(request),
};

/** Workflows by their name in files of the corpus. A shipped workflow that needs no model or tool of a test is its draft. */
export const corpusWorkflows: Readonly<Record<string, () => AnyWorkflow>> = {
  ...Object.fromEntries([...drafts].map(([name, draft]) => [name, () => draft])),
  review: () =>
    make({
      id: 'review',
      states: { a: node('a', 'ask'), ask: waiting({ SAY: 'b', GO: 'a' }), b: node('b', 'done'), ...ends },
      nodes: { a: says('a'), b: says('b') },
      questions: { ask: ({ log }) => ({ read: log }) },
    }),
  chain: () =>
    make({
      id: 'chain',
      states: { a: node('a', 'b'), b: node('b', 'c'), c: node('c', 'done'), ...ends },
      nodes: {
        a: says('a'),
        b: async (_state, io) => ({ log: [await io.step('one', async () => 'b1'), await io.step('two', async () => 'b2')] }),
        c: says('c'),
      },
    }),
  regions: () =>
    make({
      id: 'regions',
      states: {
        both: { type: 'parallel', states: { left: region('GO'), right: region('STOP') }, onDone: { target: 'b' } },
        b: node('b', 'done'),
        ...ends,
      },
      nodes: { b: says('b') },
    }),
  beside: () =>
    make({
      id: 'beside',
      states: { both: { type: 'parallel', states: { left: works('l'), right: works('r') }, onDone: { target: 'done' } }, done: final },
      nodes: { l: says('l'), r: says('r') },
    }),
  nested: () =>
    make({
      id: 'nested',
      states: {
        outer: {
          initial: 'a',
          states: { a: node('a', 'ask', '#nested.failed'), ask: waiting({ GO: 'end' }), end: { type: 'final' } },
          onDone: { target: 'b' },
        },
        b: node('b', 'done'),
        ...ends,
      },
      nodes: { a: says('a'), b: says('b') },
    }),
  pays: () => make({ id: 'pays', states: { a: node('a', 'b'), b: node('b', 'done'), ...ends }, nodes: { a: pays, b: says('b') } }),
  sleeps: () =>
    make({
      id: 'sleeps',
      states: { sleep: { after: { 3600000: { target: 'b', actions: 'merge' } } }, b: node('b', 'done'), ...ends },
      nodes: { b: says('b') },
    }),
  expires: () =>
    make({
      id: 'expires',
      states: { ask: waiting({ GO: 'b' }, { 60000: { target: 'late' } }), b: node('b', 'done'), late: node('late', 'done'), ...ends },
      nodes: { b: says('b'), late: says('late') },
    }),
  calls: () =>
    make({
      id: 'calls',
      states: { a: node('a', 'done'), ...ends },
      nodes: {
        a: subWorkflow(
          asks as never,
          { toInput: () => ({ log: ['in'] }), toPatch: ({ output }: { output: string }) => ({ log: [output] }) } as never,
        ) as never,
      },
    }),
  remembers: () =>
    make({
      id: 'remembers',
      states: { a: node('a', 'ask'), ask: waiting({ SAY: 'done' }), ...ends },
      nodes: { a: says('a') },
      thread: { initial: [], next: (_thread, { state }) => state.log },
    }),
  'tool-agent': () =>
    toolAgent({
      model: payer,
      tools: [echo('pay', { risk: 'high', needsApproval: true } as never)],
    }) as AnyWorkflow,
  'chat-agent': () => chatAgent({ tools: [calculator()] }) as AnyWorkflow,
  'contract-agent': () => contractAgent({ contracts: [{ contract }] }) as AnyWorkflow,
  'guide-agent': () => guideAgent({ knowledge }) as AnyWorkflow,
};
