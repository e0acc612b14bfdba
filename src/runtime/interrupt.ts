import type { Interrupt } from '../ports/run-event.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { hash } from '../util/hash.ts';
import type { Wait } from './host.ts';

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
): Interrupt {
  const asked = question === undefined ? '' : `/${canonicalJson(question)}`;
  const id = `i_${hash(`${runId}/${key}/${entered}${asked}`).slice(0, 16)}`;
  return { id, key, accepts, ...(question === undefined ? {} : { question }) };
}
