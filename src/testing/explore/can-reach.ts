import type { MachineContext } from 'xstate';
import { decide } from './decide.ts';
import type { Invariant, Predicate } from './invariant.ts';

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
  predicates: [reached, from],
  check: (given) =>
    decide(given, {
      predicates: [reached, from],
      reachable: reached,
      isUniversal: true,
      find(graph, holds) {
        const [goal, origin] = [reached as Predicate, from as Predicate];
        const able = graph.leadingTo(
          (place) => holds(goal, place),
          (move) => holds(goal, graph.target(move), move),
        );
        for (let place = 0; place < graph.size; place++) {
          if (able[place] || !holds(origin, place)) continue;
          return { why: () => `It is unreachable from "${graph.configuration(place).where}".`, path: graph.pathTo(place) };
        }
        return undefined;
      },
    }),
});
