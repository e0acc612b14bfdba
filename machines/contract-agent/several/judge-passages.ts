import type { ContractMaterial } from './answer-by-contract.ts';
import { type LabelledText, sentencesOf } from './best-sentence.ts';
import { negativeDutyOf, type Polarity, polarityOf } from './polarity.ts';
import { englishMarkers, koreanMarkers } from './polarity-words.ts';

interface JudgedSentence extends LabelledText {
  readonly polarity: Polarity;
}

/** Judges the best sentence of a contract. A sentence beside it that contradicts it, or takes something back, leaves the question open. */
export function judgePassages(question: string, { passages, isSettled = false }: ContractMaterial, best: LabelledText): JudgedSentence {
  const all = passages.flatMap(({ label, text }) =>
    sentencesOf(text).map((sentence, at, { [at + 1]: next = '' }) => ({
      label,
      text: sentence,
      next,
      polarity: polarityOf(question, sentence),
    })),
  );
  const own = { ...best, polarity: polarityOf(question, best.text, isSettled) };
  // the duty may stand beside a sentence about its duration
  const judged = own.polarity === 'unclear' && negativeDutyOf(question) ? (all.find(({ polarity }) => polarity === 'yes') ?? own) : own;
  const isContradicted = all.some(({ polarity }) => polarity !== 'unclear' && polarity !== judged.polarity);
  const isTakenBack = all.some(({ text, next }) => judged.text.includes(text) && takesBack(next));
  const polarity = isContradicted || isTakenBack ? 'unclear' : judged.polarity;
  return { label: judged.label, text: judged.text, polarity };
}

const refersBack =
  /^(?:however|but|notwithstanding|nevertheless|this|that|these|the (?:foregoing|above|preceding|previous|same))\b|^(?:다만|단|그러나|전항|위|이는|이 조항|제\s?\d+\s?항)/iu;

const takesBack = (sentence: string): boolean =>
  refersBack.test(sentence) && (sentence.search(englishMarkers) >= 0 || sentence.search(koreanMarkers) >= 0);
