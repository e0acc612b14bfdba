import type { MachineContext } from 'xstate';
import type { TakenEdge } from '../../runtime/stepper.ts';
import type { ExploredMove, ExploredState } from './exploration.ts';

/** A shortest way to where something does not hold. */
export interface Counterexample<TState = MachineContext> {
  readonly start: ExploredState<TState>;
  readonly moves: readonly ExploredMove<TState>[];
  /** It goes on for ever from the move with this index on, again and again. */
  readonly loopFrom?: number;
  /** The edges of the way, as the run event `edge` says them: for `toMermaid(graph, { path })`. */
  readonly path: readonly TakenEdge[];
}

/** @param moves From `start` on. */
export const toCounterexample = <TState>(
  start: ExploredState<TState>,
  moves: readonly ExploredMove<TState>[],
  loopFrom?: number,
): Counterexample<TState> => ({
  start,
  moves,
  ...(loopFrom === undefined ? {} : { loopFrom }),
  path: moves.flatMap(({ edges }) => edges),
});

/**
 * The steps of a counterexample, a line for each: what has ended, with what, which edge was taken, and where that leads.
 *
 * @example describeCounterexample(verdict.counterexample) // ['start in write', 'write: {"good":true} --done [isGood]--> review']
 */
export function describeCounterexample({ start, moves, loopFrom }: Counterexample): readonly string[] {
  const lines = moves.map(({ by, outcome, edges, to }) => {
    const taken = edges.map(({ from, on, guard }) => `${from === by ? '' : `${from} `}${on}${guard === undefined ? '' : ` [${guard}]`}`);
    return `${by}: ${outcome} --${taken.join(', ')}--> ${to.where}`;
  });
  const again = loopFrom === undefined ? [] : [`and again from step ${loopFrom + 1} on, for ever`];
  return [`start in ${start.where}`, ...lines, ...again];
}
