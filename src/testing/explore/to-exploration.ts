import { optionInvalid } from '../../core/util/check-options.ts';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import type { Exploration, ExploredMove, ExploredState } from './exploration.ts';
import type { ExploreOptions } from './explore-machine.ts';
import { pathOf } from './place-graph.ts';
import { pathsOf } from './read-tree.ts';
import type { Refinement } from './refinement.ts';
import type { Subject } from './subject.ts';

/** Converts the results of a search to an exploration. Its lists of places and moves are made when they are first read. */
export function toExploration(
  { search, knowledge, cutOff }: Pick<Refinement, 'search' | 'knowledge' | 'cutOff'>,
  { workflow, graph, given }: Subject,
  { maxStates, unreachable = [], abstract }: Pick<ExploreOptions, 'unreachable' | 'abstract'> & { readonly maxStates: number },
): Exploration {
  const { graph: places, failures, startEdges } = search;
  const taken = new Map(startEdges.map((edge) => [keyOf(edge), edge]));
  for (const { edges } of places.labels) for (const edge of edges) taken.set(keyOf(edge), edge);
  const edges = graph.states.flatMap(({ path, edges: leaving }) => leaving.map(({ on, guard }) => toTaken(path, on, guard)));
  const accepted: readonly string[] = Array.isArray(unreachable) ? unreachable : Object.keys(unreachable);
  for (const name of accepted) {
    if (!edges.some((edge) => nameOf(edge) === name || nameOf(edge).startsWith(`${name} [`))) {
      throw optionInvalid(
        `The machine "${graph.id}" has no edge "${name}".`,
        'Name an edge as "state --event" or "state --event [guard]".',
      );
    }
  }
  const isAccepted = ({ guard, ...edge }: TakenEdge): boolean =>
    accepted.includes(nameOf({ ...edge, ...(guard === undefined ? {} : { guard }) })) || accepted.includes(nameOf(edge));
  const able = places.leadingTo((place) => places.configuration(place).done);
  let states: readonly ExploredState[] | undefined;
  let moves: readonly ExploredMove[] | undefined;
  const listed = [...given].flatMap(([path, outcomes]) => (typeof outcomes === 'function' ? [] : [[path, outcomes] as const]));
  const waits = graph.states.flatMap(({ path, kind }) =>
    kind === 'waiting' && !given.has(path) ? [[path, knowledge.changes.eventsOf(path)] as const] : [],
  );
  return {
    workflow,
    graph,
    get states() {
      states ??= Array.from({ length: places.size }, (_, place) => places.explored(place));
      return states;
    },
    get moves() {
      moves ??= Array.from({ length: places.size }, (_, place) => places.movesFrom(place)).flat();
      return moves;
    },
    complete: cutOff.length === 0,
    bound: { maxStates },
    cutOff: cutOff.map(({ message, hint }) => `${message} ${hint}`),
    gaps: cutOff,
    abstraction: [...(abstract ? ['the result of `abstract` for a state'] : []), ...pathsOf(knowledge.reads)],
    assumptions: [...given.keys()].map((path) => `"${path}" has only the given outcomes`),
    outcomes: new Map([...knowledge.outcomes.made, ...waits, ...listed]),
    edgesTaken: [...taken.values()],
    edgesNeverTaken: edges.filter((edge) => !taken.has(keyOf(edge)) && !isAccepted(edge)),
    stuck: search.cut ? [] : Array.from(able.keys()).flatMap((place) => (able[place] === 1 ? [] : [places.explored(place)])),
    failures,
    pathTo: ({ index }) => pathOf(places, places.pathTo(index)).moves,
  };
}

const toTaken = (from: string, on: string, guard: string | undefined): TakenEdge => ({
  from,
  on,
  ...(guard === undefined ? {} : { guard }),
});

const keyOf = ({ from, on, guard = '' }: TakenEdge): string => JSON.stringify([from, on, guard]);

const nameOf = ({ from, on, guard }: TakenEdge): string => `${from} --${on}${guard === undefined ? '' : ` [${guard}]`}`;
