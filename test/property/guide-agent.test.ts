import {
  createRuntime,
  defineWorkflow,
  engineOf,
  type HumanEvent,
  type JournalEntry,
  type Json,
  memoryStore,
  noTaint,
  type Run,
  type RunEvent,
  type RunResult,
  type Runtime,
  toGraph,
  WorkflowError,
} from 'agent-machines';
import { type GuideAgentRuleInputs, guideAgent, guideAgentRules } from 'agent-machines/machines/guide-agent';
import { offlineModel } from 'agent-machines/models';
import { crashingStore, edgeCoverage } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createActor, toPromise, waitFor } from 'xstate';
import { machine } from '../../machines/guide-agent/machine.ts';
import type { GuideAgentState } from '../../machines/guide-agent/state.ts';
import { expectSame } from '../fixtures/expect-same.ts';
import { share } from '../fixtures/share.ts';
import { withoutTimes } from '../fixtures/without-times.ts';
import { knowledge, newMemory } from '../machines/guide-agent/helpers.ts';
import { heldAfter, heldCalls } from './taped-machine.ts';

const nodes = ['llm_router', 'planning_node', 'recommend_tool_node', 'tool_executor', 'guide_generation_node', 'reflection_node'] as const;
type NodeName = (typeof nodes)[number];
type Place = NodeName | 'human_review' | 'tool_review' | 'done' | 'cancelled' | 'stopped';

/** The edge table of the workflow, written down a second time and in other words. */
function edgeTable(node: NodeName, after: GuideAgentState, threw: boolean): Place {
  const planned = after.subTasks.length > 0;
  switch (node) {
    case 'llm_router':
      return threw ? 'stopped' : after.isComplexTask ? 'planning_node' : 'guide_generation_node';
    case 'planning_node':
      return planned ? 'human_review' : 'stopped'; // thrown or not: what counts is a plan
    case 'recommend_tool_node':
      if (threw) return 'stopped';
      if (after.pendingCalls.length > 0) return 'tool_executor';
      return after.currentTask < after.subTasks.length ? 'recommend_tool_node' : 'guide_generation_node';
    case 'tool_executor':
      if (threw) return 'stopped';
      return after.heldCalls.length > 0 ? 'tool_review' : 'recommend_tool_node';
    case 'guide_generation_node':
      return threw ? 'stopped' : after.isComplexTask ? 'reflection_node' : 'done';
    case 'reflection_node':
      return 'done';
  }
}

const humanEdges: Readonly<Record<string, Place>> = {
  APPROVE: 'recommend_tool_node',
  REVISE: 'planning_node',
  EDIT: 'human_review',
  CANCEL: 'cancelled',
};

const call = fc.record({ id: fc.constantFrom('c1', 'c2'), name: fc.constantFrom('a', 'b'), arguments: fc.constant('{}') });
/** What a node may come back with: a change of any shape that fits the state, or a throw. */
const outcome = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record(
      {
        isComplexTask: fc.boolean(),
        subTasks: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
        revision: fc.nat(3),
        userFeedback: fc.option(fc.constantFrom('f', 'g')),
        currentTask: fc.nat(3),
        pendingCalls: fc.array(call, { maxLength: 2 }),
        heldCalls,
        toolCallsUsed: fc.nat(4),
        finalGuide: fc.option(fc.constantFrom('', 'guide')),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constant('throw' as const) },
);
const humanEvent: fc.Arbitrary<HumanEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ type: 'APPROVE' }) },
  { weight: 3, arbitrary: fc.constantFrom('f', 'g').map((feedback) => ({ type: 'REVISE', feedback })) },
  {
    weight: 3,
    arbitrary: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1 }).map((sub_tasks) => ({ type: 'EDIT', sub_tasks })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'CANCEL' }) },
);
const reviewEvent = fc.constantFrom<HumanEvent>(
  { type: 'APPROVE' },
  { type: 'EDIT', arguments: { text: 'y' } },
  { type: 'REJECT', reason: 'no' },
  { type: 'DECIDE', decisions: { call_0: 'approve' } },
  { type: 'DECIDE', decisions: { call_0: { reject: 'no' }, step_1: 'approve' } },
);
const wrongEvent = fc.constantFrom<unknown>(
  { type: 'OK' },
  { type: 'APPROVE', now: true },
  { type: 'REVISE', feedback: ' ' },
  { type: 'EDIT', sub_tasks: [] },
  { type: 'EDIT', sub_tasks: ['x', 'x'] },
  'APPROVE',
);
/** Results of nodes, and what a human says, in turn; mostly of work that gets as far as a plan. */
const tapes = fc.record({
  outcomes: fc
    .tuple(
      fc.constantFrom<unknown>({ isComplexTask: true }, { isComplexTask: true }, { isComplexTask: true }, {}, 'throw'),
      fc.oneof({ weight: 4, arbitrary: fc.constant({ subTasks: ['x', 'y'], revision: 1 }) }, { weight: 1, arbitrary: outcome }),
      fc.array(outcome, { maxLength: 12 }),
    )
    .map(([first, second, rest]) => [first, second, ...rest]),
  events: fc.array(humanEvent, { maxLength: 6 }),
  /** What is said to calls that wait. */
  reviews: fc.array(reviewEvent, { maxLength: 6 }),
  wrong: fc.array(wrongEvent, { maxLength: 6 }),
});
type Tape = typeof tapes extends fc.Arbitrary<infer T> ? T : never;

