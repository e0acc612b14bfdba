import { type AnyWorkflow, toGraph } from 'agent-machines';
import { type CallBoundsOptions, callBounds, type Exploration, type ExploreOptions, exploreMachine } from 'agent-machines/testing';
import { batchReviewOutcomes } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { machine as chatMachine } from '../../machines/chat-agent/machine.ts';
import type { ChatAgentState } from '../../machines/chat-agent/state.ts';
import { machine as contractMachine } from '../../machines/contract-agent/machine.ts';
import type { ContractAgentState } from '../../machines/contract-agent/state.ts';
import { machine as guideMachine } from '../../machines/guide-agent/machine.ts';
import type { GuideAgentState } from '../../machines/guide-agent/state.ts';
import { machine as planMachine } from '../../machines/plan-execute/machine.ts';
import type { PlanExecuteState } from '../../machines/plan-execute/state.ts';
import { machine as toolMachine } from '../../machines/tool-agent/machine.ts';
import type { ToolAgentState } from '../../machines/tool-agent/state.ts';
import { draftWorkflow } from '../fixtures/draft-workflow.ts';

// The tables of model calls in the machines' documents, proven for every path of a kind. No reply has to be asked for again in them.

const explore = <TState>(
  workflow: AnyWorkflow,
  outcomes: ExploreOptions<unknown, TState>['outcomes'],
  input: object,
): Exploration<TState> => {
  const nodes = toGraph(workflow.machine).states.flatMap(({ path, node }) => (node === undefined ? [] : [path]));
  // the other nodes change nothing that is counted
  const others = nodes.map((path) => [path, [{ patch: {} }]] as const);
  const hasReview = toGraph(workflow.machine).states.some(({ path }) => path === 'tool_review');
  const rest = Object.fromEntries([...others, ...(hasReview ? [['tool_review', batchReviewOutcomes] as const] : [])]);
  return exploreMachine(workflow, {
    inputs: [input],
    outcomes: { ...rest, ...outcomes },
  } as ExploreOptions) as Exploration<TState>;
};

/** Calls of a model on all paths of a kind. */
const between = <TState>(exploration: Exploration<TState>, options: Omit<CallBoundsOptions<TState>, 'per'>): unknown => {
  const bounds = callBounds(exploration, { per: 'model', ...options });
  return bounds && [bounds.min, bounds.max];
};

/** It asked, and the reply cannot be used. */
const unreadable = { name: 'unreadable', error: 'MODEL_OUTPUT_INVALID', calls: { model: 1 } } as const;

