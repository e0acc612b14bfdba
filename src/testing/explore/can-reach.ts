import type { MachineContext } from 'xstate';
import { toCounterexample } from './counterexample.ts';
import type { Invariant, Predicate } from './invariant.ts';
import { evaluate } from './refinement.ts';

/**
 * Invariant that a condition can still be reached from everywhere. It requires a possible path, not that each run takes it.
 *
 * @param from Places from which it must be reachable. Default: all.
 * @example canReach('every run can end', ({ done }) => done)
 */
export const canReach = <TState = MachineContext>(
  name: string,
  reached: Predicate<TState>,
  from: Predicate<TState> = () => true,
): Invariant<TState> => ({
  name,
  check(given) {
    const { exploration, holds } = evaluate(given, [reached, from]);
    const { states, moves, pathTo } = exploration;
    const arriving = Map.groupBy(moves, ({ to }) => to);
    const able = new Set(states.filter((place) => holds(reached, place)));
    for (const move of moves) if (holds(reached, move)) able.add(move.from);
    // a Set's iteration also visits items that are added during it
    for (const place of able) for (const move of arriving.get(place) ?? []) able.add(move.from);
    const lost = states.find((place) => holds(from, place) && !able.has(place));
    if (!lost) return { verdict: 'holds' };
    const path = pathTo(lost);
    return {
      verdict: 'broken',
      why: `It is unreachable from "${lost.where}".`,
      counterexample: toCounterexample(path[0]?.from ?? lost, path),
    };
  },
});
