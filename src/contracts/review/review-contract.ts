import { WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import { isMostlyKorean } from '../../core/text/is-korean.ts';
import type { ContractDocument } from '../contract-document.ts';
import { bySide } from './by-side.ts';
import { checklistOf } from './checklists.ts';
import type { ContractReview, ReviewAbsence, ReviewLanguage, ReviewParty } from './contract-review.ts';
import { contractTypeOf, typeTitles } from './contract-types.ts';
import { findClauses } from './find-clauses.ts';
import { findDeadlines } from './find-deadlines.ts';
import { findDuties } from './find-duties.ts';
import { findMoney } from './find-money.ts';
import { knownDates } from './known-dates.ts';
import { reviewDifferences } from './review-differences.ts';
import { type ReviewSentence, reviewSentences } from './review-sentences.ts';
import { reviewParties, reviewSides, roleNamed } from './review-sides.ts';

export interface ReviewContractOptions {
  /** The party whose side the review takes: its role in the contract, its name, or a common word for the role such as `tenant`. */
  readonly as?: string;
  /** Standard contract to compare with. */
  readonly standard?: ContractDocument;
  /** ISO date of the review. Past deadlines stay in the list. */
  readonly today?: string;
  /** Language of the review's own sentences. Default: the language of the contract. */
  readonly language?: ReviewLanguage;
  /** ISO dates that are no business days, besides Saturdays and Sundays. */
  readonly holidays?: readonly string[];
}

const isoDate = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reviews a contract by rules: parties, term, money, deadlines with their dates, duties by party, clauses to look at, and usual points that
 * are absent. Everything includes its passage. A date is computed only from a day that the contract states. The rules know wording, not
 * law: they miss clauses and report harmless ones.
 *
 * @throws {WorkflowError} `DOCUMENT_INVALID` for an empty text and for one that is no contract; `INPUT_INVALID` for an unknown `as`, and for
 *   a date that is none.
 * @example reviewContract(lease, { as: 'Tenant' }).findings // [{ kind: 'automatic-renewal', burdens: 'both', … }, …]
 */
export function reviewContract(document: ContractDocument, options: ReviewContractOptions = {}): ContractReview {
  const sentences = reviewSentences(document);
  const parties = reviewParties(document);
  requireContract(document, parties);
  const { standard, today, holidays } = options;
  for (const date of [...(today === undefined ? [] : [today]), ...(holidays ?? [])]) requireDate(date);
  const as = options.as === undefined ? undefined : requireRole(options.as, parties);
  const spoken: ReviewLanguage = isMostlyKorean(document.text) ? 'ko' : 'en';
  const language = options.language ?? spoken;
  const sides = reviewSides(parties);
  const type = contractTypeOf(document);
  const dates = knownDates(document, sentences, spoken);
  const { signed, effective, term } = dates;
  return {
    document: document.name,
    title: document.title,
    language,
    type,
    typeTitle: typeTitles[type][language],
    ...(as === undefined ? {} : { as }),
    ...(today === undefined ? {} : { today }),
    parties,
    ...(signed === undefined ? {} : { signed }),
    ...(effective === undefined ? {} : { effective }),
    term,
    money: findMoney(sentences),
    deadlines: findDeadlines(sentences, {
      dates,
      sides,
      language,
      law: spoken,
      ...(holidays === undefined ? {} : { holidays: new Set(holidays) }),
    }),
    duties: findDuties(sentences, sides),
    findings: bySide(findClauses(sentences, { sides, language }), as),
    absent: absentOf(type, sentences, language),
    ...(standard === undefined ? {} : { differences: reviewDifferences(document, standard) }),
    notes: notesOf(language, holidays !== undefined),
  };
}

const statute = /(?:법|법률|시행령|시행규칙|조례)$|\bAct(?: of)?(?: \d{4})?$/;

/** A text without articles is a contract only if it defines its parties. */
function problemOf({ title, text, structure }: ContractDocument, parties: readonly ReviewParty[]): string | undefined {
  if (text.trim() === '') return 'is empty';
  if (statute.test(title)) return 'is a statute, not a contract';
  if (parties.length === 0) return 'names no parties, so it does not look like a contract';
  const isDefined = parties.some(({ name }) => name !== undefined);
  return structure === 'paragraphs' && !isDefined
    ? 'has no articles and defines no parties, so it does not look like a contract'
    : undefined;
}

function requireContract(document: ContractDocument, parties: readonly ReviewParty[]): void {
  const { name } = document;
  const problem = problemOf(document, parties);
  if (problem === undefined) return;
  const hint = 'Give the text of a contract with its parties and numbered articles. A scan needs text recognition first.';
  throw new WorkflowError({ code: 'DOCUMENT_INVALID', message: `"${shorten(name, 200)}" ${problem}.`, hint });
}

function requireRole(word: string, parties: readonly ReviewParty[]): string {
  const role = roleNamed(word, parties);
  if (role !== undefined) return role;
  const roles = parties.map(({ role, name }) => (name === undefined ? `"${role}"` : `"${role}" (${name})`)).join(', ');
  throw new WorkflowError({
    code: 'INPUT_INVALID',
    message: `"${shorten(word, 100)}" is no party of this contract.`,
    hint: `Its parties are ${roles}.`,
  });
}

function requireDate(date: string): void {
  if (isoDate.test(date) && !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date)) return;
  throw new WorkflowError({ code: 'INPUT_INVALID', message: `"${shorten(date, 40)}" is no date.`, hint: 'Write it as 2026-03-31.' });
}

function absentOf(type: ContractReview['type'], sentences: readonly ReviewSentence[], language: ReviewLanguage): readonly ReviewAbsence[] {
  const articles = new Set(sentences.filter(({ article }) => article.part !== 'preamble').map(({ article }) => article));
  const text = [...articles].map(({ title, text }) => `${title}\n${text.replace(/\s+/g, ' ')}`).join('\n');
  return checklistOf(type)
    .filter(({ found }) => !found.test(text))
    .map(({ point, title }) => ({ point, title: title[language] }));
}

const notes: Readonly<Record<ReviewLanguage, { readonly rules: string; readonly holidays: string; readonly given: string }>> = {
  en: {
    rules: 'The rules compare wording. They miss clauses and report harmless ones; this is no legal advice.',
    holidays: 'Business days leave out Saturdays and Sundays only; public holidays are not known.',
    given: 'Business days leave out Saturdays, Sundays and the given holidays.',
  },
  ko: {
    rules: '규칙은 문구만 비교하므로 놓치는 조항과 잘못 짚는 조항이 있다. 법률 자문이 아니다.',
    holidays: '영업일은 토요일과 일요일만 빼고 셈한다. 공휴일은 알지 못한다.',
    given: '영업일은 토요일, 일요일과 주어진 공휴일을 빼고 셈한다.',
  },
};

const notesOf = (language: ReviewLanguage, isGiven: boolean): readonly string[] => [
  notes[language].rules,
  isGiven ? notes[language].given : notes[language].holidays,
];
