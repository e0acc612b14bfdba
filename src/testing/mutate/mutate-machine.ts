import type { MachineContext } from 'xstate';
import type { Workflow } from '../../engine/define/define-workflow.ts';
import { type GraphEdge, type MachineGraph, structureHash, toGraph, toStructure } from '../../engine/define/graph.ts';
import { kitGuardOf } from '../../engine/define/state.ts';
import { edgeText } from '../edge-coverage.ts';
import { mutantMachine } from './mutant-machine.ts';
import { type Mutation, type MutationKind, mutationsOf } from './mutation.ts';
import { numbersRead } from './shift-number.ts';

/** A workflow with one wrong edge. */
export interface Mutant<TWorkflow> {
  readonly kind: MutationKind;
  /** The wrong edge, such as `executor --done [hasMoreSteps]--> executor`. */
  readonly edge: string;
  /** The mutation, such as `executor --done [hasMoreSteps]--> executor: edge retargeted, planner`. Unique. */
  readonly description: string;
  /** Mutated workflow, to run and explore like the original. `defineWorkflow` might reject it. */
  readonly workflow: TWorkflow;
}

export interface MutateMachineOptions<TState> {
  /** States in which guards are watched, to find the numbers that they read. */
  readonly states?: Iterable<TState>;
}

/**
 * Creates every machine with one wrong edge. Its guard can be negated, dropped, or off by one at a number that it reads. The edge can be
 * dropped, lead to a sibling of its target, or be swapped with another one for the same event. Mutants with equal decisions appear once,
 * and none decides like the original.
 *
 * @example for (const { description, workflow } of mutateMachine(research)) console.log(description, toMermaid(workflow.machine));
 */
export function* mutateMachine<TInput, TState, TOutput, TEvent>(
  workflow: Workflow<TInput, TState, TOutput, TEvent>,
  { states = [] }: MutateMachineOptions<TState> = {},
): Generator<Mutant<Workflow<TInput, TState, TOutput, TEvent>>> {
  const { machine } = workflow;
  const graph = toGraph(machine);
  const siblings = siblingsIn(graph);
  const seen = [...states] as readonly MachineContext[];
  const { guards } = machine.implementations;
  const known = new Map<string, readonly string[]>();
  const numbers = (guard: string): readonly string[] => {
    const test = kitGuardOf(guards[guard])?.predicate;
    const paths = known.get(guard) ?? (test ? numbersRead(test, seen) : []);
    known.set(guard, paths);
    return paths;
  };
  for (const { path: state, edges } of graph.states) {
    for (const [on, rivals] of Map.groupBy(edges, (edge) => edge.on)) {
      for (const mutation of mutationsOf(rivals, { state, siblings, numbers })) {
        const mutant = mutantMachine(machine, { state, on }, mutation.rivals);
        const structure = { ...workflow.structure, ...toStructure(toGraph(mutant)) };
        yield {
          ...described(state, rivals, mutation),
          workflow: { ...workflow, machine: mutant, structure, structureHash: structureHash(structure) },
        };
      }
    }
  }
}

function described(state: string, rivals: readonly GraphEdge[], { kind, at, detail }: Mutation): Omit<Mutant<unknown>, 'workflow'> {
  const edge = rivals[at];
  const text = edge ? edgeText(state, edge) : state;
  return { kind, edge: text, description: `${text}: ${kind}${detail === '' ? '' : `, ${detail}`}` };
}

/** Returns the siblings of a state; none for a region of a parallel state, which cannot be a target on its own. */
function siblingsIn({ states }: MachineGraph): (path: string) => readonly string[] {
  const byPath = new Map(states.map((state) => [state.path, state]));
  return (path) => {
    const parent = byPath.get(path)?.parent ?? '';
    if (byPath.get(parent)?.kind === 'parallel') return [];
    return states.filter((state) => state.parent === parent && state.path !== path).map((state) => state.path);
  };
}
