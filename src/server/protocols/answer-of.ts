import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

/**
 * Answer of a run as text: its output, or the text `answer` in it.
 *
 * @param hasSpoken True when the run has streamed text; an output without text is then left out.
 */
export function answerOf(output: Json | undefined, hasSpoken: boolean): string | undefined {
  if (typeof output === 'string') return output;
  if (isObject(output) && typeof output.answer === 'string') return output.answer;
  return hasSpoken || output === undefined || output === null ? undefined : JSON.stringify(output);
}