/** Take the edges that chance takes once in 200 runs: from the reflection, and from the node before it. */
const failedAt = (at: number): Tape => ({
  outcomes: [{ isComplexTask: true }, { subTasks: ['x'], revision: 1 }, { currentTask: 1 }, {}, {}].with(at, 'throw' as never),
  events: [{ type: 'APPROVE' }],
  reviews: [],
  wrong: [],
});

const input = {
  input: '만들기',
  userId: 'u',
  messages: [],
  currentDatetime: '',
  maxToolCallsPerTask: 3,
  taint: noTaint,
  egressGranted: false,
};

/** The machine with nodes that answer from a tape, and what each of them saw. */
function taped({ outcomes }: Tape, engine?: 'xstate') {
  let at = 0;
  const seen: { node: NodeName; state: GuideAgentState }[] = [];
  const handler = (node: NodeName) => async (state: Readonly<GuideAgentState>) => {
    seen.push({ node, state });
    const next = outcomes[at++] ?? {};
    if (next === 'throw') throw new Error(`${node} threw`);
    const { heldCalls, ...patch } = next as Partial<GuideAgentState>;
    return node === 'tool_executor' && heldCalls ? { ...patch, heldCalls } : patch; // no other node of the workflow holds calls
  };
  const workflow = defineWorkflow({
    machine,
    nodes: Object.fromEntries(nodes.map((node) => [node, handler(node)])) as never,
    questions: { human_review: ({ revision, subTasks }: GuideAgentState) => ({ revision, sub_tasks: [...subTasks] }) },
    ...(engine ? { engine } : {}),
  });
  return { workflow, seen };
}

/** Says what the tape says whenever the run waits, wrong things first; a tape that is at its end cancels. */
async function converse(
  runtime: Runtime,
  run: Run<unknown>,
  { events, reviews = [], wrong }: Pick<Tape, 'events' | 'wrong'> & { readonly reviews?: Tape['reviews'] },
): Promise<RunResult<unknown>> {
  let result = await run.result;
  const answer = answerer({ events, reviews });
  for (let at = 0; result.status === 'waiting' && result.interrupt; at++) {
    const { interrupt } = result;
    const isReview = interrupt.key.startsWith('tool_review');
    // an edit of a plan is none of a call, and the other way round
    const mistake = wrong[at] ?? (isReview ? { type: 'EDIT', sub_tasks: ['x'] } : { type: 'EDIT', arguments: {} });
    await expect(runtime.send(run.id, mistake as HumanEvent, { interruptId: interrupt.id })).rejects.toBeDefined();
    const send = (event: HumanEvent) => runtime.send(run.id, event, { interruptId: interrupt.id });
    const said = answer(isReview);
    // a decision about other calls than those that wait
    const sent = await send(said).catch((error: unknown) => {
      if (said.type !== 'DECIDE' || !(WorkflowError.isInstance(error) && error.code === 'EVENT_NOT_ACCEPTED')) throw error;
      return send({ type: 'APPROVE' });
    });
    result = await sent.result;
  }
  return result;
}

