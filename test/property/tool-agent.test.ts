import { createRuntime, type Json, noTaint, type RunEvent, type Tool, toGraph } from 'agent-machines';
import { type ToolAgentRuleInputs, type ToolAgentState, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { crashResume, edgeCoverage } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machine } from '../../machines/tool-agent/machine.ts';
import { expectSame } from '../fixtures/expect-same.ts';
import { share } from '../fixtures/share.ts';
import { textTool } from '../fixtures/text-tools.ts';
import { withoutTimes } from '../fixtures/without-times.ts';
import { answerAll, heldAfter, heldCalls, reviewAnswers, tapedMachine } from './taped-machine.ts';

const nodes = ['agent', 'tools'] as const;
type NodeName = (typeof nodes)[number];
type Place = NodeName | 'tool_review' | 'answer_review' | 'done' | 'stopped';

/** The edge table of the workflow, written down a second time and in other words. */
function edgeTable(node: NodeName, after: ToolAgentState, threw: boolean): Place {
  if (threw) return 'stopped';
  if (node === 'agent' && after.pendingCalls.length > 0) return 'tools';
  if (node === 'tools' && after.heldCalls.length > 0) return 'tool_review';
  if (after.heldBy.length > 0) return 'answer_review';
  if (node === 'agent') return 'done';
  return after.outcome === 'stopped-early' ? 'done' : 'agent';
}

const call = fc.record({ id: fc.constantFrom('a', 'b'), name: fc.constantFrom('x', 'y'), arguments: fc.string() });
const message = fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content: fc.string() });
/** What a node may come back with: a change of any shape that fits the state, or a throw. */
const outcome = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record(
        {
          messages: fc.array(message, { maxLength: 2 }),
          pendingCalls: fc.array(call, { maxLength: 2 }),
          steps: fc.nat(11),
          heldCalls,
          heldBy: fc.constantFrom<readonly string[]>([], [], ['a'], ['a', 'b']),
          taint: fc.record({ private: fc.boolean(), untrusted: fc.boolean() }),
          answer: fc.option(fc.string()),
          output: fc.jsonValue() as fc.Arbitrary<Json>,
          outcome: fc.constantFrom('answered' as const, 'step-limit' as const, 'stopped-early' as const, null),
          usage: fc.record({ inputTokens: fc.nat(99), outputTokens: fc.nat(99) }),
        },
        { requiredKeys: [] },
      )
      // half of the held answers are texts, so that a human's text may replace them
      .map((patch) => (patch.heldBy?.length === 1 ? { ...patch, output: patch.answer ?? null, answer: patch.answer ?? null } : patch)),
  },
  { weight: 1, arbitrary: fc.constant('throw' as const) },
);
const tapes = fc.array(outcome, { maxLength: 14 });
/** A held answer may be the first that a human sees. */
const humanAnswers = fc
  .tuple(fc.boolean(), reviewAnswers)
  .map(([replaces, answers]) => (replaces ? [{ type: 'REPLACE', answer: 'z' }, ...answers] : answers));

const input = { input: '질문', history: [], currentDatetime: '', maxSteps: 10, availableTools: [], taint: noTaint, egressGranted: false };

const taped = tapedMachine<NodeName, ToolAgentState>({
  machine,
  nodes,
  input,
  rest: { pendingCalls: [], heldCalls: [], heldBy: [], outcome: null },
});

