import { cutAtSentence } from '../../core/text/sentences.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { searchedParts } from './searched-parts.ts';

/** A paragraph of a contract, or a piece of a long paragraph. */
export interface ContractPassage {
  /** Verbatim text of at most 1,000 characters. */
  readonly text: string;
  /** Start in the document's text. */
  readonly start: number;
  /** The enclosing part of the document. */
  readonly article: Article;
}

const maxChars = 1_000;
/** Shorter blocks are headings or numbers, and join the next block. */
const minChars = 60;
/** Start of a new item inside a line, as in text extracted from pages: `4.2 Payment`, `(b) The`, `①`. */
const begins =
  /(?<=[.;:"”)\]]\s{1,3})(?=(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}\.|Section \d|ARTICLE |Article \d|\([a-z]\)|\([ivx]{1,4}\))\s+["“A-Z])|(?=[①-⑳])/gu;
const blankLine = /\n[^\S\n]*\n\s*/gu;

/** Returns the passages of a contract, in order. Never a whole article: in a long one a question's words meet by chance. */
export const contractPassages = (document: ContractDocument): readonly ContractPassage[] =>
  searchedParts(document).flatMap((article) =>
    blocksOf(document.text.slice(article.start, article.end)).flatMap(({ text, start }) =>
      piecesOf(text).map((piece) => ({ text: piece.text, start: article.start + start + piece.start, article })),
    ),
  );

interface Stretch {
  readonly text: string;
  readonly start: number;
}

/** Splits a text at blank lines and marks; short blocks join the next one. */
function blocksOf(text: string): readonly Stretch[] {
  const cuts = new Set<number>();
  for (const pattern of [blankLine, begins]) for (const { index } of text.matchAll(pattern)) cuts.add(index);
  const blocks: Stretch[] = [];
  let from = 0;
  for (const to of [...cuts].sort((left, right) => left - right)) {
    if (text.slice(from, to).trim().length < minChars) continue;
    blocks.push({ text: text.slice(from, to), start: from });
    from = to;
  }
  return [...blocks, { text: text.slice(from), start: from }];
}

/** Splits a block into pieces of at most `maxChars`, at the ends of sentences. */
function piecesOf(text: string): readonly Stretch[] {
  const pieces: Stretch[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = cutAtSentence(text.slice(at, at + 2 * maxChars), maxChars);
    const trimmed = piece.trim();
    if (trimmed !== '') pieces.push({ text: trimmed, start: at + piece.indexOf(trimmed) });
    at += Math.max(piece.length, 1);
  }
  return pieces;
}
