import type { MachineContext } from 'xstate';
import { toCounterexample } from './counterexample.ts';
import type { Invariant, Predicate } from './invariant.ts';
import { evaluate } from './refinement.ts';

/**
 * Invariant that holds at every moment of every run, the start included.
 *
 * @example always('the window stays small', ({ state }) => state.messages.length <= 10)
 */
export const always = <TState = MachineContext>(name: string, holds: Predicate<TState>): Invariant<TState> => ({
  name,
  check(given) {
    const { exploration, holds: isTrue } = evaluate(given, [holds]);
    const { states, moves, pathTo } = exploration;
    const start = states.find((place) => place.depth === 0 && !isTrue(holds, place));
    if (start)
      return { verdict: 'broken', why: `It does not hold at the start, in "${start.where}".`, counterexample: toCounterexample(start, []) };
    // moves are ordered by distance, so the first violation is a nearest one
    const move = moves.find((each) => !isTrue(holds, each));
    if (!move) return { verdict: 'holds' };
    const why = `It does not hold in "${move.to.where}", after ${move.outcome} of ${move.by}.`;
    const path = [...pathTo(move.from), move];
    return { verdict: 'broken', why, counterexample: toCounterexample(path[0]?.from ?? move.from, path) };
  },
});

/**
 * Invariant that a condition holds at no moment of any run.
 *
 * @example never('nothing runs without a plan', ({ isIn, state }) => isIn('executor') && state.plan.length === 0)
 */
export const never = <TState = MachineContext>(name: string, holds: Predicate<TState>): Invariant<TState> => {
  // the source text contains the numbers of comparisons
  const negated: Predicate<TState> = Object.assign((moment: Parameters<Predicate<TState>>[0]) => !holds(moment), {
    toString: () => String(holds),
  });
  return always(name, negated);
};
