import { shorten } from '../../core/errors/shorten.ts';
import type { Json } from '../../core/ports/json.ts';
import { isObject } from '../../core/util/is-object.ts';

export const maxTitleChars = 120;

/** Default title of a conversation: its first input, in one line. */
export function titleOf(input: Json): string {
  const text = isObject(input) && typeof input.input === 'string' ? input.input : typeof input === 'string' ? input : JSON.stringify(input);
  return shorten(oneLine(text), maxTitleChars);
}

export const oneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
