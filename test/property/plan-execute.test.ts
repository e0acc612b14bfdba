import { createRuntime, type JournalEntry, type Json, noTaint, type RunEvent, type Tool, toGraph, WorkflowError } from 'agent-machines';
import { type PlanExecuteRuleInputs, planExecute } from 'agent-machines/machines/plan-execute';
import { offlineModel } from 'agent-machines/models';
import { crashResume, edgeCoverage } from 'agent-machines/testing';
import { parsePlan } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { machine } from '../../machines/plan-execute/machine.ts';
import type { PlanExecuteState } from '../../machines/plan-execute/state.ts';
import { expectSame } from '../fixtures/expect-same.ts';
import { share } from '../fixtures/share.ts';
import { withoutTimes } from '../fixtures/without-times.ts';
import { textTool } from '../machines/plan-execute/helpers.ts';
import { answerAll, heldAfter, heldCalls, reviewAnswers, tapedMachine } from './taped-machine.ts';

const nodes = ['intent_classifier', 'planner', 'executor', 'replanner', 'final_answer', 'error_handler'] as const;
type NodeName = (typeof nodes)[number];
type Place = NodeName | 'tool_review' | 'done' | 'stopped';

/** The edge table of the workflow, written down a second time and in other words. */
function edgeTable(node: NodeName, after: PlanExecuteState, threw: boolean): Place {
  if (node === 'error_handler') return 'stopped';
  if (threw) return 'error_handler';
  const steps = after.plan.length;
  const lastWave = after.wave.length === 0 ? [] : after.pastSteps.slice(-after.wave.length);
  const broken = lastWave.filter((past) => past.status !== 'success').length > 0;
  switch (node) {
    case 'intent_classifier':
      return after.needsTool ? 'planner' : 'final_answer';
    case 'planner':
      return steps === 0 ? 'final_answer' : 'executor';
    case 'executor':
      if (broken) return after.replanCount >= after.maxReplans ? 'error_handler' : 'replanner';
      if (after.heldCalls.length > 0) return 'tool_review';
      return steps === 0 ? 'final_answer' : 'executor';
    case 'replanner':
      return steps === 0 ? 'error_handler' : 'executor';
    case 'final_answer':
      return 'done';
  }
}

const step = fc.record({ step_id: fc.integer({ min: 1, max: 9 }), tool: fc.constantFrom('a', 'b') });
const past = fc.record({
  step,
  status: fc.constantFrom('success' as const, 'failure' as const),
  startedAt: fc.nat(),
  durationMs: fc.nat(),
  attempts: fc.nat(3),
  signature: fc.string(),
  deduplicated: fc.boolean(),
});
/** What a node may come back with: a change of any shape that fits the state, or a throw. */
const outcome = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        needsTool: fc.boolean(),
        plan: fc.array(step, { maxLength: 2 }),
        pastSteps: fc.array(past, { maxLength: 3 }),
        wave: fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 3 }),
        replanCount: fc.nat(4),
        heldCalls,
        result: fc.option(fc.string()),
        rewrittenQuery: fc.string(),
        intent: fc.constantFrom('new_question', 'chitchat', null),
        constraints: fc.option(fc.string()),
        taint: fc.record({ private: fc.boolean(), untrusted: fc.boolean() }),
        acceptedSteps: fc.array(step, { maxLength: 2 }),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constant('throw' as const) },
);

const oneStep = { step_id: 1, tool: 'a' } as const;
const failedStep = {
  step: oneStep,
  status: 'failure',
  startedAt: 0,
  durationMs: 0,
  attempts: 1,
  signature: '',
  deduplicated: false,
} as const;
/** Takes the edge that chance takes once in 200 runs. */
const lostReplanner = [{ needsTool: true }, { plan: [oneStep] }, { wave: [1], pastSteps: [failedStep] }, 'throw' as const];

const input = { input: 'q', messages: [], currentDatetime: '', availableTools: ['a'], maxReplans: 2, taint: noTaint };

