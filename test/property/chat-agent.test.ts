import { createRuntime, type Json, memoryStore, noTaint, type RunEvent, type RunStore, type Tool, toGraph } from 'agent-machines';
import { type ChatAgentRuleInputs, type ChatAgentState, chatAgent } from 'agent-machines/machines/chat-agent';
import { emptyWindow, type WindowMessage } from 'agent-machines/memory';
import { offlineModel } from 'agent-machines/models';
import { crashingStore, edgeCoverage } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machine } from '../../machines/chat-agent/machine.ts';
import { expectSame } from '../fixtures/expect-same.ts';
import { share } from '../fixtures/share.ts';
import { withoutTimes } from '../fixtures/without-times.ts';
import { textTool } from '../machines/chat-agent/helpers.ts';
import { answerAll, heldAfter, heldCalls, reviewAnswers, tapedMachine } from './taped-machine.ts';

const nodes = ['router', 'rag', 'memory', 'agent', 'tools'] as const;
type NodeName = (typeof nodes)[number];
type Place = NodeName | 'tool_review' | 'done' | 'stopped';

/** The edge table of the workflow, written down a second time and in other words. */
function edgeTable(node: NodeName, after: ChatAgentState, threw: boolean): Place {
  if (threw) return 'stopped';
  if (node === 'agent') return after.pendingCalls.length === 0 ? 'done' : 'tools';
  if (node === 'router' && after.route === 'rag') return 'rag';
  if (node === 'tools' && after.heldCalls.length > 0) return 'tool_review';
  return node === 'memory' || node === 'tools' ? 'agent' : 'memory';
}

const call = fc.record({ id: fc.constantFrom('a', 'b'), name: fc.constantFrom('x', 'y'), arguments: fc.string() });
const message: fc.Arbitrary<WindowMessage> = fc.record({
  id: fc.string(),
  message: fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content: fc.string() }),
});
const passage = fc.record({ source: fc.string(), heading: fc.string(), text: fc.string(), score: fc.nat() });
/** What a node may come back with: a change of any shape that fits the state, or a throw. */
const outcome = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      {
        route: fc.constantFrom('rag' as const, 'agent' as const, null),
        context: fc.array(passage, { maxLength: 2 }),
        turnMessages: fc.array(message, { maxLength: 2 }),
        pendingCalls: fc.array(call, { maxLength: 2 }),
        toolRounds: fc.nat(6),
        heldCalls,
        taint: fc.record({ private: fc.boolean(), untrusted: fc.boolean() }),
        answer: fc.option(fc.string()),
        sources: fc.array(fc.string(), { maxLength: 2 }),
        tokens: fc.record({ sent: fc.nat(99), full: fc.nat(99) }),
        window: fc.constant(emptyWindow),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constant('throw' as const) },
);
const tapes = fc.array(outcome, { maxLength: 14 });

const input = {
  input: '질문',
  turnId: 'r',
  currentDatetime: '',
  window: emptyWindow,
  maxToolRounds: 5,
  availableTools: [],
  taint: noTaint,
};

const taped = tapedMachine<NodeName, ChatAgentState>({ machine, nodes, input, rest: { pendingCalls: [] } });

