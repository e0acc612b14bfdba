import { type AnyWorkflow, type GraphEdge, toGraph } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import type { MachineContext } from 'xstate';
import type { ChatAgentState } from '../../machines/chat-agent/state.ts';
import type { ContractAgentState } from '../../machines/contract-agent/state.ts';
import type { GuideAgentState } from '../../machines/guide-agent/state.ts';
import type { PlanExecuteState } from '../../machines/plan-execute/state.ts';
import type { ToolAgentState } from '../../machines/tool-agent/state.ts';
import { provenMachines } from '../../scripts/mutation/proven-machines.ts';
import { findMerger, kitGuardOf, type Merger, merging, toXStateGuard } from '../../src/engine/define/state.ts';
import { mutantMachine, withMerger } from '../../src/testing/mutate/mutant-machine.ts';

/** Makes a workflow wrong. */
type Fault = (workflow: AnyWorkflow) => AnyWorkflow;

const guard =
  <TState extends object>(name: string, predicate: (state: TState) => boolean): Fault =>
  (workflow) => {
    const { machine } = workflow;
    const kit = kitGuardOf(machine.implementations.guards[name]);
    if (!kit) throw new Error(`there is no guard ${name}`);
    const wrong = toXStateGuard({ ...kit, predicate: (state: MachineContext) => predicate(state as TState) });
    return { ...workflow, machine: machine.provide({ guards: { [name]: wrong } }) };
  };

const edges =
  (state: string, on: string, change: (edges: readonly GraphEdge[]) => readonly (GraphEdge | undefined)[]): Fault =>
  (workflow) => {
    const right =
      toGraph(workflow.machine)
        .states.find(({ path }) => path === state)
        ?.edges.filter((edge) => edge.on === on) ?? [];
    const wrong = change(right).flatMap((edge) => edge ?? []);
    expect(wrong).not.toEqual(right);
    const rivals = wrong.map((edge) => ({ edge, question: edge.guard === undefined ? undefined : { guard: edge.guard, negated: false } }));
    return { ...workflow, machine: mutantMachine(workflow.machine, { state, on }, rivals) };
  };

const merger =
  (change: (right: Merger) => Partial<Pick<Merger, 'reducers' | 'patchOf'>>): Fault =>
  (workflow) => {
    const right = findMerger(workflow.machine);
    if (!right) throw new Error('there is no merger');
    return { ...workflow, machine: withMerger(workflow.machine, { ...right, ...merging({ ...right, ...change(right) }) }) };
  };

/** Merges a key in another way. */
const reducer = <TState extends object, TKey extends keyof TState & string>(
  key: TKey,
  reduce: (current: Value<TState[TKey]>, next: Value<TState[TKey]>) => unknown,
): Fault =>
  merger(({ reducers }) => {
    expect(reducers.has(key)).toBe(true);
    return { reducers: new Map(reducers).set(key, reduce as (current: unknown, next: unknown) => unknown) };
  });

type Value<T> = NonNullable<T>;

/** Changes the patch of an event, or of a failure. */
const patch = <TState extends object>(type: string, change: (patch: Partial<TState>, state: Readonly<TState>) => Partial<TState>): Fault =>
  merger(({ patchOf }) => ({
    patchOf: (state, event) => {
      const right = patchOf(state, event);
      const isMeant = event.type === type || (type === 'failure' && event.type.startsWith('xstate.error.actor.'));
      return right && isMeant ? change(right as Partial<TState>, state as TState) : right;
    },
  }));

const leadsTo = (state: string, on: string, target: string): Fault => edges(state, on, (all) => all.map((edge) => ({ ...edge, target })));
const inOrder = (state: string, on: string, ...guards: readonly string[]): Fault =>
  edges(state, on, (all) => [
    ...guards.map((name) => all.find((edge) => edge.guard === name)),
    ...all.filter((edge) => !guards.includes(edge.guard ?? '')),
  ]);

