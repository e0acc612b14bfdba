import type { MachineContext } from 'xstate';
import { toCounterexample } from './counterexample.ts';
import type { Invariant, Predicate } from './invariant.ts';
import { ask } from './refinement.ts';

/**
 * Promises that something can still be reached, wherever a run is: that there is a way, not that each run takes it.
 *
 * @param from Where it can be reached from. Default: from everywhere.
 * @example canReach('every run can end', ({ done }) => done)
 */
export const canReach = <TState = MachineContext>(
  name: string,
  reached: Predicate<TState>,
  from: Predicate<TState> = () => true,
): Invariant<TState> => ({
  name,
  check(given) {
    const { exploration, holds } = ask(given, [reached, from]);
    const { states, moves, pathTo } = exploration;
    const arriving = Map.groupBy(moves, ({ to }) => to);
    const able = new Set(states.filter((place) => holds(reached, place)));
    for (const move of moves) if (holds(reached, move)) able.add(move.from);
    // a Set's iteration also visits items that are added during it
    for (const place of able) for (const move of arriving.get(place) ?? []) able.add(move.from);
    const lost = states.find((place) => holds(from, place) && !able.has(place));
    if (!lost) return { ok: true };
    const path = pathTo(lost);
    return { ok: false, why: `It cannot be reached from "${lost.where}".`, counterexample: toCounterexample(path[0]?.from ?? lost, path) };
  },
});
