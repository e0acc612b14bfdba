import { type GraphState, type MachineGraph, targetsOf } from '../../../engine/define/graph.ts';

/** Sorts the states of a graph in the order in which a run reaches them. A config sent as JSON may have its keys sorted by name. */
export function inReadingOrder(graph: MachineGraph): MachineGraph {
  const level = (parent: string, initial: string | undefined): GraphState[] => {
    const siblings = graph.states.filter((state) => state.parent === parent);
    return reached(siblings, initial, graph.states).flatMap((state) => [state, ...level(state.path, state.initial)]);
  };
  return { ...graph, states: level('', graph.initial) };
}

/** Sorts siblings by when they are reached from the initial one. Unreachable ones come last. */
function reached(siblings: readonly GraphState[], initial: string | undefined, all: readonly GraphState[]): readonly GraphState[] {
  const found = new Set<GraphState>();
  const first = siblings.find(({ path }) => path === initial);
  const isIn = (path: string, state: GraphState): boolean => path === state.path || path.startsWith(`${state.path}.`);
  for (const state of first ? [first] : []) found.add(state);
  // the loop also visits items added during iteration
  for (const state of found) {
    const targets = all.filter(({ path }) => isIn(path, state)).flatMap(({ edges }) => edges.flatMap(targetsOf));
    for (const target of targets) for (const sibling of siblings) if (isIn(target, sibling)) found.add(sibling);
  }
  return [...found, ...siblings.filter((state) => !found.has(state))];
}
