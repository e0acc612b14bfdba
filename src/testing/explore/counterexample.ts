import type { MachineContext } from 'xstate';
import type { TakenEdge } from '../../engine/drive/stepper.ts';
import type { ExploredMove, ExploredState } from './exploration.ts';

/** A shortest path to a violation. */
export interface Counterexample<TState = MachineContext> {
  readonly start: ExploredState<TState>;
  readonly moves: readonly ExploredMove<TState>[];
  /** Index of the first move of an endless loop. */
  readonly loopFrom?: number;
  /** Edges of the path in the format of the run event `edge`, for `toMermaid(graph, { path })`. */
  readonly path: readonly TakenEdge[];
}

/** @param moves Moves from `start` on. */
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
 * Describes a counterexample, one line per step: the state that ended, its outcome, the edge taken, and the new state.
 *
 * @example describeCounterexample(verdict.counterexample) // ['start in write', 'write: {"good":true} --done [isGood]--> review']
 */
export function describeCounterexample({ start, moves, loopFrom }: Counterexample): readonly string[] {
  const lines = moves.map(({ by, outcome, edges, to }) => {
    const taken = edges.map(({ from, on, guard }) => `${from === by ? '' : `${from} `}${on}${guard === undefined ? '' : ` [${guard}]`}`);
    return `${by}: ${outcome} --${taken.join(', ')}--> ${to.where}`;
  });
  const again = loopFrom === undefined ? [] : [`repeats from step ${loopFrom + 1} forever`];
  return [`start in ${start.where}`, ...lines, ...again];
}
