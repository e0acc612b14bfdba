import { createRequire } from 'node:module';

/** Characters of one column, and of two, whatever stands beside them: none is an emoji by itself or part of another character. */
const plain =
  /^[\u{20}-\u{7e}\u{a1}-\u{ac}\u{ae}-\u{2ff}\u{2010}-\u{2027}\u{2030}-\u{205e}\u{2500}-\u{257f}\u{2713}\u{2717}\u{4e00}-\u{9fff}\u{ac00}-\u{d7a3}]*$/u;
const wide = /[\u{4e00}-\u{9fff}\u{ac00}-\u{d7a3}]/gu;

type CountColumns = typeof import('string-width')['default'];
let counted: CountColumns | undefined;

/** Columns that a text takes on a terminal; Hangul counts two. */
export function textColumns(text: string): number {
  if (plain.test(text)) return text.length + (text.match(wide)?.length ?? 0);
  // all emoji that there are make a pattern that takes longer to read than a short command to run
  counted ??= (createRequire(import.meta.url)('string-width') as { readonly default: CountColumns }).default;
  return counted(text);
}
