import type { AnyWorkflow, Workflow } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import * as ofChatAgent from 'agent-machines/machines/chat-agent/invariants';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import * as ofContractAgent from 'agent-machines/machines/contract-agent/invariants';
import { createKnowledgeBase, guideAgent } from 'agent-machines/machines/guide-agent';
import * as ofGuideAgent from 'agent-machines/machines/guide-agent/invariants';
import { planExecute } from 'agent-machines/machines/plan-execute';
import * as ofPlanExecute from 'agent-machines/machines/plan-execute/invariants';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import * as ofToolAgent from 'agent-machines/machines/tool-agent/invariants';
import { type ExploreOptions, exploreMachine, type Invariant, type MutationScore, mutationScore } from 'agent-machines/testing';

interface Promises<TInput, TState> {
  readonly exploreOptions: ExploreOptions<TInput, TState>;
  readonly invariants: readonly Invariant<TState>[];
}

/** A machine, and what its invariants say of it, and of those that are like it but for something wrong. */
export interface ProvenMachine {
  readonly name: string;
  readonly workflow: AnyWorkflow;
  /** What is wrong with a workflow, of which the first thing is enough. */
  problemsOf(workflow: AnyWorkflow): readonly string[];
  /** How many of the machines with one edge wrong they tell from it. */
  score(): Promise<MutationScore<unknown>>;
}

function proven<TInput, TState, TOutput>(
  name: string,
  workflow: Workflow<TInput, TState, TOutput>,
  { exploreOptions, invariants }: Promises<TInput, TState>,
): ProvenMachine {
  const { states } = exploreMachine(workflow, exploreOptions);
  // one with far more places than the right one does what nobody has promised
  const maxStates = 2 * states.length;
  const problemsOf = (one: Workflow<TInput, TState, TOutput>): readonly string[] => {
    const exploration = exploreMachine(one, { ...exploreOptions, maxStates });
    const { failures, stuck, cutOff } = exploration;
    const wrong = [
      ...failures.map(({ by, error }) => `${by}: ${error.message}`),
      ...stuck.map(({ where }) => `no way out of ${where}`),
      ...cutOff,
    ];
    if (wrong.length > 0) return wrong;
    const broken = invariants.find((invariant) => !invariant.check(exploration).ok);
    return broken ? [broken.name] : [];
  };
  return {
    name,
    workflow,
    problemsOf: (one) => problemsOf(one as Workflow<TInput, TState, TOutput>),
    score: () => mutationScore(workflow, problemsOf, { states: states.map(({ state }) => state) }),
  };
}

const contract = parseContract({ name: 'contract.md', text: '# 용역계약서\n\n제1조(목적) 이 계약은 용역에 필요한 사항을 정한다.\n' });

/** With low limits, which are as good as any other to be one off at. */
export const provenMachines = (): readonly ProvenMachine[] => [
  proven('plan-execute', planExecute({ maxReplans: 2 }), ofPlanExecute),
  proven('contract-agent', contractAgent({ contracts: [{ contract }], maxIterations: 3 }), ofContractAgent),
  proven('guide-agent', guideAgent({ knowledge: createKnowledgeBase([], []), maxToolCallsPerTask: 1 }), ofGuideAgent),
  proven('chat-agent', chatAgent({ maxToolRounds: 2 }), ofChatAgent),
  proven('tool-agent', toolAgent({ maxSteps: 2 }), ofToolAgent),
];
