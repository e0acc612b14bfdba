import type { MachineContext } from 'xstate';
import { checkInteger } from '../../core/util/check-integer.ts';
import type { AnyWorkflow, Workflow } from '../../engine/define/define-workflow.ts';
import { type Explorer, type Refined, withExplorer } from './decide.ts';
import type { Exploration } from './exploration.ts';
import type { Predicate } from './invariant.ts';
import type { Outcomes } from './outcome-class.ts';
import { Refinement, type RefinementOptions } from './refinement.ts';
import { type Subject, toSubject } from './subject.ts';
import { toExploration } from './to-exploration.ts';
import { Unrefined } from './unrefined.ts';

export interface ExploreOptions<TInput = unknown, TState = MachineContext> {
  /** Inputs of the runs. Default: values of the schema of the state; without a schema, one run without an input. */
  readonly inputs?: readonly TInput[];
  /**
   * Possible outcomes of a node or a wait, by the path of its state or the name of its node. A failure is added for a node without one.
   * Default: every combination of values that guards and promises tell apart.
   */
  readonly outcomes?: { readonly [stateOrNode: string]: Outcomes<TState> };
  /**
   * Returns the distinguishing part of a state; parts that are equal as JSON are one place, unless a guard or a promise tells their states
   * apart. Default: the classes of all values that guards, promises, events and `outcomes` read.
   */
  readonly abstract?: (state: Readonly<TState>) => unknown;
  /** Further values to try, by key of the state: `{ rate: [0.25] }`. */
  readonly values?: { readonly [K in keyof TState]?: readonly TState[K][] };
  /** Edges that no run takes: `['review --EXPIRE']`, or with the reasons: `{ 'review --EXPIRE': 'only the scheduler sends it' }`. */
  readonly unreachable?: readonly string[] | { readonly [edge: string]: string };
  /** Maximum number of places to explore. @default 10_000 */
  readonly maxStates?: number;
}

/**
 * Explores all places of a machine and all moves between them, without running a node. A few values represent all others that no guard and
 * no promise tells apart. The exploration is complete within its bound and its assumptions, which the result lists.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for outcomes of an unknown state, for outcomes that the workflow would reject, and if no run can
 * begin with the inputs.
 * @example
 * const explored = exploreMachine(workflow, { outcomes: { write: [{ patch: { good: true } }, { patch: { good: false } }] } });
 * explored.edgesNeverTaken; // []
 */
export function exploreMachine<TInput, TState, TOutput>(
  workflow: Workflow<TInput, TState, TOutput>,
  options: ExploreOptions<TInput, TState> = {},
): Exploration<TState> {
  const { inputs, outcomes, abstract, values, unreachable, maxStates = 10_000 } = options as ExploreOptions;
  const subjectOf = (one: AnyWorkflow): Subject => toSubject(one, { inputs, outcomes });
  const explorer = new MachineExplorer(workflow as AnyWorkflow, subjectOf, {
    maxStates: checkInteger('maxStates', maxStates, { min: 1 }),
    abstract,
    unreachable,
    values: values as RefinementOptions['values'],
    hasInputs: inputs !== undefined,
  });
  return explorer.exploration as Exploration<TState>;
}

/** Most places of an exploration that is refined further for more predicates. */
const maxShared = 5_000;

class MachineExplorer implements Explorer {
  readonly exploration: Exploration;
  readonly #base: Refinement;
  readonly #subject: Subject;
  readonly #subjectOf: (workflow: AnyWorkflow) => Subject;
  readonly #options: RefinementOptions & Pick<ExploreOptions, 'unreachable'>;
  readonly #made: Refinement[] = [];

  constructor(
    workflow: AnyWorkflow,
    subjectOf: (workflow: AnyWorkflow) => Subject,
    options: RefinementOptions & Pick<ExploreOptions, 'unreachable'>,
  ) {
    this.#subject = subjectOf(workflow);
    this.#subjectOf = subjectOf;
    this.#options = options;
    this.#base = new Refinement(this.#subject, options, []);
    this.exploration = withExplorer(toExploration(this.#base, this.#subject, options), this);
  }

  refined(predicates: readonly Predicate[]): Refined {
    const known = this.#made.find((made) => predicates.every((predicate) => made.predicates.has(predicate)));
    if (known) return known;
    const unrefined = new Unrefined(this.#base, predicates, () => this.#shared(predicates));
    return unrefined.isEnough ? unrefined : this.#shared(predicates);
  }

  /** Explores for predicates and, if that is faster, also for those before them. */
  #shared(predicates: readonly Predicate[]): Refinement {
    const last = this.#made.at(-1);
    // one exploration for many predicates is faster than many, unless it has too many places
    const isShared = last && (this.#base.search.cut || (last.isComplete && last.graph.size <= maxShared));
    const shared = isShared ? [...last.predicates] : [];
    const made = this.#refine([...shared, ...predicates]);
    if (shared.length === 0 || made.isComplete || this.#base.search.cut) return made;
    this.#made.pop();
    return this.#refine(predicates);
  }

  prepare(predicates: readonly Predicate[]): void {
    const made = this.#refine(predicates);
    // a machine with too many places has them for each promise alone, too
    if (!made.isComplete && !this.#base.search.cut) this.#made.pop();
  }

  trial(workflow: AnyWorkflow): Exploration {
    const subject = this.#subjectOf(workflow);
    const trial = (this.#made.at(-1) ?? this.#base).trial(subject);
    const explorer: Explorer = { refined: () => trial, prepare: () => undefined, trial: (other) => this.trial(other) };
    return withExplorer(toExploration(trial, subject, this.#options), explorer);
  }

  #refine(predicates: readonly Predicate[]): Refinement {
    const made = new Refinement(this.#subject, this.#options, predicates, this.#base);
    this.#made.push(made);
    return made;
  }
}
