import type { RunDetails } from '../../api/calls.ts';
import { asObject } from '../../util/as-object.ts';

/** The user's question, for any workflow. */
export function questionOf({ input }: Pick<RunDetails, 'input'>): string {
  if (typeof input === 'string') return input;
  const { input: said, question, query } = asObject(input);
  const text = said ?? question ?? query;
  return typeof text === 'string' ? text : JSON.stringify(input ?? '');
}
