import type { MachineContext } from 'xstate';
import { type Counterexample, toCounterexample } from './counterexample.ts';
import type { ExploredMove, ExploredState } from './exploration.ts';
import type { Invariant, Predicate } from './invariant.ts';
import { evaluate } from './refinement.ts';
import { pathIn } from './until.ts';

/**
 * Invariant that every run reaches a condition: no run ends or loops without it. Waiting for a human forever is not a loop. Repeating the
 * same nodes is one, unless a distinguished value counts the rounds.
 *
 * @example eventually('every run ends', ({ done }) => done)
 */
export const eventually = <TState = MachineContext>(name: string, comes: Predicate<TState>): Invariant<TState> => ({
  name,
  check(given) {
    const { exploration, holds } = evaluate(given, [comes]);
    const moves = exploration.moves.filter((move) => !holds(comes, move));
    const leaving = Map.groupBy(moves, ({ from }) => from);
    const starts = exploration.states.filter((place) => place.depth === 0 && !holds(comes, place));
    const before = reachedFrom(starts, leaving);
    const places = [...before.keys()];
    const ended = places.find(({ done }) => done);
    const way = ended && toCounterexample(startOf(ended), pathIn(before, ended));
    const circle = shortestCircle();
    const broken = way && (!circle || way.moves.length <= circle.moves.length) ? way : circle;
    if (!broken) return { verdict: 'holds' };
    const why = broken.loopFrom === undefined ? `A run ends in "${ended?.where}" without it.` : 'A run can loop forever without it.';
    return { verdict: 'broken', why, counterexample: broken };

    function startOf(place: ExploredState<TState>): ExploredState<TState> {
      return pathIn(before, place)[0]?.from ?? place;
    }

    function shortestCircle(): Counterexample<TState> | undefined {
      let shortest: Counterexample<TState> | undefined;
      for (const place of places) {
        const way = pathIn(before, place);
        const best = shortest?.moves.length ?? Number.POSITIVE_INFINITY;
        if (way.length + 1 >= best) break; // places are ordered by distance
        const round = wayBack(place, leaving, best - way.length);
        if (round) shortest = toCounterexample(startOf(place), [...way, ...round], way.length);
      }
      return shortest;
    }
  },
});

type MovesFrom<TState> = ReadonlyMap<ExploredState<TState>, readonly ExploredMove<TState>[]>;

/** Returns all reachable places, nearest first, each with the move that leads there. */
function reachedFrom<TState>(
  starts: readonly ExploredState<TState>[],
  leaving: MovesFrom<TState>,
): ReadonlyMap<ExploredState<TState>, ExploredMove<TState> | undefined> {
  const before = new Map<ExploredState<TState>, ExploredMove<TState> | undefined>(starts.map((start) => [start, undefined]));
  for (const [place] of before) for (const move of leaving.get(place) ?? []) if (!before.has(move.to)) before.set(move.to, move);
  return before;
}

/** Returns a shortest path from a place back to itself, with fewer moves than `limit`. */
function wayBack<TState>(
  place: ExploredState<TState>,
  leaving: MovesFrom<TState>,
  limit: number,
): readonly ExploredMove<TState>[] | undefined {
  const before = new Map<ExploredState<TState>, ExploredMove<TState>>();
  let edge: readonly ExploredState<TState>[] = [place];
  for (let length = 1; length < limit && edge.length > 0; length++) {
    const next: ExploredState<TState>[] = [];
    for (const at of edge) {
      for (const move of leaving.get(at) ?? []) {
        if (move.to === place) {
          const path = [move];
          for (let last = at; last !== place; last = path[0]?.from ?? place) {
            const into = before.get(last);
            if (!into) break;
            path.unshift(into);
          }
          return path;
        }
        if (!before.has(move.to)) {
          before.set(move.to, move);
          next.push(move.to);
        }
      }
    }
    edge = next;
  }
  return undefined;
}
