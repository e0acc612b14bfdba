import { cutAtSentence } from '../../text/sentences.ts';
import type { Article, ContractDocument } from '../contract-document.ts';

/** A paragraph of a contract, or a part of a long one. */
export interface ContractPassage {
  /** Verbatim, at most 1,000 characters. */
  readonly text: string;
  /** Where it begins in the document's text. */
  readonly start: number;
  /** The article that it stands in; absent before the first one, and where no structure was read. */
  readonly article?: Article;
}

const maxChars = 1_000;
/** What is shorter is a heading or a number, and belongs to what follows it. */
const minChars = 60;
/** Where something new begins within a line, as in a text that was taken from pages: `4.2 Payment`, `(b) The`, `①`. */
const begins =
  /(?<=[.;:"”)\]]\s{1,3})(?=(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}\.|Section \d|ARTICLE |Article \d|\([a-z]\)|\([ivx]{1,4}\))\s+["“A-Z])|(?=[①-⑳])/gu;
const blankLine = /\n[^\S\n]*\n\s*/gu;

/**
 * The passages of a contract, in order. They are cut from its text, not from what was read of its structure: a contract whose headings
 * nobody recognises has them as well.
 */
export function contractPassages({ text, articles }: Pick<ContractDocument, 'text' | 'articles'>): readonly ContractPassage[] {
  const ordered = [...articles].sort((left, right) => left.start - right.start);
  const passages: ContractPassage[] = [];
  let place = 0;
  for (const [from, to] of blocksOf(text, new Set(ordered.map(({ start }) => start)))) {
    for (const { start, text: piece } of piecesOf(text, from, to)) {
      while ((ordered[place + 1]?.start ?? Number.POSITIVE_INFINITY) <= start) place += 1;
      const article = ordered[place];
      const inside = article !== undefined && article.start <= start && start < article.end;
      passages.push({ text: piece, start, ...(inside ? { article } : {}) });
    }
  }
  return passages;
}

/** The stretches between blank lines, headings and marks, short ones joined to what follows. */
function blocksOf(text: string, headings: ReadonlySet<number>): readonly (readonly [from: number, to: number])[] {
  const cuts = new Set(headings);
  for (const pattern of [blankLine, begins]) for (const { index } of text.matchAll(pattern)) cuts.add(index);
  const ends = [...cuts, text.length].filter((at) => at > 0).sort((left, right) => left - right);
  const blocks: [number, number][] = [];
  let from = 0;
  for (const to of ends) {
    const isShort = text.slice(from, Math.min(to, from + 2 * minChars)).trim().length < minChars && to - from < 2 * minChars;
    if (isShort && !headings.has(to) && to < text.length) continue;
    blocks.push([from, to]);
    from = to;
  }
  return blocks;
}

/** A stretch in pieces that are short enough, cut where sentences end. */
function* piecesOf(text: string, from: number, to: number): Generator<{ readonly text: string; readonly start: number }> {
  for (let at = from; at < to; ) {
    const rest = text.slice(at, Math.min(to, at + 2 * maxChars));
    const piece = rest.length <= maxChars ? rest : cutAtSentence(rest, maxChars);
    const trimmed = piece.trim();
    if (trimmed !== '') yield { text: trimmed, start: at + piece.indexOf(trimmed) };
    at += Math.max(piece.length, 1);
  }
}
