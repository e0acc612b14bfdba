import type { Interrupt } from '../ports/run-event.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { hash } from '../util/hash.ts';
import type { Wait } from './host.ts';

/** How often a question was asked again because it had expired, and when it expires now, in milliseconds since 1970. */
export interface AskedTimes {
  readonly renewals?: number;
  readonly expiresAt?: number | undefined;
}

/**
 * What is asked at an entry into a state: the same in every replay, and another one for every entry, for every fork, and for anything else
 * that is asked.
 *
 * @param entered Number of the outcome that the machine was given last.
 */
export function toInterrupt(
  runId: string,
  key: string,
  entered: number,
  { accepts, question }: Pick<Wait, 'accepts' | 'question'>,
  { renewals = 0, expiresAt }: AskedTimes = {},
): Interrupt {
  const asked = question === undefined ? '' : `/${canonicalJson(question)}`;
  const again = renewals === 0 ? '' : `/again ${renewals}`;
  const id = `i_${hash(`${runId}/${key}/${entered}${asked}${again}`).slice(0, 16)}`;
  return { id, key, accepts, ...(question === undefined ? {} : { question }), ...(expiresAt === undefined ? {} : { expiresAt }) };
}
