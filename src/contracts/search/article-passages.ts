import { cutAtSentence } from '../../core/text/sentences.ts';
import type { Article } from '../contract-document.ts';

const maxChars = 400;
/** Start of a paragraph or an item. */
const mark = /^[\s>*]*(?:[①-⑳㉑-㉟]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5}|[가-하])[.)]|\d{1,3}\.\d{1,3}\.?|[-•·○])[\s*]*/;

/**
 * Returns the passages of an article, verbatim and in order. These are its paragraphs and items; neighbours join up to 400 characters,
 * unless a new paragraph begins. An article without text has its title as passage; without a title either, none.
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
