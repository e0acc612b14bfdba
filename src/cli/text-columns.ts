import { createRequire } from 'node:module';

/** Characters with a fixed width of one or two columns: none of them is an emoji or part of another character. */
const plain =
  /^[\u{20}-\u{7e}\u{a1}-\u{ac}\u{ae}-\u{2ff}\u{2010}-\u{2027}\u{2030}-\u{205e}\u{2500}-\u{257f}\u{2713}\u{2717}\u{4e00}-\u{9fff}\u{ac00}-\u{d7a3}]*$/u;
const wide = /[\u{4e00}-\u{9fff}\u{ac00}-\u{d7a3}]/gu;

type CountColumns = typeof import('string-width')['default'];
let counted: CountColumns | undefined;

/** Width of a text on a terminal in columns; a Hangul syllable counts as two. */
export function textColumns(text: string): number {
  if (plain.test(text)) return text.length + (text.match(wide)?.length ?? 0);
  // loaded on demand: its pattern of all emoji takes longer to load than a short command takes to run
  counted ??= (createRequire(import.meta.url)('string-width') as { readonly default: CountColumns }).default;
  return counted(text);
}
