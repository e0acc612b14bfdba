import { isKorean } from '../../core/text/is-korean.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import { type MeasuredValue, measuredValues } from '../citations/supported-values.ts';
import { withoutStruck } from '../parse/struck-text.ts';
import { conceptMatch, type QuestionConcept } from './concept-match.ts';
import { questionConcepts } from './question-concepts.ts';

/** A text that may confirm a value: a passage, with the title of its article. */
export interface ConfirmingText {
  readonly title: string;
  readonly text: string;
}

export interface ValueConfirmation<T extends ConfirmingText = ConfirmingText> {
  /** True if the text states the value of the question; false if it states another one. */
  readonly isRight: boolean;
  /** The value of the text, as written. */
  readonly value: string;
  readonly source: T;
}

/** The end of a Korean question behind its value: `250만원이지?`, `250만원 내는 거 맞죠?`. */
const koreanEnd =
  /^\s?(?:부터|까지|씩|정도|이내|간|마다|에)?\s?(?:(?:이?지|이?죠|인가|인지|입니까|이?야|이에요|예요|이?냐|이?니)요?|[가-힣\s]{0,12}(?:맞[가-힣]{0,4}|[내주받나하되]지|[내주받나하되]죠)요?)\s*[?？!.~]*\s*$/u;
const englishTag = /[,;]?\s*\b(?:right|correct|yes|no|true|is(?:n['’]t|\snot)?\sit|isn['’]t that (?:so|right)|am I right)\s*[?.!]*\s*$/iu;
const englishAsk = /^\s*(?:is|are|was|were|does|do|did)\s(?!there\b)/iu;
const englishEnd = /^(?:\s(?:per|a|an|each|every|in)\s\w+|\s(?:long|monthly|yearly|annually|old))?\s*\?\s*$/iu;
/** Minimum share of the subject near a value, or in the title, to confirm it and to deny it. */
const minShare = { right: 0.5, wrong: 0.75 };
/** A related word, such as 차임 for 월세, counts as the word itself; see `conceptMatch`. */
const fullMatch = 0.6;

/**
 * Answers a question that states a value, such as `월세는 250만원이지?` or `the rent is $3,000, right?`: finds the value that a text states about
 * the same subject. Returns `undefined` for any other question, and if no text or more than one value fits.
 *
 * @example confirmValue('The rent is $3,000, right?', [{ title: 'Rent', text: 'Tenant pays $3,400 each month.' }]) // { isRight: false, value: '$3,400', … }
 */
export function confirmValue<T extends ConfirmingText>(question: string, texts: readonly T[]): ValueConfirmation<T> | undefined {
  const asked = statedValue(question);
  if (asked === undefined) return undefined;
  // 계약기간 is the title 기간
  const concepts = questionConcepts(asked.subject.replace(/계약\s?(?=기간)/u, '')).filter(({ word }) => !/^\d/u.test(word));
  if (concepts.length === 0) return undefined;
  const found = texts.flatMap((source) => valuesWithSubject(source, { asked: asked.value, concepts }));
  const best = Math.max(0, ...found.map(({ share }) => share));
  const closest = found.filter(({ share }) => share >= best - 1e-9);
  const same = closest.find(({ value }) => value.key === asked.value.key);
  const one = same ?? closest[0];
  // several values fit equally, and none is the one of the question
  if (one === undefined || (same === undefined && new Set(closest.map(({ value }) => value.key)).size > 1)) return undefined;
  if (best < (same === undefined ? minShare.wrong : minShare.right)) return undefined;
  // a contract has many dates, of signing, start and end
  if (same === undefined && unitOf(asked.value) === 'date') return undefined;
  return { isRight: same !== undefined, value: one.value.text, source: one.source };
}

/** Returns the last value of a question that states it, and the words about it; `undefined` for any other question. */
export function statedValue(question: string): { readonly value: MeasuredValue; readonly subject: string } | undefined {
  const normal = question.normalize('NFKC').trim();
  const value = measuredValues(normal).findLast(({ text }) => normal.includes(text));
  if (value === undefined) return undefined;
  const at = normal.lastIndexOf(value.text);
  const [before, behind] = [normal.slice(0, at), normal.slice(at + value.text.length)];
  const isStated = isKorean(normal)
    ? koreanEnd.test(behind)
    : englishTag.test(behind) || (englishAsk.test(before) && englishEnd.test(behind));
  return isStated ? { value, subject: `${before} ${isKorean(normal) ? '' : behind.replace(englishTag, '')}` } : undefined;
}

interface SubjectValue<T> {
  readonly value: MeasuredValue;
  readonly share: number;
  readonly source: T;
}

/** Returns the values of a text of the same unit as the one in the question, each with the share of the subject in front of it. */
function valuesWithSubject<T extends ConfirmingText>(
  source: T,
  { asked, concepts }: { readonly asked: MeasuredValue; readonly concepts: readonly QuestionConcept[] },
): readonly SubjectValue<T>[] {
  const title = shareOf(concepts, source.title);
  const heading = source.title.normalize('NFKC');
  const text = withoutStruck(source.text.normalize('NFKC')).replace(heading, ' '.repeat(heading.length));
  const sentences = text.split(/(?<=[가-힣a-z)\]][.;])\s|\n/u).filter((sentence) => /[가-힣a-z]/u.test(sentence));
  const found = sentences.flatMap((sentence, index) => {
    let from = 0;
    const values = measuredValues(sentence).toSorted((one, other) => sentence.indexOf(one.text) - sentence.indexOf(other.text));
    return values.flatMap((value) => {
      const at = sentence.indexOf(value.text, from);
      if (at < 0) return [];
      const share = shareOf(concepts, sentence.slice(from, at));
      from = at + value.text.length;
      return unitOf(value) === unitOf(asked) ? [{ value, share, isFirst: index === 0, source }] : [];
    });
  });
  // the title tells what the first sentence is about, if nothing nearer does and it has one such value
  const first = found.filter(({ isFirst }) => isFirst);
  const isTitled = first.length === 1 && found.every(({ share }) => share < minShare.right);
  return found.map((each) => (isTitled && each.isFirst ? { ...each, share: Math.max(each.share, title) } : each));
}

/** `won`, `usd`, `%`; all periods and all dates compare with each other. */
function unitOf({ key }: MeasuredValue): string {
  if (/^[\d-]+-\d/u.test(key)) return 'date';
  const unit = key.replace(/^[\d.]+\s?/u, '');
  return /day|month|hour/u.test(unit) ? 'period' : unit;
}

function shareOf(concepts: readonly QuestionConcept[], text: string): number {
  const tokens = new Set(searchTokens(text));
  const whole = concepts.reduce((sum, { rarity }) => sum + rarity, 0);
  return concepts.reduce((sum, concept) => sum + concept.rarity * Math.min(1, conceptMatch(concept, tokens) / fullMatch), 0) / whole;
}
