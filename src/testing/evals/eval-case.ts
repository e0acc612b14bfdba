import type { HumanEvent } from '../../core/ports/human-event.ts';
import { isObject } from '../../core/util/is-object.ts';

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

/** True for a list of events, each `{ type: … }`. */
export const isEvents = (value: unknown): value is readonly HumanEvent[] =>
  Array.isArray(value) && value.every((event) => isObject(event) && typeof event.type === 'string');

/** True for a list of texts. */
export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');
