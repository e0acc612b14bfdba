import type { ContractVerdict } from 'agent-machines/contracts';
import { isKorean } from 'agent-machines/search';
import { questionCoverage } from '../rules/question-coverage.ts';
import { isYesNo } from './asks-each.ts';
import { implied, type LabelledText, valueIn } from './best-sentence.ts';

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
export function answerByRule(question: string, { verdict, passages, sentence, fact }: ContractMaterial): ContractReply {
  if (fact !== undefined) return { answer: 'stated', ...fact };
  const best = sentence ?? passages[0];
  if (verdict === 'silent' || !best) return nothingFound;
  const share = isKorean(question) === isKorean(best.text) ? questionCoverage(question, best.text) : 1;
  if (verdict === 'nearest' && share < minNear) return nothingFound;
  const found = { quote: best.text, label: best.label };
  if (isYesNo(question)) return { answer: verdict === 'answer' ? polarityOf(question, best.text) : 'unclear', value: '', ...found };
  const value = valueIn(question, best.text);
  // a value of the kind that is asked for, in a sentence about the rest of the question, is the answer
  const isStated = verdict === 'answer' || (value !== '' && questionCoverage(question.replace(kinds, ' '), best.text) >= minShare);
  return { answer: isStated ? 'stated' : 'unclear', value, ...found };
}

const englishDenial =
  /\b(?:(?:shall|will|may|does|do|did|must|is|are|can|would) not|cannot|can't|won't|doesn't|isn't|never|no (?:right|option|obligation|automatic|such|party|renewal|extension|deposit|penalty|refund|interest)|neither (?:party )?(?:may|shall|will|is|[a-z]+ (?:nor|may|shall))|without any right)\b/iu;
const koreanDenial =
  /(?:아니\s?(?:한다|합니다|된다|됩니다|함|하기로)|않는다|않습니다|않기로|않음|못\s?한다|못합니다|없다|없습니다|없음|금지(?:한다|된다|됩니다|합니다)?|불가(?:하다)?)[^가-힣]*$/u;

/** `yes`, `no`, or `unclear` if the sentence lacks a word that the question depends on, or the question itself denies. */
function polarityOf(question: string, sentence: string): 'yes' | 'no' | 'unclear' {
  const lacks = implied.some(([asked, said]) => asked.test(question) && !said.test(sentence));
  const lower = sentence.toLowerCase();
  if (lacks || isDenying(question) || particulars(question).some((word) => !lower.includes(word.toLowerCase()))) return 'unclear';
  if (/조항|조문|\b(?:clause|provision|section|article)s?\b/iu.test(question)) return 'yes'; // it exists, whatever it says
  const isDenied = denies(question, sentence);
  // a denial is what a question for a prohibition or a limit looks for
  if (asksForLimit.test(question)) return isDenied || limits.test(sentence) ? 'yes' : 'unclear';
  return isDenied ? 'no' : 'yes';
}

function denies(question: string, sentence: string): boolean {
  if (isKorean(sentence)) return koreanDenial.test(sentence.trim().replace(/[.)\]」”]+$/u, ''));
  const clauses = sentence.split(/[,;:]\s|\b(?:unless|provided|except|if)\b/iu);
  const main = clauses.toSorted((one, other) => questionCoverage(question, other) - questionCoverage(question, one))[0] ?? sentence;
  return englishDenial.test(main);
}

const asksForLimit =
  /\b(?:prohibit|forbid|forbidden|ban|banned|bans|limit|limits|limited|cap|caps|capped|restrict|exclude)|금지|제한|한도|(?<![가-힣])상한|면책/iu;
const limits =
  /\b(?:prohibit|forbid|limited|not exceed|no more than|at most|cap\b|maximum)|금지|제한|초과하지|한도|(?<![가-힣])상한|이내로|못한다|없다/iu;

/** Names and figures of a question, which its answer must have: `New`, `York`, `30`. */
const particulars = (question: string): readonly string[] => [
  ...Array.from(question.matchAll(/(?<=[a-z,]\s)[A-Z][a-z]{2,}/gu), ([word]) => word),
  ...Array.from(question.matchAll(/\d+/gu), ([figure]) => figure),
];

const isDenying = (question: string): boolean => /\b(?:not|never|n['’]t|no)\b|않|없는|안\s?되|못\s?하|아닌/iu.test(question);
