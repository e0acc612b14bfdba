import { cutAtSentence } from '../../text/sentences.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import { searchedParts } from './searched-parts.ts';

/** A paragraph of a contract, or a piece of a long one. */
export interface ContractPassage {
  /** Verbatim, at most 1,000 characters. */
  readonly text: string;
  /** Where it begins in the document's text. */
  readonly start: number;
  /** The part of the document that it stands in. */
  readonly article: Article;
}

const maxChars = 1_000;
/** What is shorter is a heading or a number, and belongs to what follows it. */
const minChars = 60;
/** Where something new begins within a line, as in a text that was taken from pages: `4.2 Payment`, `(b) The`, `①`. */
const begins =
  /(?<=[.;:"”)\]]\s{1,3})(?=(?:\d{1,2}(?:\.\d{1,2})+\.?|\d{1,2}\.|Section \d|ARTICLE |Article \d|\([a-z]\)|\([ivx]{1,4}\))\s+["“A-Z])|(?=[①-⑳])/gu;
const blankLine = /\n[^\S\n]*\n\s*/gu;

/** The passages of a contract, in order: never a whole article, for in a long one a question's words meet by chance. */
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

/** The stretches between blank lines and marks, short ones joined to what follows. */
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

/** A stretch in pieces that are short enough, cut where sentences end. */
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
