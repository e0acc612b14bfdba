import { shorten } from '../../core/errors/shorten.ts';
import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

export const maxTitleChars = 120;

/** Default title of a conversation: its first input, in one line. */
export function titleOf(input: Json): string {
  return shorten(oneLine(inputText(input)), maxTitleChars);
}

/** Text of a run's input: the input itself, or its member `input`. */
export const inputText = (input: Json): string =>
  typeof input === 'string' ? input : isObject(input) && typeof input.input === 'string' ? input.input : JSON.stringify(input);

export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
