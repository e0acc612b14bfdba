import { shorten } from './shorten.ts';

/** How many a person or a model reads. */
export const maxShown = 20;
const maxLength = 3_600;
const maxItemLength = 400;

/** Texts of which there may be any number, and of any length, as one of a length that can be shown: what is left out is counted. */
export function shownList(texts: readonly string[], separator = '; '): string {
  let list = '';
  let shown = 0;
  for (const text of texts.slice(0, maxShown)) {
    const next = `${shown === 0 ? '' : separator}${shorten(text, maxItemLength)}`;
    if (list.length + next.length > maxLength) break;
    list += next;
    shown++;
  }
  const more = texts.length - shown;
  return more === 0 ? list : `${list}${separator}and ${more} more`;
}
