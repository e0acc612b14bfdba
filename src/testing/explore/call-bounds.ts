import type { MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { type Counterexample, toCounterexample } from './counterexample.ts';
import type { Exploration, ExploredMove, ExploredState } from './exploration.ts';
import type { Invariant, Predicate } from './invariant.ts';
import type { CallCount } from './outcome-class.ts';
import { evaluate } from './refinement.ts';
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
  const [from, to] = [toPredicate(options.from, given), toPredicate(options.to, given)];
  for (const path of [...Object.keys(options.visits ?? {}), ...Object.keys(options.calls ?? {})]) assertKnown(given, path);
  const { exploration, holds } = evaluate(
    given,
    [from, to].filter((predicate) => predicate !== undefined),
  );
  const isTarget = (place: ExploredState<TState>): boolean => (to ? holds(to, place) : place.done);
  const sources = exploration.states.filter((place) => (from ? holds(from, place) : place.depth === 0));
  const graph = wayGraph(exploration, options, sources, isTarget);
  const [least, most] = [leastWay(graph), mostWay(graph)];
  if (!least || !most) return undefined;
  return { min: least.count, max: most.count, least: toWay(least), most: toWay(most) };

  function toWay({ steps, loopFrom }: Way<Point<TState>, ExploredMove<TState>>): Counterexample<TState> {
    const moves = steps.map(({ label }) => label);
    const [start] = steps.length > 0 ? steps.map((step) => step.from.place) : sources;
    if (!start) throw new Error('a path without a start');
    return toCounterexample(start, moves, loopFrom);
  }
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
  check(exploration) {
    const bounds = callBounds(exploration, options);
    if (!bounds) {
      const [start] = exploration.states;
      return start ? { verdict: 'broken', why: 'No path matches.', counterexample: toCounterexample(start, []) } : { verdict: 'holds' };
    }
    if (bounds.max > max) {
      const many = Number.isFinite(bounds.max) ? String(bounds.max) : 'an unlimited number of';
      return { verdict: 'broken', why: `A path can make ${many} calls; the maximum is ${max}.`, counterexample: bounds.most };
    }
    if (bounds.min < min)
      return { verdict: 'broken', why: `A path can make only ${bounds.min} calls; the minimum is ${min}.`, counterexample: bounds.least };
    return { verdict: 'holds' };
  },
});

/** A place, with the number of visits to each counted state on the way there. */
interface Point<TState> {
  readonly place: ExploredState<TState>;
  readonly visits: readonly number[];
  /** True at the start of a path, which is not an arrival. */
  readonly begins: boolean;
}

function wayGraph<TState>(
  exploration: Exploration<TState>,
  { per, calls = {}, visits = {} }: CallBoundsOptions<TState>,
  sources: readonly ExploredState<TState>[],
  isTarget: (place: ExploredState<TState>) => boolean,
): WayGraph<Point<TState>, ExploredMove<TState>> {
  const leavingPlace = Map.groupBy(exploration.moves, ({ from }) => from);
  const nodeAt = new Map(exploration.graph.states.map(({ path, node }) => [path, node]));
  const counted = Object.entries(visits).map(([path, count]) => [path, rangeOf(count)] as const);
  const known = new Map<string, Point<TState>>();
  const pointAt = (place: ExploredState<TState>, visited: readonly number[], begins = false): Point<TState> => {
    const key = `${place.index} ${visited} ${begins}`;
    const point = known.get(key) ?? { place, visits: visited, begins };
    known.set(key, point);
    return point;
  };
  const most = (path: string): CallCount => calls[path] ?? calls[nodeAt.get(path) ?? ''] ?? [0, Number.POSITIVE_INFINITY];
  const callsOf = (move: ExploredMove<TState>): readonly [number, number] => {
    const own = move.calls?.[per] ?? (move.kind === 'node' ? most(move.by) : 0);
    const [min, max] = rangeOf(own);
    const failed = move.calls?.[per] === undefined && move.edges.some(({ from, on }) => from === move.by && on === 'error');
    return [failed ? 0 : min, max + move.stopped.reduce((sum, path) => sum + rangeOf(most(path))[1], 0)];
  };
  const steps = new Map<Point<TState>, readonly Step<Point<TState>, ExploredMove<TState>>[]>();
  const stepsFrom = (point: Point<TState>): readonly Step<Point<TState>, ExploredMove<TState>>[] => {
    if (!point.begins && isTarget(point.place)) return [];
    return (leavingPlace.get(point.place) ?? []).flatMap((move) => {
      const next = counted.map(([path, [, max]], index) => {
        const visited = (point.visits[index] ?? 0) + (move.by === path ? 1 : 0);
        return Number.isFinite(max) ? visited : Math.min(visited, counted[index]?.[1][0] ?? 0);
      });
      if (next.some((visited, index) => visited > (counted[index]?.[1][1] ?? 0))) return [];
      const [min, max] = callsOf(move);
      return [{ from: point, to: pointAt(move.to, next), label: move, min, max }];
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
  const isEnough = ({ visits: made }: Point<TState>): boolean => counted.every(([, [min]], index) => (made[index] ?? 0) >= min);
  const targets = new Set([...all].filter((point) => !point.begins && isTarget(point.place) && isEnough(point)));
  const useful = leadingTo(targets, steps);
  return {
    sources: first.filter((point) => useful.has(point)),
    targets,
    leaving: (point) => (steps.get(point) ?? []).filter(({ to }) => useful.has(to)),
  };
}

function leadingTo<TState>(
  targets: ReadonlySet<Point<TState>>,
  steps: ReadonlyMap<Point<TState>, readonly Step<Point<TState>, ExploredMove<TState>>[]>,
): ReadonlySet<Point<TState>> {
  const before = new Map<Point<TState>, Point<TState>[]>();
  for (const { from, to } of [...steps.values()].flat()) before.set(to, [...(before.get(to) ?? []), from]);
  const useful = new Set(targets);
  for (const point of useful) for (const from of before.get(point) ?? []) useful.add(from);
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
