import type { ChatModel } from '../../core/ports/chat-model.ts';
import type { EvalCase } from './eval-case.ts';
import type { Observed } from './observed.ts';

/** Grade of one run. */
export interface Score {
  /** From 0 to 1. */
  readonly score: number;
  /** Reason for a score below 1, for the report. */
  readonly why?: string;
}

/** Services of a grader. */
export interface GradeContext {
  /** Returns a model whose replies are recorded and replayed with those of the workflow. Default: the model of the eval. */
  modelFor(own?: () => ChatModel): ChatModel;
}

/** Grades a run of a case. A run that failed or has an open question scores 0 without being graded. */
export interface Grader<TOutput = unknown, TExpected = unknown> {
  /** Unique in the eval. */
  readonly name: string;
  /** Edges that the machine must have, each `from -> to`; checked before any run. */
  readonly edges?: readonly string[];
  /** Tools that the workflow must have; checked before any run, if the workflow names its tools. */
  readonly tools?: readonly string[];
  /** Field that each case must have; checked before any run. */
  readonly needs?: 'expected' | 'path';
  /** True for a grader of time. Its scores are shown, and count only with `timings`. @default false */
  readonly isTiming?: boolean;
  grade(seen: Observed<TOutput>, one: EvalCase<unknown, TExpected>, context: GradeContext): Score | Promise<Score>;
}

/** Creates a score of 1, or of 0 with a reason. */
export const pass = (isOk: boolean, why: string): Score => (isOk ? { score: 1 } : { score: 0, why });

/**
 * Creates a grader from a function. It returns true, false, a number from 0 to 1, or a score with a reason.
 *
 * @example grader('is short', ({ output }) => output !== undefined && output.answer.length < 200)
 */
export function grader<TOutput, TExpected = unknown>(
  name: string,
  grade: (seen: Observed<TOutput>, one: EvalCase<unknown, TExpected>) => boolean | number | Score | Promise<boolean | number | Score>,
): Grader<TOutput, TExpected> {
  return {
    name,
    async grade(seen, one) {
      const given = await grade(seen, one);
      return typeof given === 'object' ? given : { score: Number(given) };
    },
  };
}
