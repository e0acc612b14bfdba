import type { Interrupt } from '../ports/run-event.ts';
import { isObject } from './is-object.ts';

/**
 * True for a question about an answer that a guard holds: `{ answer, heldBy }`. A reviewer decides about it, so protocols neither show it to
 * the clients that talk to the workflow nor take their answers.
 */
export const isHeldAnswer = ({ question }: Pick<Interrupt, 'question'>): boolean =>
  isObject(question) && typeof question.answer === 'string' && Array.isArray(question.heldBy);

/** Returns the questions that the client of a run may see and answer. */
export const clientQuestions = (interrupts: readonly Interrupt[]): readonly Interrupt[] => interrupts.filter((one) => !isHeldAnswer(one));
