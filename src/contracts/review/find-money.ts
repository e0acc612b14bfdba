import type { ReviewAmount } from './contract-review.ts';
import { passageOf, type ReviewSentence } from './review-sentences.ts';

const number = String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?`;
const amount = new RegExp(
  [
    String.raw`(?:US\$|USD|KRW|EUR|GBP|[$€£₩])\s?${number}(?:\s?(?:million|billion|thousand))?`,
    String.raw`(?:금\s?)?(?:${number}\s?(?:천|백)?(?:억|만)?\s?){1,3}(?:원|달러|유로)(?:정|整)?(?:\s?\((?:부가가치세|VAT)[^()]{0,12}\))?(?![가-힣]*칙)`,
    String.raw`(?<![가-힣])(?:일금\s?|금\s?)[일이삼사오육칠팔구십백천만억]{2,16}\s?원(?:정)?`,
    String.raw`${number}\s?(?:dollars|euros|pounds)\b`,
  ].join('|'),
  'g',
);
const maxPurpose = 60;

/** Returns the amounts of money, each with the words before it. */
export function findMoney(sentences: readonly ReviewSentence[]): readonly ReviewAmount[] {
  return sentences.flatMap((sentence) =>
    Array.from(sentence.text.matchAll(amount), ({ 0: text, index }) => ({
      text: text.trim(),
      purpose: purposeOf(sentence, index),
      passage: passageOf(sentence, index),
    })),
  );
}

/** The clause before an amount, or the title of the article if nothing stands before it. */
function purposeOf({ text, article }: ReviewSentence, at: number): string {
  const before = text.slice(Math.max(0, at - 160), at);
  const clause = before
    .split(/[;,](?=\s)|(?<=[가-힣]고|며)\s|\band\b(?=[^a-z]*\s(?:a|the)\s)/)
    .at(-1)
    ?.replace(/^[\s:,)]+|[\s:(,]+$/g, '')
    .replace(/(?:은|는|을|를|이|가)?\s*(?:금|일금)?\s*$/, '')
    .trim();
  const words = clause === undefined || clause.length < 2 ? article.title : clause;
  return words.length <= maxPurpose ? words : `…${words.slice(words.indexOf(' ', words.length - maxPurpose) + 1)}`;
}
