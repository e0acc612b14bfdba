import type { MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { Counterexample } from './counterexample.ts';
import { decide, evaluate, type Holds } from './decide.ts';
import type { Exploration } from './exploration.ts';
import type { Invariant, Predicate } from './invariant.ts';
import type { CallCount } from './outcome-class.ts';
import { type MoveLabel, type Path, type PlaceGraph, pathOf } from './place-graph.ts';
import { leastWay, mostWay, type Step, type Way, type WayGraph } from './way-graph.ts';

export interface CallBoundsOptions<TState = MachineContext> {
  /** Kind of calls to count. */
  readonly per: 'model' | 'tool';
  /**
   * Number of calls that a node makes, by the path of its state or by its name. Applies if the outcome itself has no `calls`. For a node
   * that fails, or is left before its end, the number is only a maximum. Default: 0 to `Infinity`.
   */
  readonly calls?: { readonly [stateOrNode: string]: CallCount };
  /** Start of a path: a state, or a test of a place. Default: the start of a run. */
  readonly from?: string | Predicate<TState>;
  /** End of a path, at its first arrival: a state, or a test of a place. Default: the end of a run. */
  readonly to?: string | Predicate<TState>;
  /** Selects paths by how often the node or the wait of a state ends on them: `{ planner: 0, replanner: [1, 3] }` */
  readonly visits?: { readonly [state: string]: CallCount };
}

/** Minimum and maximum number of calls on the selected paths. */
export interface CallBounds<TState = MachineContext> {
  readonly min: number;
  /** `Infinity` if there is no limit. */
  readonly max: number;
  /** A path with the fewest calls. */
  readonly least: Counterexample<TState>;
  /** A path with the most calls. Without a limit, the path ends in a loop. */
  readonly most: Counterexample<TState>;
}

/**
 * Computes the minimum and maximum number of calls on all selected paths.
 *
 * @returns `undefined` if there is no such path.
 * @throws {WorkflowError} `OPTION_INVALID` for an unknown state or node.
 * @example callBounds(explored, { per: 'model', to: 'done', visits: { planner: 0 }, calls: { router: 1, answer: [1, 2] } }) // { min: 2,
 * max: 3, … }
 */
export function callBounds<TState>(given: Exploration<TState>, options: CallBoundsOptions<TState>): CallBounds<TState> | undefined {
  const ends = endsOf(given, options);
  const { graph, holds } = evaluate(given, ends.predicates);
  const bounds = boundsIn(graph, holds, options, ends);
  if (!bounds) return undefined;
  const toCounterexample = (path: Path): Counterexample<TState> => pathOf(graph, path) as Counterexample<TState>;
  return { ...bounds, least: toCounterexample(bounds.least), most: toCounterexample(bounds.most) };
}

/**
 * Invariant that the number of calls on all selected paths is within limits.
 *
 * @example callsWithin('an answer takes two or three calls of a model', { per: 'model', min: 2, max: 3, calls: { router: 1, answer: [1, 2]
 * } })
 */
export const callsWithin = <TState = MachineContext>(
  name: string,
  { min = 0, max = Number.POSITIVE_INFINITY, ...options }: CallBoundsOptions<TState> & { readonly min?: number; readonly max?: number },
): Invariant<TState> => ({
  name,
  predicates: [options.from, options.to].filter((end) => typeof end === 'function'),
  check(given) {
    const ends = endsOf(given, options);
    return decide(given, {
      predicates: ends.predicates,
      find(graph, holds) {
        const bounds = boundsIn(graph, holds, options, ends);
        if (!bounds)
          return graph.size === 0 ? undefined : { why: () => 'No path matches.', path: { start: graph.starts[0] ?? 0, moves: [] } };
        if (bounds.max > max) {
          const many = Number.isFinite(bounds.max) ? String(bounds.max) : 'an unlimited number of';
          return { why: () => `A path can make ${many} calls; the maximum is ${max}.`, path: bounds.most };
        }
        if (bounds.min >= min) return undefined;
        return { why: () => `A path can make only ${bounds.min} calls; the minimum is ${min}.`, path: bounds.least };
      },
    });
  },
});

/** Tests of the ends of paths. */
interface Ends<TState> {
  readonly from: Predicate<TState> | undefined;
  readonly to: Predicate<TState> | undefined;
  readonly predicates: readonly Predicate<TState>[];
  /** Names of nodes by path. */
  readonly nodeAt: ReadonlyMap<string, string | undefined>;
}

/** @throws {WorkflowError} `OPTION_INVALID` for an unknown state or node. */
function endsOf<TState>(given: Exploration<TState>, { from, to, visits = {}, calls = {} }: CallBoundsOptions<TState>): Ends<TState> {
  for (const path of [...Object.keys(visits), ...Object.keys(calls)]) assertKnown(given, path);
  const ends = { from: toPredicate(from, given), to: toPredicate(to, given) };
  // only those of the user: the exploration distinguishes the places of a state anyway
  const nodeAt = new Map(given.graph.states.map(({ path, node }) => [path, node]));
  return { ...ends, nodeAt, predicates: [from, to].filter((end) => typeof end === 'function') };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly least: Path;
  readonly most: Path;
}

function boundsIn<TState>(
  graph: PlaceGraph,
  holds: Holds,
  options: CallBoundsOptions<TState>,
  { from, to, nodeAt }: Ends<TState>,
): Bounds | undefined {
  const isTarget = (place: number): boolean => (to ? holds(to as Predicate, place) : graph.configuration(place).done);
  const places = Array.from({ length: graph.size }, (_, place) => place);
  const sources = from ? places.filter((place) => holds(from as Predicate, place)) : graph.starts;
  const ways = wayGraph(graph, options, { sources, isTarget, nodeAt });
  const [least, most] = [leastWay(ways), mostWay(ways)];
  if (!least || !most) return undefined;
  const toPath = ({ steps, loopFrom }: Way<Point, number>): Path => ({
    start: steps[0]?.from.place ?? sources[0] ?? 0,
    moves: steps.map(({ label }) => label),
    ...(loopFrom === undefined ? {} : { loopFrom }),
  });
  return { min: least.count, max: most.count, least: toPath(least), most: toPath(most) };
}

/** A place, with the number of visits to each counted state on the way there. */
interface Point {
  readonly place: number;
  readonly visits: readonly number[];
  /** True at the start of a path, which is not an arrival. */
  readonly begins: boolean;
}

function wayGraph<TState>(
  graph: PlaceGraph,
  { per, calls = {}, visits = {} }: CallBoundsOptions<TState>,
  { sources, isTarget, nodeAt }: { sources: readonly number[]; isTarget(place: number): boolean; nodeAt: Ends<TState>['nodeAt'] },
): WayGraph<Point, number> {
  const counted = Object.entries(visits).map(([path, count]) => [path, rangeOf(count)] as const);
  const known = new Map<string, Point>();
  const pointAt = (place: number, visited: readonly number[], begins = false): Point => {
    const key = `${place} ${visited} ${begins}`;
    const point = known.get(key) ?? { place, visits: visited, begins };
    known.set(key, point);
    return point;
  };
  const most = (path: string): CallCount => calls[path] ?? calls[nodeAt.get(path) ?? ''] ?? [0, Number.POSITIVE_INFINITY];
  const callsOf = ({ calls: own, kind, by, edges, stopped }: MoveLabel): readonly [number, number] => {
    const [min, max] = rangeOf(own?.[per] ?? (kind === 'node' ? most(by) : 0));
    const failed = own?.[per] === undefined && edges.some(({ from, on }) => from === by && on === 'error');
    return [failed ? 0 : min, max + stopped.reduce((sum, path) => sum + rangeOf(most(path))[1], 0)];
  };
  const steps = new Map<Point, readonly Step<Point, number>[]>();
  const stepsFrom = (point: Point): readonly Step<Point, number>[] => {
    if (!point.begins && isTarget(point.place)) return [];
    return graph.movesOf(point.place).flatMap((move) => {
      const label = graph.label(move);
      const next = counted.map(([path, [, max]], index) => {
        const visited = (point.visits[index] ?? 0) + (label.by === path ? 1 : 0);
        return Number.isFinite(max) ? visited : Math.min(visited, counted[index]?.[1][0] ?? 0);
      });
      if (next.some((visited, index) => visited > (counted[index]?.[1][1] ?? 0))) return [];
      const [min, max] = callsOf(label);
      return [{ from: point, to: pointAt(graph.target(move), next), label: move, min, max }];
    });
  };
  const first = sources.map((place) =>
    pointAt(
      place,
      counted.map(() => 0),
      true,
    ),
  );
  const all = new Set(first);
  for (const point of all) {
    const found = stepsFrom(point);
    steps.set(point, found);
    for (const { to } of found) all.add(to); // a Set's iteration also visits items that are added during it
  }
  const isEnough = ({ visits: made }: Point): boolean => counted.every(([, [min]], index) => (made[index] ?? 0) >= min);
  const targets = new Set([...all].filter((point) => !point.begins && isTarget(point.place) && isEnough(point)));
  const useful = leadingTo(targets, steps);
  return {
    sources: first.filter((point) => useful.has(point)),
    targets,
    leaving: (point) => (steps.get(point) ?? []).filter(({ to }) => useful.has(to)),
  };
}

function leadingTo(targets: ReadonlySet<Point>, steps: ReadonlyMap<Point, readonly Step<Point, number>[]>): ReadonlySet<Point> {
  const before = Map.groupBy([...steps.values()].flat(), ({ to }) => to);
  const useful = new Set(targets);
  // a Set's iteration also visits items that are added during it
  for (const point of useful) for (const { from } of before.get(point) ?? []) useful.add(from);
  return useful;
}

const rangeOf = (count: CallCount): readonly [number, number] => (typeof count === 'number' ? [count, count] : count);

function toPredicate<TState>(at: string | Predicate<TState> | undefined, exploration: Exploration<TState>): Predicate<TState> | undefined {
  if (typeof at !== 'string') return at;
  assertKnown(exploration, at);
  return ({ isIn }) => isIn(at);
}

function assertKnown<TState>({ graph: { id, states } }: Exploration<TState>, name: string): void {
  if (states.some(({ path, node }) => path === name || node === name)) return;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The machine "${id}" has no state and no node "${name}".`,
    hint: 'Use the path of a state or the name of a node.',
    data: { name },
  });
}
