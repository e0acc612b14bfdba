import { cutAtSentence } from '../../text/sentences.ts';
import type { Article } from '../contract-document.ts';

const maxChars = 400;
/** Where a paragraph or an item begins. */
const mark = /^[\s>*]*(?:[①-⑳㉑-㉟]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5}|[가-하])[.)]|\d{1,3}\.\d{1,3}\.?|[-•·○])[\s*]*/;

/**
 * The pieces of an article that can answer for it, verbatim and in order: its paragraphs and items, neighbours joined up to 400
 * characters as long as no new paragraph begins. One without a text has its title; one without either has none.
 */
export function articlePassages({ title, text }: Pick<Article, 'title' | 'text'>): readonly string[] {
  const passages: string[] = [];
  let open = '';
  const close = (): void => {
    if (open.trim() !== '') passages.push(open.trim());
    open = '';
  };
  for (const line of text.split('\n')) {
    const begins = /^[\s>*]*[①-⑳㉑-㉟(]/.test(line) && mark.test(line);
    if (begins || open.length + line.length > maxChars) close();
    let rest = line;
    while (rest.length > maxChars) {
      const piece = cutAtSentence(rest, maxChars) || rest.slice(0, maxChars);
      passages.push(piece.trim());
      rest = rest.slice(piece.length);
    }
    open += open === '' ? rest : `\n${rest}`;
  }
  close();
  return passages.length > 0 || title === '' ? passages : [title];
}
