import { splitSentences } from '../../core/text/sentences.ts';
import type { Article, ContractDocument } from '../contract-document.ts';
import type { ReviewPassage } from './contract-review.ts';

/** A sentence with its place. */
export interface ReviewSentence {
  readonly text: string;
  readonly article: Article;
  /** Text of the paragraph that contains the sentence, or of the article without paragraphs. */
  readonly paragraph: string;
  /** Label of the article with its paragraph. */
  readonly label: string;
  /** The beginning of the paragraph, if the sentence is an item below it: `을은 다음 각 호의 자료를 제출한다.` */
  readonly lead: string;
}

/** Parts that state no terms. */
const skipped = new Set<Article['part']>(['contents', 'signatures']);
const maxPassageChars = 400;

/** Returns the sentences of a contract, each with its article and paragraph. */
export function reviewSentences({ parts }: ContractDocument): readonly ReviewSentence[] {
  return parts.filter(({ part, deleted }) => !skipped.has(part) && !deleted).flatMap((article) => [...sentencesOf(article)]);
}

function* sentencesOf(article: Article): Generator<ReviewSentence> {
  let from = 0;
  for (const { label, start, end } of article.paragraphs) {
    yield* sentencesIn(article, from, start, '');
    yield* sentencesIn(article, start, end, label);
    from = end;
  }
  yield* sentencesIn(article, from, article.text.length, '');
}

function* sentencesIn(article: Article, start: number, end: number, paragraphLabel: string): Generator<ReviewSentence> {
  const paragraph = article.text.slice(start, end);
  const label = [article.label, paragraphLabel].filter(Boolean).join(' ');
  const [lead = '', ...rest] = splitSentences(paragraph).map((text) => withoutMark(text.replace(/\s+/g, ' ').trim()));
  const whole = paragraph.replace(/\s+/g, ' ');
  const opensList = /(?:각\s?호|각\s?목|다음과\s?같)/.test(lead) || /:$/.test(lead);
  for (const [index, text] of [lead, ...rest].entries()) {
    if (text !== '') yield { text, article, paragraph: whole, label, lead: index > 0 && opensList ? lead : '' };
  }
}

/** A number or letter at the beginning is the place, not the sentence. */
const withoutMark = (text: string): string => text.replace(/^(?:[①-⑳]|\d{1,2}(?:\.\d{1,2}){0,3}\.?(?=\s)|\([a-z\d]{1,4}\)(?=\s))\s*/u, '');

/** Returns the passage of a sentence; a long one is cut around `at`. */
export function passageOf({ text, article, label }: ReviewSentence, at = 0): ReviewPassage {
  const name = label || article.title;
  return { partId: article.id, label: name, text: excerpt(text, at) };
}

function excerpt(text: string, at: number): string {
  if (text.length <= maxPassageChars) return text;
  const wanted = Math.min(Math.max(0, at - maxPassageChars / 3), text.length - maxPassageChars);
  const start = wanted === 0 ? 0 : text.indexOf(' ', wanted) + 1;
  const cut = text.slice(start, start + maxPassageChars);
  const isEnd = start + maxPassageChars >= text.length;
  const words = isEnd ? cut : cut.slice(0, Math.max(cut.lastIndexOf(' '), maxPassageChars / 2));
  return `${start > 0 ? '… ' : ''}${words}${isEnd ? '' : ' …'}`;
}