describe('plan-execute', () => {
  const step = { step_id: 1, tool: 'a', input: 'x' };
  const past = (status: 'success' | 'failure') =>
    [
      { step, status, startedAt: 0, durationMs: 0, attempts: 1, signature: 's', deduplicated: false },
    ] as unknown as PlanExecuteState['pastSteps'];
  const explored = explore<PlanExecuteState>(
    draftWorkflow(planMachine),
    {
      intent_classifier: [{ patch: { needsTool: true } }, { patch: { needsTool: false } }, unreadable],
      planner: [{ patch: { plan: [step] } }, { patch: { plan: [] } }, { ...unreadable, error: 'PLAN_REJECTED' }],
      executor: [
        { name: 'all is done', patch: { plan: [], wave: [1], pastSteps: past('success'), heldCalls: [] } },
        { name: 'a step has failed', patch: { plan: [], wave: [1], pastSteps: past('failure'), heldCalls: [] } },
        { name: 'steps are left', patch: { plan: [step], wave: [1], pastSteps: past('success'), heldCalls: [] } },
        {
          name: 'a step waits',
          patch: { plan: [step], wave: [], heldCalls: [{ key: '1' }, { key: '2' }] as unknown as PlanExecuteState['heldCalls'] },
        },
      ],
      final_answer: [{ patch: { result: 'an answer' } }],
      error_handler: [{ patch: { result: 'a reason' } }],
      replanner: ({ replanCount }) => [
        { patch: { plan: [step], replanCount: replanCount + 1 } },
        { patch: { plan: [], replanCount: replanCount + 1 } },
        unreadable,
      ],
    },
    { input: 'q', messages: [], currentDatetime: '', availableTools: ['a'], maxReplans: 3, taint: {} },
  );
  const calls = { intent_classifier: 1, planner: 1, executor: 0, replanner: 1, final_answer: 1, error_handler: 0 };

  it('takes 2 calls for small talk, 3 with any number of tools, 4 for a recovered failure, 6 at most', () => {
    expect([explored.complete, explored.edgesNeverTaken]).toEqual([true, []]);
    expect(between(explored, { calls, to: 'done', visits: { planner: 0 } })).toEqual([2, 2]);
    expect(between(explored, { calls, to: 'done', visits: { executor: [1, Number.POSITIVE_INFINITY], replanner: 0 } })).toEqual([3, 3]);
    expect(between(explored, { calls, to: 'done', visits: { replanner: 1 } })).toEqual([4, 4]);
    expect(between(explored, { calls, to: 'done' })).toEqual([2, 6]);
    expect(between(explored, { calls })).toEqual([1, 6]);
  });

  it.each([0, 1, 2])('adds one call per allowed repair for each JSON reply: %i', (maxRepairs) => {
    const json = 1 + maxRepairs;
    const most = { ...calls, intent_classifier: json, planner: json, replanner: json };
    expect(between(explored, { calls: most, to: 'done' })).toEqual([json + 1, 5 * json + 1]);
    expect(between(explored, { calls: most, to: 'done', visits: { executor: [1, Number.POSITIVE_INFINITY], replanner: 0 } })).toEqual([
      2 * json + 1,
      2 * json + 1,
    ]);
  });

  it('takes 2 calls for a rejected plan, 1 for an unreadable intent', () => {
    expect(between(explored, { calls, to: 'stopped', visits: { intent_classifier: 1, planner: 0, final_answer: 0 } })).toEqual([1, 1]);
    expect(between(explored, { calls, to: 'stopped', visits: { planner: 1, executor: 0, final_answer: 0 } })).toEqual([2, 2]);
  });
});

describe('contract-agent', () => {
  const call = { id: '1', name: 'a', args: {}, signature: 's', parallel: true };
  const decision = (iteration: number, action: 'continue' | 'finish') => ({
    iterationCount: iteration,
    decisionLog: [{ iteration, action, by: 'model' as const, reasoning: '', missingInfo: null }],
  });
  const explored = explore<ContractAgentState>(
    draftWorkflow(contractMachine),
    {
      scope_validator: [{ patch: { inScope: true } }, { patch: { inScope: false } }],
      check_previous_context: [{ patch: {} }],
      plan_next_action: [
        { name: 'one call', patch: { nextTools: [call], allToolsSkipped: false } },
        { name: 'two calls', patch: { nextTools: [call, call], allToolsSkipped: false } },
        { name: 'no call', patch: { nextTools: [], allToolsSkipped: false } },
        { name: 'none can be made', patch: { nextTools: [], allToolsSkipped: true } },
        { name: 'each contract', patch: { nextTools: [], allToolsSkipped: false, eachQuestion: 'q' } },
      ],
      evaluate_sufficiency: ({ iterationCount, maxIterations }) =>
        iterationCount + 1 >= maxIterations
          ? [{ name: 'the limit', patch: decision(iterationCount + 1, 'finish'), calls: { model: 0 } }]
          : [
              { name: 'more', patch: decision(iterationCount + 1, 'continue') },
              { name: 'enough', patch: decision(iterationCount + 1, 'finish') },
            ],
    },
    { input: 'q', maxIterations: 4, previousTurn: [], previousSources: [] },
  );
  /** In scope by rules, and without a turn before. */
  const calls = {
    scope_validator: 0,
    check_previous_context: 0,
    plan_next_action: 1,
    execute_tools: 0,
    execute_tools_parallel: 0,
    evaluate_sufficiency: 1,
    generate_response: 1,
    ask_each_contract: 20,
  };
  const noTable = { ask_each_contract: 0 };

  it('takes 3 calls for one round, 2 without a tool call, none out of scope, 8 for four rounds, and never more', () => {
    expect([explored.complete, explored.edgesNeverTaken]).toEqual([true, []]);
    expect(between(explored, { calls, to: 'done', visits: { ...noTable, evaluate_sufficiency: 1 } })).toEqual([3, 4]); // 4: it wants more, and asks for none
    expect(between(explored, { calls, to: 'done', visits: { evaluate_sufficiency: 1, plan_next_action: 1 } })).toEqual([3, 3]);
    expect(between(explored, { calls, to: 'done', visits: { ...noTable, evaluate_sufficiency: 0 } })).toEqual([2, 2]);
    expect(between(explored, { calls, to: 'done', visits: { plan_next_action: 1, ask_each_contract: 1 } })).toEqual([21, 21]);
    expect(between(explored, { calls, to: 'out_of_scope' })).toEqual([0, 0]);
    expect(between(explored, { calls, to: 'done', visits: { evaluate_sufficiency: 4 } })).toEqual([8, 8]);
    expect(between(explored, { calls, visits: noTable })).toEqual([0, 8]);
  });

  it.each([0, 1, 3])('adds one call per allowed repair of an evaluation: %i', (maxRepairs) => {
    const evaluations = 1 + maxRepairs;
    const most = { ...calls, evaluate_sufficiency: evaluations };
    expect(between(explored, { calls: most, to: 'done', visits: { evaluate_sufficiency: 1, plan_next_action: 1 } })).toEqual([
      2 + evaluations,
      2 + evaluations,
    ]);
    // the last of four evaluations asks nobody: that is the limit
    expect(between(explored, { calls: most, to: 'done', visits: { evaluate_sufficiency: 4 } })).toEqual([
      8 + 3 * maxRepairs,
      8 + 3 * maxRepairs,
    ]);
  });
});

