import type { Interrupt } from '../../core/ports/run-event.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { hash } from '../../core/util/hash.ts';
import type { Wait } from './host.ts';

/** Renewals and current expiry of a question. */
export interface QuestionTimes {
  readonly renewals?: number;
  readonly expiresAt?: number | undefined;
}

/**
 * Makes the interrupt of an entry into a state. Its id is the same in every replay. It differs for every entry, every fork and every other
 * question.
 *
 * @param entered Number of the last outcome that the machine had received.
 */
export function toInterrupt(
  runId: string,
  key: string,
  entered: number,
  { accepts, question }: Pick<Wait, 'accepts' | 'question'>,
  { renewals = 0, expiresAt }: QuestionTimes = {},
): Interrupt {
  const questionPart = question === undefined ? '' : `/${canonicalJson(question)}`;
  const renewalPart = renewals === 0 ? '' : `/again ${renewals}`;
  const id = `i_${hash(`${runId}/${key}/${entered}${questionPart}${renewalPart}`).slice(0, 16)}`;
  return { id, key, accepts, ...(question === undefined ? {} : { question }), ...(expiresAt === undefined ? {} : { expiresAt }) };
}
