import type { HumanEvent } from '../../core/ports/human-event.ts';

/** One input of an eval, with what is expected of its run. */
export interface EvalCase<TInput = unknown, TExpected = unknown> {
  /** Unique in the eval. */
  readonly name: string;
  readonly input: TInput;
  /** Value for graders such as `equals` and `contains`. */
  readonly expected?: TExpected;
  /** Answers to the run's questions, in order. */
  readonly answers?: readonly HumanEvent[];
  /** Edges for `trajectory` without edges of its own, each `from -> to`. */
  readonly path?: readonly string[];
  /** Final state in which the run must end. It may be one tagged `failure`; without it, such an end scores 0. */
  readonly finalState?: string;
}
