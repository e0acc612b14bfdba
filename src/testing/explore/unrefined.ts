import type { MachineContext } from 'xstate';
import type { UndecidedReason } from '../../core/ports/promise-report.ts';
import type { Counterexample } from './counterexample.ts';
import type { Question, Refined } from './decide.ts';
import { emptyProofs } from './gaps.ts';
import type { Predicate } from './invariant.ts';
import type { Path, PlaceGraph } from './place-graph.ts';
import { noteReads, ProbedPredicate } from './probe.ts';
import type { Refinement } from './refinement.ts';

/** An exploration as it is, for predicates that ask nothing about the state. */
export class Unrefined implements Refined {
  readonly predicates: ReadonlySet<Predicate>;
  readonly graph: PlaceGraph;
  /** False if a predicate reads the state at some moment. */
  readonly isEnough: boolean;
  readonly #base: Refinement;
  readonly #probed: readonly ProbedPredicate[];
  readonly #refine: () => Refined;

  constructor(base: Refinement, predicates: readonly Predicate[], refine: () => Refined) {
    this.predicates = new Set(predicates);
    this.graph = base.graph;
    this.#base = base;
    this.#refine = refine;
    this.#probed = predicates.map((predicate) => new ProbedPredicate(predicate));
    const { sample } = base.knowledge;
    this.isEnough = this.#probed.every((probed) => {
      probed.addMoments(base.moments, [sample]);
      return probed.probes.every((probe) => !noteReads(probe, [sample]));
    });
  }

  gaps(question: Question<MachineContext>): readonly UndecidedReason[] {
    const { cutOff, knowledge, moments } = this.#base;
    const empty = emptyProofs(question, this.#probed, knowledge, moments);
    // at a moment of no run it may read values of the state, for which only a refinement looks
    return empty.some(({ code }) => code === 'NEVER_BREAKABLE') ? this.#refine().gaps(question) : [...cutOff, ...empty];
  }

  deepen(): boolean {
    return this.#base.deepen();
  }

  replay(path: Path): Counterexample | undefined {
    return this.#base.replay(path);
  }
}