describe('guide-agent', () => {
  const explored = explore<GuideAgentState>(
    draftWorkflow(guideMachine),
    {
      llm_router: [{ patch: { isComplexTask: true } }, { patch: { isComplexTask: false } }],
      planning_node: [{ patch: { subTasks: ['a', 'b'] } }, { patch: { subTasks: [] } }],
      recommend_tool_node: ({ currentTask, toolCallsUsed, maxToolCallsPerTask }) => [
        { name: 'decided', patch: { pendingCalls: [], currentTask: currentTask + 1, toolCallsUsed: 0 } },
        ...(toolCallsUsed < maxToolCallsPerTask
          ? [
              {
                name: 'asks for a tool',
                patch: { pendingCalls: [{ id: '1' }] as unknown as GuideAgentState['pendingCalls'], toolCallsUsed: toolCallsUsed + 1 },
              },
            ]
          : []),
      ],
      tool_executor: [
        { name: 'answered', patch: { pendingCalls: [], heldCalls: [] } },
        { name: 'waits', patch: { heldCalls: [{ key: '1' }, { key: '2' }] as unknown as GuideAgentState['heldCalls'] } },
      ],
      guide_generation_node: [{ patch: { finalGuide: 'a guide' } }],
      reflection_node: [{ patch: {} }],
      human_review: [
        { event: { type: 'APPROVE' } },
        { event: { type: 'REVISE', feedback: 'shorter' } },
        { event: { type: 'EDIT', sub_tasks: ['a', 'b'] } },
        { event: { type: 'EDIT', arguments: {} } },
        { event: { type: 'CANCEL' } },
      ],
    },
    { input: 'q', userId: 'u', messages: [], currentDatetime: '', maxToolCallsPerTask: 3, taint: {}, egressGranted: false },
  );
  const calls = { llm_router: 1, planning_node: 1, recommend_tool_node: 1, tool_executor: 0, guide_generation_node: 1, reflection_node: 1 };

  it('takes 2 calls for a question, and 6 for two sub-tasks without a tool', () => {
    expect(explored.complete).toBe(true);
    expect(between(explored, { calls, to: 'done', visits: { planning_node: 0 } })).toEqual([2, 2]);
    const direct = { planning_node: 1, tool_executor: 0 };
    expect(between(explored, { calls: { ...calls, reflection_node: 1 }, to: 'reflection_node', visits: direct })).toEqual([5, 5]);
  });

  it('takes at most 12 calls for two sub-tasks with three tool calls each, and has no limit with a revised plan', () => {
    expect(between(explored, { calls, to: 'done', visits: { planning_node: 1 } })).toEqual([5, 12]); // 5: what is remembered has failed
    expect(between(explored, { calls, to: 'done' })).toEqual([2, Number.POSITIVE_INFINITY]);
  });
});

