import type { MachineContext } from 'xstate';
import { toCounterexample } from './counterexample.ts';
import type { Invariant, Predicate } from './invariant.ts';
import { evaluate } from './refinement.ts';

/**
 * Invariant that a waiting state accepts each of these events. Other invariants cannot show this, because a rejected event causes no move.
 *
 * @param state Path of the waiting state.
 * @param when Restricts the places where it waits. Default: all of them.
 * @example accepts('a human may approve or reject', 'review', ['APPROVE', 'REJECT'])
 */
export const accepts = <TState = MachineContext>(
  name: string,
  state: string,
  events: readonly string[],
  when: Predicate<TState> = () => true,
): Invariant<TState> => ({
  name,
  check(given) {
    const { exploration, holds } = evaluate(given, [when]);
    const { states, moves, pathTo } = exploration;
    const leaving = Map.groupBy(moves, ({ from }) => from);
    for (const place of states.filter((each) => each.waiting.includes(state) && holds(when, each))) {
      const taken = new Set(leaving.get(place)?.flatMap(({ edges }) => edges.flatMap((edge) => (edge.from === state ? edge.on : []))));
      const refused = events.find((event) => !taken.has(event));
      if (refused === undefined) continue;
      const path = pathTo(place);
      const why = `"${place.where}" rejects ${refused}.`;
      return { verdict: 'broken', why, counterexample: toCounterexample(path[0]?.from ?? place, path) };
    }
    return { verdict: 'holds' };
  },
});
