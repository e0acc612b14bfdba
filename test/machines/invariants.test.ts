import { chatAgent } from 'agent-machines/machines/chat-agent';
import * as ofChatAgent from 'agent-machines/machines/chat-agent/invariants';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import * as ofContractAgent from 'agent-machines/machines/contract-agent/invariants';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import * as ofGuideAgent from 'agent-machines/machines/guide-agent/invariants';
import { planExecute } from 'agent-machines/machines/plan-execute';
import * as ofPlanExecute from 'agent-machines/machines/plan-execute/invariants';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import * as ofToolAgent from 'agent-machines/machines/tool-agent/invariants';
import { describeCounterexample, type Exploration, exploreMachine, type Invariant } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { contract } from './contract-agent/helpers.ts';
import { knowledge } from './guide-agent/helpers.ts';

/** The machines as they are shipped, with the limits that they have when nobody says otherwise. */
const machines = [
  proof('plan-execute', exploreMachine(planExecute(), ofPlanExecute.exploreOptions), ofPlanExecute.invariants),
  proof(
    'contract-agent',
    exploreMachine(contractAgent({ contracts: [{ contract }] }), ofContractAgent.exploreOptions),
    ofContractAgent.invariants,
  ),
  proof('guide-agent', exploreMachine(guideAgent({ knowledge }), ofGuideAgent.exploreOptions), ofGuideAgent.invariants),
  proof('chat-agent', exploreMachine(chatAgent(), ofChatAgent.exploreOptions), ofChatAgent.invariants),
  proof('tool-agent', exploreMachine(toolAgent(), ofToolAgent.exploreOptions), ofToolAgent.invariants),
];

function proof<TState>(name: string, exploration: Exploration<TState>, invariants: readonly Invariant<TState>[]) {
  const { complete, failures, stuck, edgesNeverTaken } = exploration;
  const promises = invariants.map((invariant) => ({
    promise: invariant.name,
    counterexample: (): readonly string[] => {
      const verdict = invariant.check(exploration);
      return verdict.ok ? [] : [verdict.why, ...describeCounterexample(verdict.counterexample as never)];
    },
  }));
  return { name, found: { complete, failures, stuck, edgesNeverTaken }, promises };
}

describe.each(machines)('what $name promises', ({ found, promises }) => {
  it('was looked for everywhere: every edge is taken, none is missing, and every place has a way to an end', () => {
    expect(found).toEqual({ complete: true, failures: [], stuck: [], edgesNeverTaken: [] });
  });

  it.each(promises)('$promise', ({ counterexample }) => {
    expect(counterexample()).toEqual([]);
  });
});
