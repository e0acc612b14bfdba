import type { MachineContext } from 'xstate';
import { toCounterexample } from './counterexample.ts';
import type { ExploredMove, ExploredState } from './exploration.ts';
import type { Invariant, Predicate } from './invariant.ts';
import { evaluate } from './refinement.ts';

/**
 * Invariant that a condition holds from the start of each run until another one does. From that moment on it need not hold. The other
 * condition need not come true; require it with `eventually`.
 *
 * @example until('no guide without APPROVE', ({ isIn }) => !isIn('write_guide'), ({ took }) => took('review', 'APPROVE'))
 */
export const until = <TState = MachineContext>(name: string, holds: Predicate<TState>, released: Predicate<TState>): Invariant<TState> => ({
  name,
  check(given) {
    const { exploration, holds: isTrue } = evaluate(given, [holds, released]);
    const leaving = Map.groupBy(exploration.moves, ({ from }) => from);
    const before = new Map<ExploredState<TState>, ExploredMove<TState> | undefined>();
    for (const start of exploration.states.filter(({ depth }) => depth === 0)) {
      if (isTrue(released, start)) continue;
      if (!isTrue(holds, start)) {
        return {
          verdict: 'broken',
          why: `It does not hold at the start, in "${start.where}".`,
          counterexample: toCounterexample(start, []),
        };
      }
      before.set(start, undefined);
    }
    // a Map's iteration also visits entries that are added during it, nearest places first
    for (const [place] of before) {
      for (const move of leaving.get(place) ?? []) {
        if (isTrue(released, move)) continue;
        if (!isTrue(holds, move)) {
          const path = [...pathIn(before, place), move];
          const why = `It does not hold in "${move.to.where}", before the other condition has become true.`;
          return { verdict: 'broken', why, counterexample: toCounterexample(path[0]?.from ?? place, path) };
        }
        if (!before.has(move.to)) before.set(move.to, move);
      }
    }
    return { verdict: 'holds' };
  },
});

/** Returns the path to a place, from the move that led to each place. */
export function pathIn<TState>(
  before: ReadonlyMap<ExploredState<TState>, ExploredMove<TState> | undefined>,
  to: ExploredState<TState>,
): readonly ExploredMove<TState>[] {
  const path: ExploredMove<TState>[] = [];
  for (let move = before.get(to); move; move = before.get(move.from)) path.unshift(move);
  return path;
}
