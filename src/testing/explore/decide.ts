import type { MachineContext } from 'xstate';
import type { UndecidedReason } from '../../core/ports/promise-report.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { Counterexample } from './counterexample.ts';
import type { Exploration } from './exploration.ts';
import type { Invariant, Predicate, Verdict } from './invariant.ts';
import { type Path, type PlaceGraph, pathOf, toPlaceGraph } from './place-graph.ts';

/** Returns whether a predicate is true at a place, or at the end of a move to it. */
export type Holds = (predicate: Predicate, place: number, move?: number) => boolean;

/** A violation of a property. */
export interface Violation {
  /** The violation as a sentence. */
  why(way: Counterexample): string;
  readonly path: Path;
}

/** A property as a question about a graph. */
export interface Question<TState> {
  readonly predicates: readonly Predicate<TState>[];
  /** The predicate that some state should be able to break; a property that nothing can break proves nothing. */
  readonly breakable?: Predicate<TState>;
  /** The predicate that some state should be able to meet. */
  readonly reachable?: Predicate<TState>;
  /** True if a violation says something about all runs, so that it is no proof as long as something was not explored. */
  readonly isUniversal?: boolean;
  /** Returns a shortest violation. */
  find(graph: PlaceGraph, holds: Holds): Violation | undefined;
}

/** A graph that distinguishes everything that some predicates distinguish. */
export interface Refined {
  readonly graph: PlaceGraph;
  /** Reasons why a property without a violation is undecided nevertheless. */
  gaps(question: Question<MachineContext>): readonly UndecidedReason[];
  /** Distinguishes more states than before, because a path could not be replayed. Returns false if it cannot. */
  deepen(): boolean;
  /** Plays a path with concrete states. Returns `undefined` if a real run does not go that way. */
  replay(path: Path): Counterexample | undefined;
}

/** Explores a machine as finely as predicates ask for. */
export interface Explorer {
  refined(predicates: readonly Predicate[]): Refined;
  /** Explores for many predicates at once, if that is complete. */
  prepare(predicates: readonly Predicate[]): void;
  /** Explores a machine that is like this one with what is known about this one. Only a broken promise is certain there. */
  trial(workflow: AnyWorkflow): Exploration;
}

const explorers = new WeakMap<object, Explorer>();

/** Registers the explorer behind an exploration. */
export function withExplorer(exploration: Exploration, explorer: Explorer): Exploration {
  explorers.set(exploration, explorer);
  return exploration;
}

/** Returns the explorer of an exploration that `exploreMachine` has made. */
export const explorerOf = <TState>(exploration: Exploration<TState>): Explorer | undefined => explorers.get(exploration);

/** Explores once for all predicates of some invariants, which is faster than once for each invariant. */
export function prepare<TState>(exploration: Exploration<TState>, invariants: readonly Invariant<TState>[]): void {
  const predicates = invariants.flatMap((invariant) => invariant.predicates ?? []) as Predicate[];
  if (predicates.length > 0) explorerOf(exploration)?.prepare(predicates);
}

const maxRounds = 6;

/** Decides a property. Each violation is replayed on the real machine before it is reported. */
export function decide<TState>(given: Exploration<TState>, asked: Question<TState>): Verdict<TState> {
  const question = asked as Question<MachineContext>;
  const explorer = explorerOf(given);
  if (!explorer) {
    const graph = toPlaceGraph(given as Exploration);
    const violation = question.find(graph, holdsIn(graph));
    return violation ? toBroken<TState>(violation, pathOf(graph, violation.path)) : { verdict: 'holds' };
  }
  for (let round = 0; round < maxRounds; round++) {
    const refined = explorer.refined(question.predicates);
    const violation = question.find(refined.graph, holdsIn(refined.graph));
    const doubts = violation && question.isUniversal ? refined.gaps(question) : [];
    if (doubts.length > 0) return { verdict: 'undecided', reasons: doubts };
    if (!violation) {
      const reasons = refined.gaps(question);
      return reasons.length === 0 ? { verdict: 'holds' } : { verdict: 'undecided', reasons };
    }
    const counterexample = refined.replay(violation.path);
    if (counterexample) return toBroken(violation, counterexample);
    if (!refined.deepen()) break;
  }
  return { verdict: 'undecided', reasons: [notReplayed] };
}

const notReplayed: UndecidedReason = {
  code: 'STILL_GROWING',
  message: 'A path to a violation was found that no real run takes, because states were merged that continue differently.',
  hint: 'Give `outcomes` for the nodes whose values grow, or bound them by `returns` or the schema of the state.',
};

const toBroken = <TState>({ why }: Violation, counterexample: Counterexample): Verdict<TState> => ({
  verdict: 'broken',
  why: why(counterexample),
  counterexample: counterexample as Counterexample<TState>,
});

/** Returns the graph that distinguishes what the predicates ask, with their results. */
export function evaluate<TState>(
  given: Exploration<TState>,
  predicates: readonly Predicate<TState>[],
): { graph: PlaceGraph; holds: Holds } {
  const explorer = explorerOf(given);
  const graph = explorer ? explorer.refined(predicates as readonly Predicate[]).graph : toPlaceGraph(given as Exploration);
  return { graph, holds: holdsIn(graph) };
}

/** Answers about kinds of moments. */
const [no, yes, dependsOnState] = [1, 2, 3];

/** Asks predicates. What one answers without a look at the state is asked once for each kind of moment. */
function holdsIn(graph: PlaceGraph): Holds {
  const answers = new Map<Predicate, number[]>();
  let [last, ofLast]: [Predicate | undefined, number[]] = [undefined, []];
  return (predicate, place, move) => {
    if (predicate !== last) {
      [last, ofLast] = [predicate, answers.get(predicate) ?? []];
      answers.set(predicate, ofLast);
    }
    const kind = graph.kindOf(place, move);
    const known = ofLast[kind];
    if (known === yes || known === no) return known === yes;
    const moment = graph.momentAt(place, move);
    if (known === dependsOnState) return predicate(moment);
    const ofPredicate = ofLast; // the predicate may ask others
    let isRead = false;
    const { state, ...others } = moment;
    const holds = predicate({
      ...others,
      get state() {
        isRead = true;
        return state;
      },
    });
    ofPredicate[kind] = isRead ? dependsOnState : holds ? yes : no;
    return holds;
  };
}
