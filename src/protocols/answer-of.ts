import type { Json } from '../ports/json.ts';
import { isObject } from '../util/is-object.ts';

/**
 * What a run has answered, in words: its output, or the text `answer` in it.
 *
 * @param hasSpoken the run has shown text of its own: then an output that has no words is left to those who read data.
 */
export function answerOf(output: Json | undefined, hasSpoken: boolean): string | undefined {
  if (typeof output === 'string') return output;
  if (isObject(output) && typeof output.answer === 'string') return output.answer;
  return hasSpoken || output === undefined || output === null ? undefined : JSON.stringify(output);
}