const taped = tapedMachine<NodeName, PlanExecuteState>({ machine, nodes, input });

describe('the machine of plan-execute', () => {
  it('follows the edge table for results of any shape, and covers every edge', async () => {
    const coverage = edgeCoverage(toGraph(machine));
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { maxLength: 14 }), reviewAnswers, async (tape, answers) => {
        const { workflow } = taped.workflow(tape);
        const runtime = createRuntime({ limits: { nodeVisits: 30 }, workflows: [workflow] });
        const run = runtime.start(workflow, input);
        await answerAll(runtime, run, answers);
        const journal = await runtime.history(run.id);
        const events = journal.flatMap((entry) => entry.events);
        coverage.add(events);
        // the state after each outcome, folded from the journal alone
        let state = { ...input, ...blank } as unknown as PlanExecuteState;
        const expected: string[] = [];
        for (const { kind, key, outcome: made } of journal) {
          if (kind === 'event') {
            state = { ...state, heldCalls: heldAfter(state.heldCalls, made) };
            expected.push(`tool_review -> ${state.heldCalls.length > 0 ? 'tool_review' : 'executor'}`);
          } else if (kind === 'node') {
            const { output } = made as { readonly output?: object };
            state = fold(state, output ?? {});
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
      { numRuns: share(2_000, 300), examples: [[lostReplanner, []]] },
    );
    expect(coverage.missing()).toEqual([]);
  });

  it('runs on its table, on XState and live under createActor with the same path and the same state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(outcome, { maxLength: 12 }), reviewAnswers, (tape, answers) =>
        taped.expectSameOnEveryEngine(tape, answers),
      ),
      { numRuns: share(300) },
    );
  });
});

const blank = { needsTool: false, plan: [], acceptedSteps: [], pastSteps: [], wave: [], replanCount: 0, heldCalls: [] };

const fold = (state: PlanExecuteState, patch: object): PlanExecuteState => {
  const { acceptedSteps = [], pastSteps = [], ...rest } = patch as Partial<PlanExecuteState>;
  return { ...state, ...rest, acceptedSteps: [...state.acceptedSteps, ...acceptedSteps], pastSteps: [...state.pastSteps, ...pastSteps] };
};

// --- the real nodes, with a model that says anything ---

const granted = ['good', 'flaky', 'pay'];
const toolName = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...granted) },
  { weight: 1, arbitrary: fc.constantFrom('forbidden', 'Good', 'gооd', 'rm') },
);
const planStep = fc
  .record({
    step_id: fc.integer({ min: 0, max: 12 }),
    tool: toolName,
    from: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 2 }),
    text: fc.constantFrom('x', 'y', 'z'),
    extra: fc.boolean(),
  })
  .map(({ step_id, tool, from, text, extra }) => ({
    step_id,
    tool,
    ...(from === null ? { input: text } : { input_from: `step_${from}` }),
    ...(extra && text === 'z' ? { extra } : {}),
  }));
/** Plans that are often right: ids that rise, references that look back. */
const likelyPlan = fc
  .tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.array(
      fc.record({ tool: toolName, text: fc.constantFrom('x', 'y', 'z'), back: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 2 }) }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([first, steps]) => ({
    steps: steps.map(({ tool, text, back }, i) => ({
      step_id: first + i,
      tool,
      ...(back !== null && i >= back ? { input_from: `step_${first + i - back}` } : { input: text }),
    })),
  }));
