import type { AnyStateMachine, MachineContext } from 'xstate';
import type { AnyWorkflow, Workflow } from '../../engine/define/define-workflow.ts';
import { type GraphEdge, type MachineGraph, structureHash, toGraph, toStructure } from '../../engine/define/graph.ts';
import { kitGuardOf } from '../../engine/define/state.ts';
import { edgeText } from '../edge-coverage.ts';
import { everyEdgeOf, startsOf } from '../explore/starts.ts';
import { definitionMutants } from './definition-mutants.ts';
import { mutantMachine } from './mutant-machine.ts';
import { type Mutation, type MutationKind, mutationsOf } from './mutation.ts';
import { numbersRead } from './shift-number.ts';

/** A workflow with one wrong edge, or another wrong part. */
export interface Mutant<TWorkflow> {
  readonly kind: MutationKind;
  /** The wrong edge, such as `executor --done [hasMoreSteps]--> executor`, or part, such as `reducer of notes`. */
  readonly edge: string;
  /** The mutation, such as `executor --done [hasMoreSteps]--> executor: edge retargeted, planner`. Unique. */
  readonly description: string;
  /** Mutated workflow, to run and explore like the original. `defineWorkflow` might reject it. */
  readonly workflow: TWorkflow;
}

export interface MutateMachineOptions<TState> {
  /**
   * States in which guards, events, failures and the output are tried, for example those of `exploreMachine`. Default: the state at the
   * start of a run without an input, if there is one.
   */
  readonly states?: Iterable<TState>;
  /** Returns true for the kinds of mutants to create. Default: all. */
  readonly kinds?: (kind: MutationKind) => boolean;
}

/**
 * Creates every machine with one wrong part. An edge's guard can be negated, dropped, or off by one at a number that it reads. The edge can be
 * dropped, lead to a sibling of its target, or be swapped with another one for the same event. Mutants with equal decisions appear once,
 * and none decides like the original. A reducer can be dropped, keep the old value, or get its arguments swapped. The change by an event or
 * a failure can be dropped, or lose a key; so can the output. A timer can take twice as long, and a parallel state can lose a region.
 *
 * @example for (const { description, workflow } of mutateMachine(research)) console.log(description, toMermaid(workflow.machine));
 */
export function* mutateMachine<TInput, TState, TOutput, TEvent>(
  workflow: Workflow<TInput, TState, TOutput, TEvent>,
  { states, kinds = () => true }: MutateMachineOptions<TState> = {},
): Generator<Mutant<Workflow<TInput, TState, TOutput, TEvent>>> {
  const { machine } = workflow;
  const graph = toGraph(machine);
  const siblings = siblingsIn(graph);
  const seen = [...(states ?? startStates(workflow))] as readonly MachineContext[];
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
        if (!kinds(mutation.kind)) continue;
        const mutant = mutantMachine(machine, { state, on }, mutation.rivals);
        yield { ...described(state, rivals, mutation), workflow: withMachine(workflow, mutant) };
      }
    }
  }
  for (const { kind, part, detail, machine: mutant } of definitionMutants(machine, seen)) {
    if (!kinds(kind)) continue;
    yield { kind, edge: part, description: describe(part, kind, detail), workflow: withMachine(workflow, mutant) };
  }
}

function withMachine<TWorkflow extends AnyWorkflow>(workflow: TWorkflow, machine: AnyStateMachine): TWorkflow {
  const structure = { ...workflow.structure, ...toStructure(toGraph(machine)) };
  return { ...workflow, machine, structure, structureHash: structureHash(structure) };
}

function startStates(workflow: AnyWorkflow): readonly MachineContext[] {
  try {
    return startsOf(workflow, everyEdgeOf(workflow), undefined).map(({ position }) => position.state);
  } catch {
    return []; // a run needs an input
  }
}

function described(state: string, rivals: readonly GraphEdge[], { kind, at, detail }: Mutation): Omit<Mutant<unknown>, 'workflow'> {
  const edge = rivals[at];
  const text = edge ? edgeText(state, edge) : state;
  return { kind, edge: text, description: describe(text, kind, detail) };
}

const describe = (part: string, kind: MutationKind, detail: string): string => `${part}: ${kind}${detail === '' ? '' : `, ${detail}`}`;

/** Returns the siblings of a state; none for a region of a parallel state, which cannot be a target on its own. */
function siblingsIn({ states }: MachineGraph): (path: string) => readonly string[] {
  const byPath = new Map(states.map((state) => [state.path, state]));
  return (path) => {
    const parent = byPath.get(path)?.parent ?? '';
    if (byPath.get(parent)?.kind === 'parallel') return [];
    return states.filter((state) => state.parent === parent && state.path !== path).map((state) => state.path);
  };
}