describe('chat-agent', () => {
  const pending = [{ id: '1' }] as unknown as ChatAgentState['pendingCalls'];
  const explored = explore<ChatAgentState>(
    draftWorkflow(chatMachine),
    {
      router: [{ patch: { route: 'rag' } }, { patch: { route: 'agent' } }],
      rag: [{ patch: {} }],
      memory: [{ patch: {} }],
      agent: ({ toolRounds, maxToolRounds }) => [
        { name: 'answers', patch: { pendingCalls: [] } },
        ...(toolRounds < maxToolRounds ? [{ name: 'asks for a tool', patch: { pendingCalls: pending, toolRounds: toolRounds + 1 } }] : []),
      ],
      tools: [
        { name: 'answered', patch: { pendingCalls: [], heldCalls: [] } },
        { name: 'waits', patch: { heldCalls: [{ key: '1' }, { key: '2' }] as unknown as ChatAgentState['heldCalls'] } },
      ],
    },
    { input: 'q', turnId: 't', currentDatetime: '', window: {}, maxToolRounds: 5, availableTools: [], taint: {}, egressGranted: false },
  );
  const calls = { router: 1, rag: 0, memory: 0, agent: 1, tools: 0 };
  const summed = { ...calls, memory: 1 };

  it('takes 2 calls, 3 with a tool or a summary, and 7 at most, or 8 with a summary', () => {
    expect([explored.complete, explored.edgesNeverTaken]).toEqual([true, []]);
    expect(between(explored, { calls, to: 'done', visits: { rag: 0, agent: 1 } })).toEqual([2, 2]);
    expect(between(explored, { calls, to: 'done', visits: { rag: 0, agent: 2 } })).toEqual([3, 3]);
    expect(between(explored, { calls, to: 'done', visits: { rag: 1, agent: 1 } })).toEqual([2, 2]);
    expect(between(explored, { calls, to: 'done', visits: { rag: 1, agent: 2 } })).toEqual([3, 3]);
    expect(between(explored, { calls: summed, to: 'done', visits: { rag: 0, agent: 1 } })).toEqual([3, 3]);
    expect(between(explored, { calls, to: 'done' })).toEqual([2, 7]);
    expect(between(explored, { calls: summed, to: 'done' })).toEqual([3, 8]);
  });
});

describe('tool-agent', () => {
  const pending = [{ id: '1' }] as unknown as ToolAgentState['pendingCalls'];
  const explored = explore<ToolAgentState>(
    draftWorkflow(toolMachine),
    {
      agent: ({ steps, maxSteps }) => [
        { name: 'answers', patch: { pendingCalls: [], outcome: steps < maxSteps ? 'answered' : 'step-limit' } },
        { name: 'is held', patch: { pendingCalls: [], answer: 'a', output: 'a', heldBy: ['g'] } },
        ...(steps < maxSteps ? [{ name: 'calls a tool', patch: { pendingCalls: pending, steps: steps + 1 } }] : []),
      ],
      tools: [
        { name: 'answered', patch: { pendingCalls: [], heldCalls: [] } },
        { name: 'waits', patch: { heldCalls: [{ key: '1' }, { key: '2' }] as unknown as ToolAgentState['heldCalls'] } },
        { name: 'stops', patch: { pendingCalls: [], heldCalls: [], outcome: 'stopped-early' } },
        { name: 'stops, held', patch: { pendingCalls: [], heldCalls: [], outcome: 'stopped-early', heldBy: ['a'] } },
      ],
      answer_review: [
        { event: { type: 'APPROVE' } },
        { event: { type: 'REPLACE', answer: 'b' } },
        { event: { type: 'REJECT', reason: 'no' } },
      ] as never,
    },
    { input: 'q', history: [], currentDatetime: '', maxSteps: 10, availableTools: [], taint: {}, egressGranted: false },
  );
  const calls = { agent: 1, tools: 0 };

  it('takes 1 call, n + 1 for n steps, and 11 at most', () => {
    expect([explored.complete, explored.edgesNeverTaken]).toEqual([true, []]);
    expect(between(explored, { calls, to: 'done', visits: { tools: 0 } })).toEqual([1, 1]);
    expect(between(explored, { calls, to: 'done', visits: { agent: 4 } })).toEqual([4, 4]);
    expect(between(explored, { calls, to: 'done' })).toEqual([1, 11]);
    expect(between(explored, { calls: { agent: [1, 2], tools: 0 }, to: 'done' })).toEqual([1, 22]);
  });
});