const planReply: fc.Arbitrary<Json> = fc.oneof(
  { weight: 8, arbitrary: likelyPlan as unknown as fc.Arbitrary<Json> },
  { weight: 2, arbitrary: fc.record({ steps: fc.array(planStep, { maxLength: 4 }) }) as unknown as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: fc.constantFrom<Json>({ steps: [] }, 'not a plan', [], { steps: null }, '{"steps":[]} and more') },
);
const intentReply = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      intent: fc.constantFrom('new_question', 'follow_up'),
      rewritten_query: fc.string(),
      needs_tool: fc.boolean(),
      constraints: fc.option(fc.string()),
    }) as unknown as fc.Arbitrary<Json>,
  },
  { weight: 1, arbitrary: fc.constantFrom<Json>('yes', {}, { needs_tool: true }) },
);
const world = fc.record({
  intent: intentReply,
  plans: fc.array(planReply, { minLength: 1, maxLength: 6 }),
  failures: fc.array(fc.boolean(), { maxLength: 12 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** The workflow in a world, and everything that was called in it. Models and tools answer by what they are asked, so that a restart meets the same world. */
function inWorld({ intent, plans, failures }: World) {
  const calls: string[] = [];
  const keys: string[] = [];
  const replies: { task: string; reply: Json }[] = [];
  const plan = (index: number): Json => plans[index] ?? { steps: [] };
  const answer = (task: string, reply: Json): Json => {
    replies.push({ task, reply });
    return reply;
  };
  const model = offlineModel<PlanExecuteRuleInputs>({
    'plan_execute.intent_classifier': ({ task }) => answer(task, intent),
    'plan_execute.planner': ({ task }) => answer(task, plan(0)),
    'plan_execute.replanner': ({ task, ruleInput }) => answer(task, plan(1 + (ruleInput.pastSteps.length % 5))),
    'plan_execute.final_answer': () => 'the answer',
  });
  const tool = (name: string, more: Partial<Tool>): Tool => ({
    ...textTool(name, () => null, more),
    async execute(args, { idempotencyKey }) {
      const text = String(args.text);
      calls.push(`${name}:${text}`);
      keys.push(idempotencyKey);
      // by the arguments alone: the same call has the same result in every process
      if (name === 'flaky' && failures[text.length % Math.max(1, failures.length)])
        throw new WorkflowError({ code: 'TOOL_FAILED', message: 'flaky' });
      return `${name}(${text})`;
    },
  });
  const tools = [tool('good', {}), tool('flaky', {}), tool('pay', { effect: 'once' }), tool('forbidden', {})];
  const workflow = planExecute({ model, tools });
  return { workflow, calls, keys, replies, tools, start: { input: 'question', tools: granted } };
}

const kindsOf = (entries: readonly JournalEntry[], node: string): JournalEntry[] =>
  entries.filter(({ kind, key }) => kind === 'node' && key.startsWith(`${node}#`));
const times = ['startedAt', 'durationMs', 'attempts'];

const equalCallsBesideAPayment: World = {
  intent: { intent: 'new_question', rewritten_query: '', needs_tool: true, constraints: null },
  plans: [
    {
      steps: [
        { step_id: 1, tool: 'pay', input: 'x' },
        { step_id: 2, tool: 'good', input: 'x' },
        { step_id: 3, tool: 'good', input_from: 'step_2' },
        { step_id: 4, tool: 'good', input_from: 'step_2' },
      ],
    },
  ],
  failures: [],
};

describe('plan-execute with arbitrary model answers', () => {
  it('fails closed on every walk', async () => {
    const ends = { done: 0, stopped: 0, executed: 0, refused: 0, replanned: 0 };
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { workflow, calls, replies, tools, start } = inWorld(any);
        const runtime = createRuntime();
        const run = runtime.start(workflow, start);
        const result = await run.result;
        // every run ends
        if (!('finalState' in result)) throw new Error(JSON.stringify(result));
        ends[result.finalState as 'done' | 'stopped']++;
        // no tool outside the granted list runs
        expect(calls.filter((call) => !granted.includes(call.split(':')[0] ?? ''))).toEqual([]);
        const entries = await runtime.history(run.id);
        const visits = kindsOf(entries, 'executor').length;
        const replans = kindsOf(entries, 'replanner').length;
        ends.executed += visits;
        ends.replanned += replans;
        // at most maxReplans
        expect(replans).toBeLessThanOrEqual(3);
        // an invalid plan never reaches the executor, and nothing of it runs
        const first = replies.find(({ task }) => task === 'plan_execute.planner');
        if (first && !isValid(first.reply, tools)) {
          ends.refused++;
          expect([visits, calls]).toEqual([0, []]);
        }
        // nothing runs twice: equal calls that succeeded are made once, unless another one had an effect
        const made = result.output.pastSteps.filter(({ status, deduplicated }) => status === 'success' && !deduplicated);
        for (const [index, { signature }] of made.entries()) {
          const first = made.findIndex((other) => other.signature === signature);
          const others = made.filter(({ step }, at) => step.tool === 'pay' && at !== index && at !== first);
          if (first < index) expect(others).not.toEqual([]);
        }
      }),
      { numRuns: share(1_500) },
    );
    // the walks were not all alike
    expect(Math.min(...Object.values(ends))).toBeGreaterThan(share(20));
  });

  const isValid = (reply: Json, tools: readonly Tool[]): boolean => {
    try {
      parsePlan(typeof reply === 'string' ? reply : JSON.stringify(reply), { tools: tools.filter(({ name }) => granted.includes(name)) });
      return true;
    } catch {
      return false;
    }
  };

  /** A refusal and a spared call are steps, too, but nothing was called. */
  const wasMade = (outcome: Json): boolean => (outcome as { output?: { attempts?: number } }).output?.attempts === 1;

  it('ends like an uninterrupted run after a crash before any journal entry, and repeats no committed call', async () => {
    let crashes = 0;
    let inDoubt = 0;
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const calm = inWorld(any);
        const calmRun = createRuntime().start(calm.workflow, calm.start);
        const expected = await calmRun.result;
        if (!('finalState' in expected)) throw new Error(JSON.stringify(expected));
        const failed = expected.output.pastSteps.some(({ status }) => status === 'failure');
        let shaken = calm;
        let callsBefore = 0;
        let settled = false;
        const newWorld = () => {
          shaken = inWorld(any);
          return shaken.workflow;
        };
        const report = await crashResume(newWorld, calm.start, {
          // what had not been started when a step failed is never started: what was in flight may fail at another moment the second time
          compare: ({ result }) => (failed ? null : withoutTimes(result, [...times, 'deduplicated'])),
          resolve: ({ describe }) => {
            inDoubt++;
            settled = true;
            return { as: 'done', output: `pay(${(describe as { args: { text: string } }).args.text})` };
          },
          onCrash: () => {
            callsBefore = shaken.calls.length;
            settled = false;
          },
          onEnd({ result }, { journal: before }) {
            if (!('finalState' in result)) throw new Error(JSON.stringify(result));
            // A payment in doubt ends when a human says so, before what ran beside it is made again: what begins after that may be spared
            // where the payment was still at work without the crash. Else each call is made or spared as it was.
            if (!failed && !settled) expectSame(withoutTimes(result, times), withoutTimes(expected, times));
            const kept = before.filter(({ kind, outcome }) => kind === 'step' && wasMade(outcome));
            // what was committed stays as it was
            for (const { key, outcome } of kept) {
              const { error, output } = (outcome as { output: { error?: { message: string }; output?: Json } }).output;
              const past = result.output.pastSteps.find(({ step }) => key.endsWith(`/step_${step.step_id}`));
              expect([key, past?.status, past?.output]).toEqual([
                key,
                error ? 'failure' : 'success',
                error ? `Error: ${error.message}` : output,
              ]);
            }
            // every committed step ran once: what ran again is at most what was in flight
            const repeated = shaken.keys.length - new Set(shaken.keys).size;
            expect(repeated).toBeLessThanOrEqual(callsBefore - kept.length);
            const paid = shaken.keys.filter((_, index) => shaken.calls[index]?.startsWith('pay:'));
            expect(new Set(paid).size).toBe(paid.length);
          },
        });
        crashes += report.crashes;
      }),
      { numRuns: share(300), examples: [[equalCallsBesideAPayment]] },
    );
    expect([crashes > share(1_000), inDoubt > share(10)]).toEqual([true, true]);
  });
});