describe('the machine of tool-agent', () => {
  it('follows the edge table for results of any shape, and covers every edge', async () => {
    const coverage = edgeCoverage(toGraph(machine));
    await fc.assert(
      fc.asyncProperty(tapes, humanAnswers, async (tape, answers) => {
        const { workflow } = taped.workflow(tape);
        const runtime = createRuntime({ limits: { nodeVisits: 30 }, workflows: [workflow] });
        const run = runtime.start(workflow, input);
        await answerAll(runtime, run, answers);
        const journal = await runtime.history(run.id);
        const events = journal.flatMap((entry) => entry.events);
        coverage.add(events);
        // the state after each outcome, folded from the journal alone
        let state = { ...input, pendingCalls: [], heldCalls: [], heldBy: [] } as unknown as ToolAgentState;
        const expected: string[] = [];
        for (const { kind, key, outcome: made } of journal) {
          if (kind === 'event' && expected.at(-1)?.endsWith('-> answer_review')) {
            const { event } = made as unknown as { readonly event: { readonly type: string } };
            expected.push(`answer_review -> ${event.type === 'REJECT' ? 'stopped' : 'done'}`);
          } else if (kind === 'event') {
            state = { ...state, heldCalls: heldAfter(state.heldCalls, made) };
            expected.push(`tool_review -> ${state.heldCalls.length > 0 ? 'tool_review' : 'tools'}`);
          } else if (kind === 'node') {
            const { output } = made as { readonly output?: object };
            state = { ...state, ...output };
            const node = key.replace(/#.*/, '') as NodeName;
            expected.push(`${node} -> ${edgeTable(node, state, !output)}`);
          }
        }
        const edges = events.filter((event): event is Extract<RunEvent, { type: 'edge' }> => event.type === 'edge');
        expectSame(
          edges.map(({ from, to }) => `${from} -> ${to}`),
          expected,
        );
      }),
      { numRuns: share(1_000, 200) },
    );
    expect(coverage.missing()).toEqual([]);
  });

  it('runs on its table, on XState and live under createActor with the same path and the same state', async () => {
    await fc.assert(
      fc.asyncProperty(tapes, humanAnswers, (tape, answers) => taped.expectSameOnEveryEngine(tape, answers)),
      { numRuns: share(100) },
    );
  });
});

// --- the real nodes, with a model that says anything ---

const anyCall = fc.record({
  id: fc.constantFrom('call_1', 'call_1', 'call_2', '', '__proto__'),
  name: fc.constantFrom('echo', 'echo', 'flaky', 'pay', 'shell', 'Echo'),
  arguments: fc.constantFrom<Json>({ text: 'x' }, { text: 'x' }, { text: 'y' }, { text: 1 }, 'not json', '{"text":"x","__proto__":{}}'),
});
const reply: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 4 }).map((toolCalls) => ({ toolCalls }) as unknown as Json) },
  { weight: 1, arbitrary: fc.constantFrom<Json>('an answer', '{"text": 1}') },
);
const world = fc.record({ replies: fc.array(reply, { maxLength: 4 }) });

const maxSteps = 3;

/** The workflow in a world. The model answers by what it is asked, so that a restart meets the same world. */
function inWorld({ replies }: typeof world extends fc.Arbitrary<infer T> ? T : never) {
  const paid: string[] = [];
  const tools: readonly Tool[] = [
    textTool('echo', async ({ text }) => `<${text}>`),
    textTool('flaky', async () => {
      throw new Error('flaky');
    }),
    textTool('pay', async ({ text }) => paid.push(String(text)), { effect: 'once', needsApproval: true }),
  ];
  const model = offlineModel<ToolAgentRuleInputs>({
    'tool_agent.agent': ({ ruleInput: { messages } }) =>
      replies[messages.filter(({ role }) => role === 'assistant').length] ?? 'the last answer',
  });
  return { workflow: toolAgent({ model, tools, maxSteps }), paid };
}

describe('tool-agent with arbitrary model answers', () => {
  it('answers every call under its id before the next model call, and ends within its steps', async () => {
    await fc.assert(
      fc.asyncProperty(world, reviewAnswers, async (any, answers) => {
        const { workflow, paid } = inWorld(any);
        const runtime = createRuntime({ workflows: [workflow] });
        const run = runtime.start(workflow, { input: 'q' });
        const result = (await answerAll(runtime, run, answers)) as Awaited<ReturnType<typeof runtime.start>['result']>;
        if (!('finalState' in result)) throw new Error(JSON.stringify(result));
        const history = await runtime.history(run.id);
        const patches = history.flatMap(({ kind, outcome: made }) =>
          kind === 'node' ? [(made as unknown as { readonly output: Partial<ToolAgentState> }).output] : [],
        );
        const messages = patches.flatMap(({ messages: added = [] }) => added);
        const asked = messages.flatMap((one) => (one.role === 'assistant' ? (one.toolCalls ?? []).map(({ id }) => id) : []));
        const answered = messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : []));
        expect(answered).toEqual(asked);
        const { output } = result as { readonly output: { readonly steps: number } };
        const withCalls = patches.filter(({ pendingCalls = [] }) => pendingCalls.length > 0).length;
        expect(output.steps).toBe(withCalls);
        expect(output.steps).toBeLessThanOrEqual(maxSteps);
        const approved = history.filter(
          ({ kind, outcome: made }) => kind === 'event' && (made as { event: { type: string } }).event.type !== 'REJECT',
        );
        expect(paid.length).toBeLessThanOrEqual(approved.length);
      }),
      { numRuns: share(300) },
    );
  });

  it('ends like an uninterrupted run after a crash before any journal entry', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const options = { compare: (end: unknown) => withoutTimes(end), resolve: () => ({ as: 'done', output: 1 }) as const };
        crashes += (await crashResume(() => inWorld(any).workflow, { input: 'q' }, options)).crashes;
      }),
      { numRuns: share(25) },
    );
    expect(crashes).toBeGreaterThan(share(60));
  });
});
