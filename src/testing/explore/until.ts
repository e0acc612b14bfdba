import type { MachineContext } from 'xstate';
import { decide } from './decide.ts';
import type { Invariant, Predicate } from './invariant.ts';
import { Reached } from './reached.ts';

/**
 * Invariant that a condition holds from the start of each run until another one does. From that moment on it need not hold. The other
 * condition need not come true; require it with `eventually`.
 *
 * @example until('no guide without APPROVE', ({ isIn }) => !isIn('write_guide'), ({ took }) => took('review', 'APPROVE'))
 */
export const until = <TState = MachineContext>(
  name: string,
  condition: Predicate<TState>,
  released: Predicate<TState>,
): Invariant<TState> => ({
  name,
  predicates: [condition, released],
  check: (given) =>
    decide(given, {
      predicates: [condition, released],
      find(graph, holds) {
        const [kept, freed] = [condition as Predicate, released as Predicate];
        const starts = graph.starts.filter((place) => !holds(freed, place));
        const start = starts.find((place) => !holds(kept, place));
        if (start !== undefined) {
          return { why: () => `It does not hold at the start, in "${graph.configuration(start).where}".`, path: { start, moves: [] } };
        }
        const reached = new Reached(graph, starts);
        const violation = reached.search((move) => {
          if (holds(freed, graph.target(move), move)) return 'skip';
          return holds(kept, graph.target(move), move) ? 'follow' : 'stop';
        });
        if (!violation) return undefined;
        const { where } = graph.configuration(graph.target(violation.move));
        const { start: from, moves } = reached.pathAt(violation.index);
        const why = (): string => `It does not hold in "${where}", before the other condition has become true.`;
        return { why, path: { start: from, moves: [...moves, violation.move] } };
      },
    }),
});
