import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { MachineGraph } from '../../engine/define/graph.ts';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import type { Exploration, ExploredMove, ExploredState } from './exploration.ts';
import type { OutcomeClass } from './outcome-class.ts';
import { pathsOf, type ReadTree } from './read-tree.ts';
import type { SearchResult } from './search.ts';

/** Conditions of the search. */
export interface SearchConditions {
  readonly workflow: AnyWorkflow;
  readonly graph: MachineGraph;
  readonly maxStates: number;
  /** Values that distinguish states; `undefined` with a custom `abstract`. */
  readonly reads: ReadTree | undefined;
  readonly cutOff: readonly string[];
  readonly outcomes: ReadonlyMap<string, readonly OutcomeClass[]>;
}

/** Converts the results of a search to an exploration. */
export function toExploration(found: SearchResult, { workflow, graph, maxStates, reads, cutOff, outcomes }: SearchConditions): Exploration {
  const { states, moves, failures } = found;
  const allCut = found.cut
    ? [...cutOff, `states beyond the limit of ${maxStates} (give \`outcomes\` or \`abstract\`, or raise \`maxStates\`)`]
    : cutOff;
  const taken = new Map(found.startEdges.map((edge) => [keyOf(edge), edge]));
  const first = new Map<number, ExploredMove>();
  for (const move of moves) {
    for (const edge of move.edges) taken.set(keyOf(edge), edge);
    if (move.to.depth > 0 && move.from.depth < move.to.depth && !first.has(move.to.index)) first.set(move.to.index, move);
  }
  const edges = graph.states.flatMap(({ path, edges }) => edges.map(({ on, guard }) => toTaken(path, on, guard)));
  return {
    workflow,
    graph,
    states,
    moves,
    complete: allCut.length === 0,
    bound: { maxStates },
    cutOff: allCut,
    abstraction: reads
      ? ['the results of all guards', ...pathsOf(reads)]
      : ['the results of all guards', 'the result of `abstract` for a state'],
    outcomes,
    edgesTaken: [...taken.values()],
    edgesNeverTaken: edges.filter((edge) => !taken.has(keyOf(edge))),
    stuck: withoutEnd(states, moves),
    failures,
    pathTo(state) {
      const path: ExploredMove[] = [];
      for (let move = first.get(state.index); move; move = first.get(move.from.index)) path.unshift(move);
      return path;
    },
  };
}

const toTaken = (from: string, on: string, guard: string | undefined): TakenEdge => ({
  from,
  on,
  ...(guard === undefined ? {} : { guard }),
});

const keyOf = ({ from, on, guard = '' }: TakenEdge): string => JSON.stringify([from, on, guard]);

function withoutEnd(states: readonly ExploredState[], moves: readonly ExploredMove[]): readonly ExploredState[] {
  const before = new Map<ExploredState, ExploredState[]>();
  for (const { from, to } of moves) {
    const arriving = before.get(to);
    if (arriving) arriving.push(from);
    else before.set(to, [from]);
  }
  const ending = new Set(states.filter(({ done }) => done));
  // a Set's iteration also visits items that are added during it
  for (const state of ending) for (const from of before.get(state) ?? []) ending.add(from);
  return states.filter((state) => !ending.has(state));
}