const faults: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  'plan-execute': {
    'only the last wave is known': reducer<PlanExecuteState, 'pastSteps'>('pastSteps', (_, next) => next),
    'a step counts once, whatever its result': reducer<PlanExecuteState, 'pastSteps'>('pastSteps', (current, next) => [
      ...new Map([...next, ...current].map((one) => [one.step.step_id, one])).values(),
    ]),
    'the steps of a new plan are not accepted': reducer<PlanExecuteState, 'acceptedSteps'>('acceptedSteps', (current) => current),
    'a public source clears the taint': reducer<PlanExecuteState, 'taint'>('taint', (_, next) => next),
    'a failed node leaves no error': patch<PlanExecuteState>('failure', () => ({})),
    'only the last step of a wave counts as failed': guard<PlanExecuteState>(
      'waveFailed',
      ({ pastSteps }) => pastSteps.at(-1)?.status === 'failure',
    ),
    'a failure counts after every replan': guard<PlanExecuteState>('waveFailed', ({ pastSteps }) =>
      pastSteps.some(({ status }) => status === 'failure'),
    ),
    'one replan too many': guard<PlanExecuteState>(
      'canReplanFailedWave',
      ({ pastSteps, wave, replanCount, maxReplans }) =>
        pastSteps.slice(Math.max(0, pastSteps.length - wave.length)).some(({ status }) => status === 'failure') &&
        replanCount <= maxReplans,
    ),
    'a human is asked although a step has failed': inOrder('executor', 'done', 'awaitsApproval'),
    'an empty plan runs': guard<PlanExecuteState>('hasPlan', () => true),
    'only the first of several calls waits for a human': guard<PlanExecuteState>('awaitsApproval', ({ heldCalls }) => heldCalls.length > 1),
    'a plan that the gate has rejected is answered like no plan': leadsTo('planner', 'error', 'final_answer'),
    'a rejected call ends the work': leadsTo('tool_review', 'REJECT', 'final_answer'),
    'tools are used for small talk': guard<PlanExecuteState>('needsTool', () => true),
    'an answer is written before the plan is finished': guard<PlanExecuteState>('hasMoreSteps', ({ plan }) => plan.length > 1),
  },
  'contract-agent': {
    'a second finding replaces the first': reducer<ContractAgentState, 'findings'>('findings', (_, next) => next),
    'only the last decision is known': reducer<ContractAgentState, 'decisionLog'>('decisionLog', (current, next) =>
      [...current, ...next].slice(-1),
    ),
    'articles of both sides are mixed up': reducer<ContractAgentState, 'collectedInfo'>('collectedInfo', (current, next) => [
      ...new Map([...current, ...next].map((article) => [article.side, article])).values(),
    ]),
    'explored articles are forgotten': reducer<ContractAgentState, 'exploredArticles'>('exploredArticles', (_, next) => next),
    'calls are listed in the wrong order': reducer<ContractAgentState, 'toolHistory'>('toolHistory', (current, next) => [
      ...next,
      ...current,
    ]),
    'the scope fails open': guard<ContractAgentState>('outOfScope', ({ error }) => error !== null),
    'a failed check counts as passed': leadsTo('scope_validator', 'error', 'check_previous_context'),
    'calls that cannot be made end the search': inOrder('plan_next_action', 'done', 'noTools', 'allToolsSkipped'),
    'calls that must run alone run in parallel': guard<ContractAgentState>('canExecuteParallel', ({ nextTools }) => nextTools.length >= 2),
    'one call that may run in parallel is enough': guard<ContractAgentState>(
      'canExecuteParallel',
      ({ nextTools }) => nextTools.length >= 2 && nextTools.some(({ parallel }) => parallel),
    ),
    'only the first evaluation counts': guard<ContractAgentState>(
      'shouldContinue',
      ({ decisionLog }) => decisionLog[0]?.action === 'continue',
    ),
    'results are answered without an evaluation': leadsTo('execute_tools', 'done', 'generate_response'),
  },
  'guide-agent': {
    'a document is cited only if it is new': reducer<GuideAgentState, 'retrievedDocs'>('retrievedDocs', (current, next) =>
      next.filter(({ id }) => !current.some((doc) => doc.id === id)),
    ),
    'a second REVISE replaces the first': reducer<GuideAgentState, 'feedbacks'>('feedbacks', (_, next) => next),
    'untrusted pages leave no taint': reducer<GuideAgentState, 'taint'>('taint', (current, next) => ({
      ...current,
      private: current.private || next.private,
    })),
    'REVISE forgets what to change': patch<GuideAgentState>('REVISE', ({ userFeedback: _, ...rest }) => rest),
    'CANCEL says nothing': patch<GuideAgentState>('CANCEL', () => ({})),
    'the old plan is shown without a reason': patch<GuideAgentState>('failure', ({ notice: _, ...rest }) => rest),
    'an edit of the plan counts as an approval': leadsTo('human_review', 'EDIT', 'recommend_tool_node'),
    'CANCEL leads to a guide': leadsTo('human_review', 'CANCEL', 'guide_generation_node'),
    'REVISE shows the same plan again': leadsTo('human_review', 'REVISE', 'human_review'),
    'an answer about a call changes the shown plan': guard<GuideAgentState>('answerFits', () => true),
    'a failed plan is shown': guard<GuideAgentState>('hasOldPlan', () => true),
    'one sub-task too many': guard<GuideAgentState>('hasMoreSubTasks', ({ currentTask, subTasks }) => currentTask <= subTasks.length),
    'the last sub-task is left out': guard<GuideAgentState>(
      'hasMoreSubTasks',
      ({ currentTask, subTasks }) => currentTask + 1 < subTasks.length,
    ),
    'the next sub-task begins before the calls of this one are answered': inOrder('recommend_tool_node', 'done', 'hasMoreSubTasks'),
    'a guide is lost when the reflection fails': leadsTo('reflection_node', 'error', 'stopped'),
    'a question leads to memories': guard<GuideAgentState>('wasComplexTask', () => true),
  },
  'chat-agent': {
    'a turn holds its last message only': reducer<ChatAgentState, 'turnMessages'>('turnMessages', (_, next) => next),
    'tokens without a window are not added up': reducer<ChatAgentState, 'tokens'>('tokens', (current, next) => ({
      sent: current.sent + next.sent,
      full: next.full,
    })),
    'private passages leave no taint': reducer<ChatAgentState, 'taint'>('taint', (current) => current),
    'a stopped turn has no answer': patch<ChatAgentState>('failure', ({ answer: _, ...rest }) => rest),
    'documents are never searched': guard<ChatAgentState>('routeIsRag', () => false),
    'passages bypass the window': leadsTo('rag', 'done', 'agent'),
    'a single call is not made': guard<ChatAgentState>('hasToolCalls', ({ pendingCalls }) => pendingCalls.length > 1),
    'an executed call ends the turn': edges('tools', 'done', (all) =>
      all.map((edge) => (edge.target === 'agent' ? { ...edge, target: 'done' } : edge)),
    ),
    'a call runs while another one waits': guard<ChatAgentState>('awaitsApproval', ({ heldCalls }) => heldCalls.length > 1),
    'an approved call is not made': leadsTo('tool_review', 'APPROVE', 'agent'),
    'a failed model counts as an answer': leadsTo('agent', 'error', 'done'),
  },
  'tool-agent': {
    'messages are prepended': reducer<ToolAgentState, 'messages'>('messages', (current, next) => [...next, ...current]),
    'only the last usage counts': reducer<ToolAgentState, 'usage'>('usage', (_, next) => next),
    'a rejected call stays open': patch<ToolAgentState>('REJECT', ({ heldCalls: _, ...rest }) => rest),
    'an approval is not recorded': patch<ToolAgentState>('APPROVE', ({ decisions: _, ...rest }) => rest),
    'a single call is not made': guard<ToolAgentState>('hasToolCalls', ({ pendingCalls }) => pendingCalls.length > 1),
    'an executed call ends the run': edges('tools', 'done', (all) =>
      all.map((edge) => (edge.target === 'agent' ? { ...edge, target: 'done' } : edge)),
    ),
    'a call runs while another one waits': guard<ToolAgentState>('awaitsApproval', ({ heldCalls }) => heldCalls.length > 1),
    'an approved call is not made': leadsTo('tool_review', 'APPROVE', 'agent'),
    'a rejected call ends the run': leadsTo('tool_review', 'REJECT', 'done'),
    'a failed tool is ignored': leadsTo('tools', 'error', 'agent'),
  },
};

const proven = await provenMachines();

describe.each(proven.filter(({ name }) => faults[name]))('the invariants of $name detect that', ({ name, workflow, problemsOf }) => {
  it.each(Object.entries(faults[name] ?? {}))('%s', (_, fault) => {
    expect(problemsOf(fault(workflow))).not.toEqual([]);
  });
});