/** What is said next to a plan, and to a call that waits. */
function answerer({ events, reviews }: Pick<Tape, 'events' | 'reviews'>): (isReview: boolean) => HumanEvent {
  const [left, reviewsLeft] = [[...events], [...reviews]];
  return (isReview) => ({ ...((isReview ? reviewsLeft : left).shift() ?? { type: isReview ? 'APPROVE' : 'CANCEL' }) });
}

const edgesOf = (events: readonly RunEvent[]) =>
  events.filter((event): event is Extract<RunEvent, { type: 'edge' }> => event.type === 'edge');

describe('the machine of guide-agent', () => {
  it('follows the edge table for results and answers of any shape, and covers every edge', async () => {
    const coverage = edgeCoverage(toGraph(machine));
    await fc.assert(
      fc.asyncProperty(tapes, async (tape) => {
        const { workflow } = taped(tape);
        const runtime = createRuntime({ limits: { nodeVisits: 30 }, workflows: [workflow] });
        const run = runtime.start(workflow, input);
        await converse(runtime, run, tape);
        const journal = await runtime.history(run.id);
        const events = journal.flatMap((entry) => entry.events);
        coverage.add(events);
        // the state after each outcome, folded from the journal alone
        let state = { ...input, ...blank } as unknown as GuideAgentState;
        const expected: string[] = [];
        for (const { kind, key, outcome: made } of journal) {
          const place = key.replace(/#.*/, '');
          if (kind === 'event') {
            const { event } = made as unknown as { event: HumanEvent };
            if (place === 'tool_review') {
              state = { ...state, heldCalls: heldAfter(state.heldCalls, made) };
              expected.push(`tool_review -> ${state.heldCalls.length > 0 ? 'tool_review' : 'tool_executor'}`);
              continue;
            }
            if (event.type === 'EDIT') state = { ...state, subTasks: event.sub_tasks as unknown as readonly string[] };
            expected.push(`human_review -> ${humanEdges[event.type]}`);
          } else if (kind === 'node') {
            const threw = 'error' in (made as object);
            if (!threw) state = { ...state, ...(made as unknown as { output: Partial<GuideAgentState> }).output };
            expected.push(`${place} -> ${edgeTable(place as NodeName, state, threw)}`);
          }
        }
        expectSame(
          edgesOf(events).map(({ from, to }) => `${from} -> ${to}`),
          expected,
        );
      }),
      { numRuns: share(1_500, 300), examples: [[failedAt(4)], [failedAt(3)]] },
    );
    expect(coverage.missing()).toEqual([]);
  });

  it('runs on its table, on XState and live under createActor with the same path and the same state', async () => {
    let reviewed = 0;
    await fc.assert(
      fc.asyncProperty(tapes, async (tape) => {
        const [table, xstate] = await Promise.all([drive(tape), drive(tape, 'xstate')]);
        expect([table.engine, xstate.engine]).toEqual(['table', 'xstate']);
        expectSame(table.seen, xstate.seen);
        expectSame(table.result, xstate.result);
        if (!('finalState' in table.result)) return; // past the limit of visits a live actor would go on for ever
        const { workflow, seen } = taped(tape);
        const actor = createActor(workflow.machine, { input: input as never }).start();
        for (const answer = answerer(tape); ; ) {
          const rests = await waitFor(actor, (snapshot) => snapshot.status !== 'active' || snapshot.hasTag('waiting'));
          if (rests.status !== 'active') break;
          reviewed++;
          const said = answer(rests.value === 'tool_review') as never;
          actor.send(rests.can(said) ? said : ({ type: 'APPROVE' } as never));
        }
        const output = await toPromise(actor);
        expectSame(
          { seen, value: actor.getSnapshot().value, output: JSON.parse(JSON.stringify(output)) },
          { seen: table.seen, value: table.result.finalState, output: table.result.output },
        );
      }),
      { numRuns: share(300) },
    );
    expect(reviewed).toBeGreaterThan(share(100));
  });
});

const blank = { subTasks: [], isComplexTask: false, pendingCalls: [], heldCalls: [], currentTask: 0 };

async function drive(tape: Tape, engine?: 'xstate') {
  const { workflow, seen } = taped(tape, engine);
  const runtime = createRuntime({ limits: { nodeVisits: 25 }, workflows: [workflow] });
  const result = await converse(runtime, runtime.start(workflow, input), { ...tape, wrong: [] });
  return { engine: engineOf(workflow).engine, seen, result: JSON.parse(JSON.stringify(result)) };
}

// --- the real nodes, with a model and a human who say anything ---

const anyCall = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('자막', '대본', '세금').map((query) => ({ name: 'retrieve_docs', arguments: { query } as Json })),
  },
  { weight: 1, arbitrary: fc.constant({ name: 'read_memory', arguments: { query: '무료' } as Json }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('무료', '노랑').map((text) => ({ name: 'write_memory', arguments: { kind: 'preference', text } as Json })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<{ name: string; arguments: Json }>(
      { name: 'send_money', arguments: { to: 'x' } },
      { name: 'retrieve_docs', arguments: 'not json' },
      { name: 'read_memory', arguments: { query: 'x', user_id: 'other' } },
    ),
  },
);
const recommendReply: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 4 }).map((toolCalls) => ({ toolCalls }) as unknown as Json) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('자막부엉', '대본여우', '캡션마스터')
      .map((service) => ({ service, reason: 'r', source_ids: [] }) as unknown as Json),
  },
  { weight: 1, arbitrary: fc.constantFrom<Json>('자막부엉', {}, { service: '', reason: '', source_ids: [] }) },
);
const planReply: fc.Arbitrary<Json> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .uniqueArray(fc.constantFrom('자막', '대본', '더빙'), { minLength: 2 })
      .map((sub_tasks) => ({ sub_tasks }) as unknown as Json),
  },
  { weight: 2, arbitrary: fc.constantFrom<Json>('승인', { sub_tasks: [] }, { sub_tasks: ['a', 'a'] }, { approved: true }) },
);
const world = fc.record({
  router: fc.constantFrom<Json>(
    { is_complex_task: true, reason: '' },
    { is_complex_task: true, reason: '' },
    { is_complex_task: false, reason: '' },
    'true',
  ),
  plans: fc.array(planReply, { minLength: 6, maxLength: 6 }),
  /** Visits of the planner that fail, and cannot be repaired. */
  failing: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  replies: fc.array(recommendReply, { minLength: 16, maxLength: 16 }),
  reflection: fc.constantFrom<Json>({ memories: [] }, { memories: [{ kind: 'preference', text: '무료' }] }, 'nothing'),
  events: fc.array(humanEvent, { minLength: 1, maxLength: 4 }),
  wrong: fc.array(wrongEvent, { maxLength: 4 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** The workflow in a world. The model answers by what it is asked, so that a restart meets the same world. */
function inWorld({ router, plans, failing, replies, reflection }: World) {
  const model = offlineModel<GuideAgentRuleInputs>({
    ...guideAgentRules,
    'guide_agent.llm_router': () => router,
    'guide_agent.planning_node': ({ ruleInput, messages }) => {
      const revisions = ruleInput.feedbacks.length;
      return failing[revisions - 1] ? '승인' : (plans[(revisions + messages.length) % 6] ?? '');
    },
    'guide_agent.recommend_tool_node': ({ ruleInput, messages }) => replies[(ruleInput.currentTask * 5 + messages.length) % 16] ?? '',
    'guide_agent.guide_generation_node': () => 'guide',
    'guide_agent.reflection_node': () => reflection,
  });
  const memory = newMemory();
  return { workflow: guideAgent({ knowledge, model, memory }), memory };
}

const nodeKeys = (entries: readonly JournalEntry[]): readonly string[] =>
  entries.flatMap(({ kind, key }) => (kind === 'node' || kind === 'event' ? [key.replace(/#.*/, '')] : []));
const textsOf = async (memory: ReturnType<typeof newMemory>, user: string) => (await memory.list(user)).map(({ text }) => text).sort();

describe('guide-agent with arbitrary answers of model and human', () => {
  it('looks for services only after an APPROVE of the latest plan, and within the budget', async () => {
    const ends: Record<string, number> = {
      done: 0,
      cancelled: 0,
      stopped: 0,
      approved: 0,
      unresolved: 0,
      recommended: 0,
      notice: 0,
      revised: 0,
    };
    const count = (name: string): void => {
      ends[name] = (ends[name] ?? 0) + 1;
    };
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { workflow, memory } = inWorld(any);
        const runtime = createRuntime({ workflows: [workflow] });
        const run = runtime.start(workflow, { input: '쇼츠 만들기', userId: 'kim' });
        const result = (await converse(runtime, run as Run<unknown>, any)) as RunResult<{
          readonly subTasks: readonly string[];
          readonly toolRecommendations: readonly { readonly sub_task: string; readonly status: string; readonly service: string }[];
        }>;
        if (!('finalState' in result)) throw new Error(JSON.stringify(result));
        count(result.finalState);
        const journal = await runtime.history(run.id);
        const path = nodeKeys(journal);
        // about the plan: a call of write_memory is asked about, too
        const questions = journal.flatMap((entry) =>
          entry.events.flatMap((event) =>
            event.type === 'interrupt' && event.interrupt.key.startsWith('human_review') ? [event.interrupt] : [],
          ),
        );
        const approvals = journal.flatMap(({ kind, outcome: made }, at) => {
          const { event, interrupt } = made as { readonly event?: { readonly type: string }; readonly interrupt: string };
          const isOfPlan = kind === 'event' && event?.type === 'APPROVE' && questions.some(({ id }) => id === interrupt);
          return isOfPlan ? [{ at, made: { interrupt } }] : [];
        });
        const last = questions.at(-1);
        if (questions.some(({ question }) => (question as { notice: string | null }).notice !== null)) count('notice');
        if (questions.length > 1) count('revised');
        const begun = path.indexOf('recommend_tool_node');
        expect(approvals.length).toBe(begun >= 0 ? 1 : 0);
        if (begun >= 0) {
          count('approved');
          expect(path[begun - 1]).toBe('human_review');
          expect(approvals[0]?.made.interrupt).toBe(last?.id);
          expect(last?.question).toMatchObject({ sub_tasks: result.output.subTasks });
        } else {
          expect(path).not.toContain('tool_executor');
          expect(await memory.list('kim')).toEqual([]);
        }
        if (result.finalState === 'done' && begun >= 0) {
          expect(result.output.toolRecommendations.map(({ sub_task }) => sub_task)).toEqual(result.output.subTasks);
        }
        for (const { status, service } of result.output.toolRecommendations) {
          count(status);
          expect(status === 'recommended' ? ['자막부엉', '대본여우'].includes(service) : service === '').toBe(true);
        }
        const tools = journal.flatMap(({ events }) => events.flatMap((event) => (event.type === 'tool-start' ? [event.tool] : [])));
        const inTasks = tools.length - (path.includes('reflection_node') ? tools.filter((tool) => tool === 'write_memory').length : 0);
        expect(inTasks).toBeLessThanOrEqual(3 * result.output.subTasks.length);
        expect(tools.filter((tool) => !['retrieve_docs', 'read_memory', 'write_memory'].includes(tool))).toEqual([]);
      }),
      { numRuns: share(600) },
    );
    expect(Object.entries(ends).filter(([, times]) => times <= share(10))).toEqual([]); // the walks were not all alike
  });

  it('ends like an uninterrupted run, with the same memories, after a crash before any journal entry', async () => {
    let crashes = 0;
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const calm = inWorld(any);
        const still = createRuntime({ workflows: [calm.workflow] });
        const begun = still.start(calm.workflow, { input: '쇼츠 만들기', userId: 'kim' });
        const expected = await converse(still, begun as Run<unknown>, { ...any, wrong: [] });
        const remembered = await textsOf(calm.memory, 'kim');
        for (let at = 1; ; at++) {
          const shaken = inWorld(any);
          const store = memoryStore();
          const dying = crashingStore(store, at);
          const first = createRuntime({ store: dying, workflows: [shaken.workflow] });
          const run = first.start(shaken.workflow, { input: '쇼츠 만들기', userId: 'kim' });
          await converse(first, run as Run<unknown>, { ...any, wrong: [] }).catch(() => undefined); // dead in the middle of an answer
          const { crashed } = dying;
          if (crashed) crashes++;
          const runtime = createRuntime({ store, workflows: [shaken.workflow] });
          const resumed = await runtime.resume(run.id, { force: true });
          const said = (await store.journal(run.id)).filter(({ kind }) => kind === 'event').length;
          const result = await converse(runtime, resumed, { events: any.events.slice(said), wrong: [] });
          expectSame(withoutTimes(result), withoutTimes(expected));
          expect(await textsOf(shaken.memory, 'kim')).toEqual(remembered);
          if (!crashed) break;
        }
      }),
      { numRuns: share(40) },
    );
    expect(crashes).toBeGreaterThan(share(100));
  });
});
