import type { AnyWorkflow } from 'agent-machines';
import { entries } from 'agent-machines/machines';
import { exploreMachine, type Invariant, type MutationKind, type MutationScore, mutationScore, promiseCheck } from 'agent-machines/testing';

/** A machine, and what its invariants say of it, and of those that are like it but for something wrong. */
export interface ProvenMachine {
  readonly name: string;
  readonly workflow: AnyWorkflow;
  /** What is wrong with a workflow, of which the first thing is enough. */
  problemsOf(workflow: AnyWorkflow): readonly string[];
  /** How many of the machines with one part wrong they tell from it. */
  score(): Promise<MutationScore<unknown>>;
}

/** Promises do not speak of outputs and of time, so machines wrong in these are for other tests. */
const isPromised = (kind: MutationKind): boolean => kind !== 'timer longer' && !kind.startsWith('output');

function proven(name: string, workflow: AnyWorkflow, exploreOptions: object, invariants: readonly Invariant[]): ProvenMachine {
  let check: ((one: AnyWorkflow) => readonly string[]) | undefined;
  const problemsOf = (one: AnyWorkflow): readonly string[] => {
    check ??= promiseCheck(workflow, { exploreOptions, invariants });
    return check(one);
  };
  return {
    name,
    workflow,
    problemsOf,
    score: () => {
      const { states } = exploreMachine(workflow, exploreOptions);
      return mutationScore(workflow, problemsOf, { states: states.map(({ state }) => state), kinds: isPromised });
    },
  };
}

/** Workflows with promises, with low limits: a mutant is one off at a low limit as well as at a high one. */
export async function provenMachines(): Promise<readonly ProvenMachine[]> {
  const found = entries.map(async ({ name, load }) => {
    const { draft, small = draft, promises } = await load();
    if (!promises) return [];
    const { exploreOptions, invariants } = await promises();
    return [proven(name, small(), exploreOptions, invariants)];
  });
  return (await Promise.all(found)).flat();
}
