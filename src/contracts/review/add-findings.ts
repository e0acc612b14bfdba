import { bareText, hasQuote } from '../../core/text/quotes.ts';
import type { ContractDocument } from '../contract-document.ts';
import { bySide } from './by-side.ts';
import type { ContractReview, ReviewFinding } from './contract-review.ts';
import { passageOf, type ReviewSentence, reviewSentences } from './review-sentences.ts';
import { bothSides, roleNamed } from './review-sides.ts';

/** A finding that a model proposes. */
export interface ProposedFinding {
  /** A few words. */
  readonly title: string;
  /** A passage of the contract, word for word. */
  readonly quote: string;
  readonly reason: string;
  /** Role of the burdened party, or `both`. Anything else counts as unknown. */
  readonly burdens?: string | null;
}

/** A review with the findings of a model that the contract supports. */
export interface ReviewWithFindings {
  readonly review: ContractReview;
  /** Findings added, and explanations of findings of the rules. */
  readonly added: number;
  /** Findings without a verbatim quote. */
  readonly dropped: number;
}

/** Shorter quotes stand in any contract. */
const minQuoteChars = 12;

/**
 * Adds the findings of a model to a review. A quote must stand verbatim within one article; blanks and punctuation are ignored, and nothing
 * may be left out. A finding about a sentence that the rules have found explains it. All others are dropped and counted.
 */
export function addFindings(document: ContractDocument, review: ContractReview, proposed: readonly ProposedFinding[]): ReviewWithFindings {
  const sentences = reviewSentences(document);
  const findings: ReviewFinding[] = [...review.findings];
  let dropped = 0;
  for (const { title, quote, reason, burdens } of proposed) {
    const sentence = isWhole(quote) ? sentences.find((one) => isIn(quote, one, document)) : undefined;
    if (!sentence || title.trim() === '' || reason.trim() === '') {
      dropped += 1;
      continue;
    }
    const passage = passageOf(sentence);
    const known = findings.findIndex(
      ({ passage: own, from }) => from === 'rules' && own.partId === passage.partId && hasQuote(sentence.text, own.text),
    );
    const old = findings[known];
    if (old) findings[known] = { ...old, explanation: reason };
    else {
      const role = burdens === bothSides ? bothSides : roleNamed(burdens ?? '', review.parties);
      const whom = role === undefined ? {} : { burdens: role };
      findings.push({
        kind: 'model',
        title,
        reason,
        ...whom,
        confidence: 'look',
        passage: { ...passage, text: quote.trim() },
        from: 'model',
      });
    }
  }
  return { review: { ...review, findings: bySide(findings, review.as) }, added: proposed.length - dropped, dropped };
}

/** An ellipsis would join statements that do not belong together. */
const isWhole = (quote: string): boolean => bareText(quote).length >= minQuoteChars && !/…|\.{3}|\[\s?\]|중략/u.test(quote);

/** The quote may go on in the next sentences of the article. */
const isIn = (quote: string, { text, article }: ReviewSentence, { text: whole }: ContractDocument): boolean => {
  if (!hasQuote(article.text, quote) || !hasQuote(whole, quote)) return false;
  const [own, quoted] = [bareText(text), bareText(quote)];
  return (
    own.includes(quoted) || quoted.startsWith(own) || own.endsWith(quoted.slice(0, minQuoteChars)) || own.includes(quoted.slice(0, 30))
  );
};