describe('the machine of chat-agent', () => {
  it('follows the edge table for results of any shape, and covers every edge', async () => {
    const coverage = edgeCoverage(toGraph(machine));
    await fc.assert(
      fc.asyncProperty(tapes, reviewAnswers, async (tape, answers) => {
        const { workflow } = taped.workflow(tape);
        const runtime = createRuntime({ limits: { nodeVisits: 30 }, workflows: [workflow] });
        const run = runtime.start(workflow, input);
        await answerAll(runtime, run, answers);
        const journal = await runtime.history(run.id);
        const events = journal.flatMap((entry) => entry.events);
        coverage.add(events);
        // the state after each outcome, folded from the journal alone
        let state = { ...input, pendingCalls: [], route: null, heldCalls: [] } as unknown as ChatAgentState;
        const expected: string[] = [];
        for (const { kind, key, outcome: made } of journal) {
          if (kind === 'event') {
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
      { numRuns: share(1_500, 300) },
    );
    expect(coverage.missing()).toEqual([]);
  });

  it('runs on its table, on XState and live under createActor with the same path and the same state', async () => {
    await fc.assert(
      fc.asyncProperty(tapes, reviewAnswers, (tape, answers) => taped.expectSameOnEveryEngine(tape, answers)),
      { numRuns: share(300) },
    );
  });
});

// --- the real nodes, with a model that says anything ---

const granted = ['echo', 'flaky', 'search'];
const anyCall = fc.record({
  id: fc.constantFrom('call_1', 'call_1', 'call_2', '', '__proto__'),
  name: fc.constantFrom('echo', 'echo', 'flaky', 'search', 'shell', 'Echo'),
  arguments: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Json>({ text: 'x' }, { text: 'y' }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<Json>({ text: 1 }, {}, 'not json', '[]', { text: 'x', more: 1 }, '{"text":"x","__proto__":{}}'),
    },
  ),
});
const agentReply: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 4 }).map((toolCalls) => ({ toolCalls }) as unknown as Json) },
  { weight: 2, arbitrary: fc.constantFrom<Json>('an answer', '내 이름은 철수야', '---SUMMARY_BREAK---') },
);
const oneTurn = fc.record({
  question: fc.constantFrom('내 이름은 철수야', '연차는 며칠이야?', 'x', '---SUMMARY_BREAK---'),
  route: fc.constantFrom<Json>(
    { route: 'agent', reason: '' },
    { route: 'agent', reason: '' },
    { route: 'rag', reason: '' },
    { route: 'rag', reason: '' },
    'rag',
  ),
  replies: fc.array(agentReply, { minLength: 3, maxLength: 3 }),
  summary: fc.constantFrom('요약', '', 'longer '.repeat(100), 'throw'),
});
const world = fc.record({
  turns: fc.array(oneTurn, { minLength: 1, maxLength: 6 }),
  allowEgress: fc.boolean(),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const maxToolRounds = 2;

/** The workflow in a world. The model answers by what it is asked, so that a restart meets the same world. */
function inWorld({ turns, allowEgress }: World) {
  const made: { tool: string; text: string }[] = [];
  const tool = (name: string, answer: (text: string) => Json, external = false): Tool => {
    const one = textTool(name, answer, { external });
    return {
      ...one,
      execute: (args, context) => {
        made.push({ tool: name, text: String(args.text) });
        return one.execute(args, context);
      },
    };
  };
  const tools = [
    tool('echo', (text) => `<${text}>`),
    tool('flaky', () => {
      throw new Error('flaky');
    }),
    tool('search', (text) => ({ found: text }), true),
  ];
  const turnOf = ({ input }: { readonly input: string }) => turns[Number(input.split(' ')[0])];
  const offered: (readonly string[])[] = [];
  const model = offlineModel<ChatAgentRuleInputs>({
    'chat_agent.router': ({ ruleInput }) => turnOf(ruleInput)?.route ?? 'nothing',
    'chat_agent.memory': () => {
      const { summary } = turns[0] ?? { summary: '' };
      if (summary === 'throw') throw new Error('no summary');
      return summary === '' ? ' ' : summary;
    },
    'chat_agent.agent': ({ ruleInput, tools = [] }) => {
      offered.push(tools.map(({ name }) => name));
      const { turnMessages } = ruleInput;
      const round = turnMessages.filter(({ message }) => message.role === 'assistant').length;
      return turnOf(ruleInput)?.replies[round] ?? 'nothing';
    },
  });
  const retriever = { search: async () => [{ source: 'a.md', heading: '', text: 'private', score: 1 }] };
  return {
    workflow: chatAgent({ model, tools, retriever, allowEgress, maxToolRounds, window: { maxMessages: 6, keepRecent: 2 } }),
    made,
    offered,
  };
}

/** A human who wants nothing of what is asked. */
const rejections = Array.from({ length: 50 }, () => ({ type: 'REJECT', reason: 'no' }));

async function converse({ turns }: World, workflow: ReturnType<typeof inWorld>['workflow'], store: RunStore) {
  const runtime = createRuntime({ store, workflows: [workflow] });
  const ended = [];
  for (const [i, { question }] of turns.entries()) {
    const run = runtime.start(workflow, { input: `${i} ${question}` }, { threadId: 't' });
    const result = await answerAll(runtime, run, rejections);
    if (!('finalState' in result)) throw new Error(JSON.stringify(result));
    const entries = await runtime.history(run.id);
    ended.push({ runId: run.id, result, path: entries.filter(({ kind }) => kind === 'node').map(({ key }) => key.replace(/#.*/, '')) });
  }
  const thread = (await store.readThread('t'))?.state as unknown as { window: ChatAgentState['window'] };
  return { ended, ...thread };
}

/** Without what differs between two equal runs. */
const withoutChance = (value: unknown, ids: readonly string[]): unknown =>
  withoutTimes(JSON.parse(ids.reduce((text, id, i) => text.replaceAll(id, `run-${i}`), JSON.stringify(value))));

describe('chat-agent with arbitrary model answers', () => {
  it('answers each call once, in order and under its id, calls only granted tools, and ends within its rounds', async () => {
    const seen: Record<string, number> = { done: 0, stopped: 0, summarized: 0, refused: 0, duplicates: 0, rejected: 0 };
    const count = (name: string, when = true): void => {
      if (when) seen[name] = (seen[name] ?? 0) + 1;
    };
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { workflow, made, offered } = inWorld(any);
        const { ended, window } = await converse(any, workflow, memoryStore());
        // and the conversation's own search, once something of it is out of sight
        const withSearch = [...granted, 'search_conversation'].join();
        expect(offered.filter((names) => names.join() !== granted.join() && names.join() !== withSearch)).toEqual([]);
        expect((offered[0] ?? granted).join()).toBe(granted.join());
        expect(made.filter(({ tool }) => !granted.includes(tool))).toEqual([]);
        for (const { result, path } of ended) {
          count(result.finalState);
          // once more after what waited has been decided
          expect(path.filter((node) => node === 'tools').length).toBeLessThanOrEqual(maxToolRounds * 2);
          expect(path.filter((node) => node === 'agent').length).toBeLessThanOrEqual(maxToolRounds + 1);
        }
        // in what stays of the thread: behind each message with calls, their answers and nothing between
        window.messages.forEach(({ message }, index) => {
          if (message.role !== 'assistant' || !message.toolCalls) return;
          const ids = message.toolCalls.map(({ id }) => id);
          const answers = window.messages.slice(index + 1, index + 1 + ids.length).map((one) => one.message);
          expect(answers.map((one) => (one.role === 'tool' ? one.callId : 'none'))).toEqual(ids);
          expect(window.messages[index + 1 + ids.length]?.message.role).not.toBe('tool');
          count('duplicates', new Set(ids).size < ids.length);
          message.toolCalls.forEach(({ name }, i) => {
            const text = answers[i]?.content ?? '';
            if (!granted.includes(name)) expect(text).toContain('TOOL_UNKNOWN');
            count('refused', text.startsWith('{"error"'));
            count('rejected', text.includes('CALL_REJECTED'));
          });
        });
        const first = window.messages[0]?.message.role;
        expect(first).not.toBe('tool'); // its call would be out of sight
        expect(new Set(window.messages.map(({ id }) => id)).size).toBe(window.messages.length);
        count('summarized', window.summaries.length > 0);
        // a stopped turn leaves nothing, a finished one all of it
        const kept = ended.filter(({ result }) => result.finalState === 'done').map(({ runId }) => runId);
        const here = new Set(
          [...window.messages.map(({ id }) => id), ...window.summaries.flatMap(({ messageIds }) => messageIds)].map(
            (id) => id.split('/')[0],
          ),
        );
        expect([...here].filter((id) => !kept.includes(id ?? ''))).toEqual([]);
      }),
      { numRuns: share(400) },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(share(10));
  });

  it('sends nothing out after reading private data, unless that is allowed', async () => {
    let [sent, kept] = [0, 0];
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { workflow, made } = inWorld(any);
        const runtime = createRuntime({ workflows: [workflow] });
        let tainted = false;
        for (const [i, { question, route }] of any.turns.entries()) {
          const before = made.length;
          const run = runtime.start(workflow, { input: `${i} ${question}` }, { threadId: 't' });
          const result = await answerAll(runtime, run, rejections);
          const isRag = typeof route === 'object' && (route as { route: string }).route === 'rag';
          const out = made.slice(before).filter(({ tool }) => tool === 'search').length;
          if ((tainted || isRag) && !any.allowEgress) {
            expect(out).toBe(0);
            kept++;
          }
          sent += out;
          tainted ||= isRag && result.status === 'done' && result.finalState === 'done';
        }
      }),
      { numRuns: share(200) },
    );
    expect([sent > share(50), kept > share(50)]).toEqual([true, true]);
  });

  it('ends like an uninterrupted run after a crash before any journal entry', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const last = any.turns.length - 1;
        const text = `${last} ${any.turns[last]?.question ?? ''}`;
        const before = { ...any, turns: any.turns.slice(0, -1) };
        const prepare = async () => {
          const store = memoryStore();
          const ids = (await converse(before, inWorld(any).workflow, store)).ended.map(({ runId }) => runId);
          return { store, ids };
        };
        const threadIn = async (store: RunStore) => ({ thread: (await store.readThread('t'))?.state ?? null });
        const calm = await prepare();
        const calmWorkflow = inWorld(any).workflow;
        const calmRuntime = createRuntime({ store: calm.store, workflows: [calmWorkflow] });
        const calmRun = calmRuntime.start(calmWorkflow, { input: text }, { threadId: 't' });
        const expected = withoutChance({ result: await answerAll(calmRuntime, calmRun, rejections), ...(await threadIn(calm.store)) }, [
          ...calm.ids,
          calmRun.id,
        ]);
        for (let at = 1; ; at++) {
          const { store, ids } = await prepare();
          const dying = crashingStore(store, at);
          const { workflow } = inWorld(any);
          const dyingRuntime = createRuntime({ store: dying, workflows: [workflow] });
          const run = dyingRuntime.start(workflow, { input: text }, { threadId: 't' });
          await answerAll(dyingRuntime, run, rejections).catch(() => undefined);
          if (!dying.crashed) break;
          crashes++;
          const runtime = createRuntime({ store, workflows: [workflow] });
          const resumed = await runtime.resume(run.id, { force: true });
          expect(
            withoutChance({ result: await answerAll(runtime, resumed, rejections), ...(await threadIn(store)) }, [...ids, run.id]),
          ).toEqual(expected);
        }
      }),
      { numRuns: share(40) },
    );
    expect(crashes).toBeGreaterThan(share(100));
  });
});
