import type { MachineContext } from 'xstate';
import type { Counterexample } from './counterexample.ts';
import { decide } from './decide.ts';
import type { Invariant, Predicate } from './invariant.ts';

/**
 * Invariant that holds at every moment of every run, the start included.
 *
 * @example always('the window stays small', ({ state }) => state.messages.length <= 10)
 */
export const always = <TState = MachineContext>(name: string, condition: Predicate<TState>): Invariant<TState> => ({
  name,
  predicates: [condition],
  check: (given) =>
    decide(given, {
      predicates: [condition],
      breakable: condition,
      find(graph, holds) {
        const asked = condition as Predicate;
        const start = graph.starts.find((place) => !holds(asked, place));
        if (start !== undefined) {
          return { why: () => `It does not hold at the start, in "${graph.configuration(start).where}".`, path: { start, moves: [] } };
        }
        const seen = new Set<number>();
        // places are ordered by distance, so the first violation is a nearest one
        for (let place = 0; place < graph.size; place++) {
          const move = graph.findMove(place, seen, (each) => !holds(asked, graph.target(each), each));
          if (move === undefined) continue;
          const { start: from, moves } = graph.pathTo(place);
          const { where } = graph.configuration(graph.target(move));
          const why = (way: Counterexample): string => {
            const { by, outcome } = way.moves.at(-1) ?? graph.label(move);
            return `It does not hold in "${where}", after ${outcome} of ${by}.`;
          };
          return { why, path: { start: from, moves: [...moves, move] } };
        }
        return undefined;
      },
    }),
});

/**
 * Invariant that a condition holds at no moment of any run.
 *
 * @example never('nothing runs without a plan', ({ isIn, state }) => isIn('executor') && state.plan.length === 0)
 */
export const never = <TState = MachineContext>(name: string, holds: Predicate<TState>): Invariant<TState> => {
  // the source text contains the constants of comparisons
  const negated: Predicate<TState> = Object.assign((moment: Parameters<Predicate<TState>>[0]) => !holds(moment), {
    toString: () => String(holds),
  });
  return always(name, negated);
};
