import type { ContractVerdict } from 'agent-machines/contracts';
import { isKorean } from 'agent-machines/search';
import { questionCoverage } from '../rules/question-coverage.ts';
import { isYesNo } from './asks-each.ts';
import { isOfOther, type LabelledText, typesAsked } from './best-sentence.ts';
import { judgePassages } from './judge-passages.ts';
import { valuesOfParties } from './values-of-parties.ts';

/** Answer of one contract. `stated`: `value` has it. `unclear`: something near, which may not be the answer. */
export type AnswerOfContract = 'yes' | 'no' | 'stated' | 'unclear' | 'not_found';

/** Material of one contract for a question that each contract is asked. */
export interface ContractMaterial {
  readonly name: string;
  readonly verdict: ContractVerdict;
  /** Best first, each with its label. */
  readonly passages: readonly LabelledText[];
  /** The sentence of the passages that best answers the question. */
  readonly sentence?: LabelledText;
  /** True if this sentence alone answers the question by its topic, in words of its own or in another language. */
  readonly isSettled?: boolean;
  /** The parties, a date or an amount that the contract states of itself, for a question about them. */
  readonly fact?: { readonly value: string; readonly quote: string; readonly label: string };
}

/** Answer of a contract with the words that prove it. */
export interface ContractReply {
  readonly answer: AnswerOfContract;
  /** Value or a few words; empty for yes, no and nothing. */
  readonly value: string;
  /** Words of the contract; empty if nothing was found. */
  readonly quote: string;
  readonly label: string;
}

export const nothingFound: ContractReply = { answer: 'not_found', value: '', quote: '', label: '' };

/** Words for a kind of value, which a sentence with such a value need not repeat. */
const kinds = /\b(?:periods?|terms?|amounts?|rates?|dates?|deadlines?)\b|기간|기한|금액|이율|비율|날짜|일자/giu;
/** Share of the question in a sentence, from which a value in it is the answer. */
const minShare = 0.6;

/** Smaller shares of the question in a sentence are chance. Words tell nothing across languages. */
const minNear = 0.3;

/** Answers for one contract by rules. Silence is never a no: only a sentence that denies the question is one. */
export function answerByRule(question: string, material: ContractMaterial): ContractReply {
  const { verdict, passages, sentence, fact } = material;
  if (fact !== undefined) return { answer: 'stated', ...fact };
  const best = sentence ?? passages[0];
  if (verdict === 'silent' || !best) return nothingFound;
  const share = isKorean(question) === isKorean(best.text) ? questionCoverage(question, best.text) : 1;
  if (verdict === 'nearest' && share < minNear) return nothingFound;
  if (isYesNo(question)) {
    const { polarity, text, label } = judgePassages(question, material, best);
    return { answer: verdict === 'answer' ? polarity : 'unclear', value: '', quote: text, label };
  }
  const { value, quote } = valuesOfParties(question, best, passages);
  // a value of the kind that is asked for, in a sentence about the rest of the question, is the answer
  const isAbout = verdict === 'answer' || (value !== '' && questionCoverage(question.replace(kinds, ' '), best.text) >= minShare);
  const lacksValue = value === '' && typesAsked(question).length > 0;
  if (lacksValue || isOfOther(question, best.text)) return { answer: 'unclear', value: '', quote, label: best.label };
  return { answer: isAbout ? 'stated' : 'unclear', value, quote, label: best.label };
}
