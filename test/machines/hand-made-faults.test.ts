import { type AnyWorkflow, type GraphEdge, toGraph } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import type { MachineContext } from 'xstate';
import type { ChatAgentState } from '../../machines/chat-agent/state.ts';
import type { ContractAgentState } from '../../machines/contract-agent/state.ts';
import type { GuideAgentState } from '../../machines/guide-agent/state.ts';
import type { PlanExecuteState } from '../../machines/plan-execute/state.ts';
import type { ToolAgentState } from '../../machines/tool-agent/state.ts';
import { provenMachines } from '../../scripts/mutation/proven-machines.ts';
import { kitGuardOf, toXStateGuard } from '../../src/engine/define/state.ts';
import { mutantMachine } from '../../src/testing/mutate/mutant-machine.ts';

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

const leadsTo = (state: string, on: string, target: string): Fault => edges(state, on, (all) => all.map((edge) => ({ ...edge, target })));
const inOrder = (state: string, on: string, ...guards: readonly string[]): Fault =>
  edges(state, on, (all) => [
    ...guards.map((name) => all.find((edge) => edge.guard === name)),
    ...all.filter((edge) => !guards.includes(edge.guard ?? '')),
  ]);

const faults: Readonly<Record<string, Readonly<Record<string, Fault>>>> = {
  'plan-execute': {
    'only the last step of a wave counts as failed': guard<PlanExecuteState>(
      'waveFailed',
      ({ pastSteps }) => pastSteps.at(-1)?.status === 'failure',
    ),
    'a failure is never forgotten, however often it was planned anew': guard<PlanExecuteState>('waveFailed', ({ pastSteps }) =>
      pastSteps.some(({ status }) => status === 'failure'),
    ),
    'one replan too many': guard<PlanExecuteState>(
      'canReplanFailedWave',
      ({ pastSteps, wave, replanCount, maxReplans }) =>
        pastSteps.slice(Math.max(0, pastSteps.length - wave.length)).some(({ status }) => status === 'failure') &&
        replanCount <= maxReplans,
    ),
    'a human is asked first, although a step has failed': inOrder('executor', 'done', 'awaitsApproval'),
    'an empty plan is run': guard<PlanExecuteState>('hasPlan', () => true),
    'only the first of several calls waits for a human': guard<PlanExecuteState>('awaitsApproval', ({ heldCalls }) => heldCalls.length > 1),
    'a plan that the gate has refused is answered as if there were none': leadsTo('planner', 'error', 'final_answer'),
    'a rejected call ends the work': leadsTo('tool_review', 'REJECT', 'final_answer'),
    'tools are used for small talk': guard<PlanExecuteState>('needsTool', () => true),
    'an answer is written before the plan is done': guard<PlanExecuteState>('hasMoreSteps', ({ plan }) => plan.length > 1),
  },
  'contract-agent': {
    'the scope fails open': guard<ContractAgentState>('outOfScope', ({ error }) => error !== null),
    'a check that has failed counts as passed': leadsTo('scope_validator', 'error', 'check_previous_context'),
    'calls that cannot be made end the search': inOrder('plan_next_action', 'done', 'noTools', 'allToolsSkipped'),
    'calls that must be made alone are made beside others': guard<ContractAgentState>(
      'canExecuteParallel',
      ({ nextTools }) => nextTools.length >= 2,
    ),
    'one of the calls that may be made beside others is enough': guard<ContractAgentState>(
      'canExecuteParallel',
      ({ nextTools }) => nextTools.length >= 2 && nextTools.some(({ parallel }) => parallel),
    ),
    'the first evaluation counts for ever': guard<ContractAgentState>(
      'shouldContinue',
      ({ decisionLog }) => decisionLog[0]?.action === 'continue',
    ),
    'what was found is answered from unjudged': leadsTo('execute_tools', 'done', 'generate_response'),
  },
  'guide-agent': {
    'an edit of the plan is taken for an approval': leadsTo('human_review', 'EDIT', 'recommend_tool_node'),
    'who cancels is given a guide': leadsTo('human_review', 'CANCEL', 'guide_generation_node'),
    'who wants changes sees the same plan again': leadsTo('human_review', 'REVISE', 'human_review'),
    'an answer about a call changes the plan that is asked about': guard<GuideAgentState>('answerFits', () => true),
    'a plan that could not be made is shown': guard<GuideAgentState>('hasOldPlan', () => true),
    'one sub-task too many': guard<GuideAgentState>('hasMoreSubTasks', ({ currentTask, subTasks }) => currentTask <= subTasks.length),
    'the last sub-task is left out': guard<GuideAgentState>(
      'hasMoreSubTasks',
      ({ currentTask, subTasks }) => currentTask + 1 < subTasks.length,
    ),
    'the next sub-task begins before the calls of this one are answered': inOrder('recommend_tool_node', 'done', 'hasMoreSubTasks'),
    'a guide is lost when nothing could be learned from it': leadsTo('reflection_node', 'error', 'stopped'),
    'small questions are learned from': guard<GuideAgentState>('wasComplexTask', () => true),
  },
  'chat-agent': {
    'documents are never looked up': guard<ChatAgentState>('routeIsRag', () => false),
    'passages go past the window': leadsTo('rag', 'done', 'agent'),
    'one call alone is not made': guard<ChatAgentState>('hasToolCalls', ({ pendingCalls }) => pendingCalls.length > 1),
    'a call that was made ends the turn': edges('tools', 'done', (all) =>
      all.map((edge) => (edge.target === 'agent' ? { ...edge, target: 'done' } : edge)),
    ),
    'a call runs while another one waits': guard<ChatAgentState>('awaitsApproval', ({ heldCalls }) => heldCalls.length > 1),
    'an approved call is not made': leadsTo('tool_review', 'APPROVE', 'agent'),
    'a model that has failed has answered': leadsTo('agent', 'error', 'done'),
  },
  'tool-agent': {
    'one call alone is not made': guard<ToolAgentState>('hasToolCalls', ({ pendingCalls }) => pendingCalls.length > 1),
    'a call that was made ends the run': edges('tools', 'done', (all) =>
      all.map((edge) => (edge.target === 'agent' ? { ...edge, target: 'done' } : edge)),
    ),
    'a call runs while another one waits': guard<ToolAgentState>('awaitsApproval', ({ heldCalls }) => heldCalls.length > 1),
    'an approved call is not made': leadsTo('tool_review', 'APPROVE', 'agent'),
    'a rejected call ends the run': leadsTo('tool_review', 'REJECT', 'done'),
    'a tool that has failed is passed over': leadsTo('tools', 'error', 'agent'),
  },
};

const proven = await provenMachines();

describe.each(proven.filter(({ name }) => faults[name]))('the invariants of $name find that', ({ name, workflow, problemsOf }) => {
  it.each(Object.entries(faults[name] ?? {}))('%s', (_, fault) => {
    expect(problemsOf(fault(workflow))).not.toEqual([]);
  });
});
