import type { Exploration, ExploredMove, ExploredState } from './exploration.ts';
import { arrivalOf, type Predicate, placeOf } from './invariant.ts';
import { emptyReads, type ReadTree, recording } from './read-tree.ts';

/** What is told apart besides what the machine itself reads. */
export interface Told {
  readonly reads: ReadTree;
  /** Source texts of what reads it: numbers are told apart up to those in them. */
  readonly sources: readonly string[];
}

export const nothingMore: Told = { reads: emptyReads(), sources: [] };

/** Explores again; `undefined` when all of it was told apart already. */
type Refine = (told: Told) => Exploration | undefined;

const refinements = new WeakMap<object, Refine>();

/** Says how an exploration is made again, with more told apart. */
export function withRefinement(exploration: Exploration, refine: Refine): Exploration {
  refinements.set(exploration, refine);
  return exploration;
}

type Place<TState> = ExploredMove<TState> | ExploredState<TState>;

/** An exploration, and what predicates say of its moments. */
export interface Asked<TState> {
  readonly exploration: Exploration<TState>;
  /** Does a predicate hold when a move arrives, or in a place, however it was reached? */
  holds(predicate: Predicate<TState>, at: Place<TState>): boolean;
}

/**
 * Asks predicates in an exploration that tells apart all that they read. Without that, of two states that differ in what only a predicate
 * reads, one would stand for both.
 */
export function ask<TState>(exploration: Exploration<TState>, predicates: readonly Predicate<TState>[]): Asked<TState> {
  const reads = emptyReads();
  const sources = predicates.map(String);
  for (let at = exploration; ; ) {
    const refine = refinements.get(at);
    // to watch what is read costs more than all the rest
    const look = <T>(state: T): T => (refine ? recording(state, reads) : state);
    const answers = new Map(predicates.map((predicate) => [predicate, answersOf(at, predicate, look)]));
    const refined = refine?.({ reads, sources });
    if (!refined) return { exploration: at, holds: (predicate, place) => answers.get(predicate)?.get(place) === true };
    at = refined as Exploration<TState>;
  }
}

/** What a predicate says of every place and every move. */
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
