import type { Exploration, ExploredMove, ExploredState } from './exploration.ts';
import { arrivalOf, type Predicate, placeOf } from './invariant.ts';
import { emptyReads, type ReadTree, recording } from './read-tree.ts';

/** Additional distinctions, besides those of the machine itself. */
export interface Distinctions {
  readonly reads: ReadTree;
  /** Source texts of the readers. Their largest number is the limit for distinguishing numbers. */
  readonly sources: readonly string[];
}

export const noDistinctions: Distinctions = { reads: emptyReads(), sources: [] };

/** Explores again; `undefined` if the distinctions are not new. */
type Refine = (distinctions: Distinctions) => Exploration | undefined;

const refinements = new WeakMap<object, Refine>();

/** Registers the function that explores again with more distinctions. */
export function withRefinement(exploration: Exploration, refine: Refine): Exploration {
  refinements.set(exploration, refine);
  return exploration;
}

type Place<TState> = ExploredMove<TState> | ExploredState<TState>;

/** An exploration with the results of predicates. */
export interface Evaluation<TState> {
  readonly exploration: Exploration<TState>;
  /** Returns whether a predicate holds on a move's arrival, or at a place regardless of the move. */
  holds(predicate: Predicate<TState>, at: Place<TState>): boolean;
}

/**
 * Evaluates predicates on an exploration that distinguishes every value they read. Otherwise one state could represent states that a
 * predicate tells apart.
 */
export function evaluate<TState>(exploration: Exploration<TState>, predicates: readonly Predicate<TState>[]): Evaluation<TState> {
  const reads = emptyReads();
  const sources = predicates.map(String);
  for (let at = exploration; ; ) {
    const refine = refinements.get(at);
    // skips the recording if possible, since it costs more than everything else
    const record = <T>(state: T): T => (refine ? recording(state, reads) : state);
    const answers = new Map(predicates.map((predicate) => [predicate, answersOf(at, predicate, record)]));
    const refined = refine?.({ reads, sources });
    if (!refined) return { exploration: at, holds: (predicate, place) => answers.get(predicate)?.get(place) === true };
    at = refined as Exploration<TState>;
  }
}

/** Returns the results of a predicate for all places and moves. */
function answersOf<TState>(
  { states, moves }: Exploration<TState>,
  predicate: Predicate<TState>,
  look: (state: Readonly<TState>) => Readonly<TState>,
): ReadonlyMap<Place<TState>, boolean> {
  const answers = new Map<Place<TState>, boolean>();
  for (const place of states) answers.set(place, predicate(placeOf(place, look(place.state))));
  for (const move of moves) answers.set(move, predicate(arrivalOf(move, look(move.state))));
  return answers;
}
