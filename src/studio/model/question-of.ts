import { asObject } from '../../core/util/as-object.ts';
import type { RunDetails } from '../../server/api/calls.ts';

export function questionOf({ input }: Pick<RunDetails, 'input'>): string {
  if (typeof input === 'string') return input;
  const { input: said, question, query } = asObject(input);
  const text = said ?? question ?? query;
  return typeof text === 'string' ? text : JSON.stringify(input ?? '');
}
