import type { ContractDocument } from '../contract-document.ts';
import { writtenDates } from '../facts/contract-dates.ts';
import { contractFacts } from '../facts/contract-facts.ts';
import type { ReviewLanguage, ReviewTerm } from './contract-review.ts';
import { dayAfter, lastDayOf, type Period, readPeriod } from './day-count.ts';
import { periodPattern } from './period-pattern.ts';
import { passageOf, type ReviewSentence } from './review-sentences.ts';

/** Dates from which a contract counts. */
export interface KnownDates {
  readonly signed?: string;
  readonly effective?: string;
  readonly term: ReviewTerm;
  /** Dates that the contract names: `Delivery Date`, `착수일`. Names in lower case without blanks. */
  readonly named: ReadonlyMap<string, string>;
}

const maxYears = 150;

export function knownDates(document: ContractDocument, sentences: readonly ReviewSentence[], language: ReviewLanguage): KnownDates {
  const { dates } = contractFacts(document);
  const first = (kind: 'signed' | 'effective'): string | undefined => {
    const found = new Set(dates.filter((one) => one.kind === kind).flatMap(({ date }) => date ?? []));
    return found.size === 1 ? [...found][0] : undefined; // two different dates decide nothing
  };
  const signed = first('signed');
  const named = namedDates(sentences);
  const effective = first('effective') ?? named.get('effectivedate') ?? named.get('효력발생일');
  const base = { ...(signed === undefined ? {} : { signed }), ...(effective === undefined ? {} : { effective }) };
  return { ...base, named, term: termOf(sentences, { ...base, named, language }) };
}

/** The name that a date is looked up by. */
export const dateName = (name: string): string => name.toLowerCase().replace(/[\s"“”'‘’]+|^the\s/g, '');

function namedDates(sentences: readonly ReviewSentence[]): ReadonlyMap<string, string> {
  const named = new Map<string, string>();
  const add = (name: string, date: string): void => {
    if (!named.has(dateName(name))) named.set(dateName(name), date);
  };
  for (const { text } of sentences) {
    for (const { date, start, end } of writtenDates(text)) {
      if (date === undefined) continue;
      const [before, behind] = [text.slice(Math.max(0, start - 60), start), text.slice(end, end + 60)];
      const named =
        /["“]([A-Z][\w ]{2,40}(?:Date|Day))["”]?\s*(?:means|is|shall (?:be|mean)|:)\s*(?:the )?$/.exec(before)?.[1] ??
        /^\s*\((?:the|hereinafter)?[^()]{0,20}["“]([A-Z][\w ]{2,40}(?:Date|Day))["”]/.exec(behind)?.[1] ??
        /(?:^|[\s"“'(])([가-힣]{1,8}(?:일|일자|기한))["”']?(?:은|는|이란|:|：)\s*$/.exec(before)?.[1] ??
        /^(?:을|를)\s?["“']?([가-힣]{1,8}일)["”']?(?:로|으로)\s?(?:한다|하고|정한)/.exec(behind)?.[1];
      if (named !== undefined) add(named, date);
    }
  }
  return named;
}

interface TermContext extends Pick<KnownDates, 'signed' | 'effective' | 'named'> {
  readonly language: ReviewLanguage;
}

const termTitle = /^(?:the )?(?:initial )?(?:term|duration|lease term|period|contract period)\b|\bterm\b(?! and)|기간/i;
const termWords =
  /["“]Term["”]|\bterm (?:of|shall|will|is|begins?|commences?|starts?|runs?)\b|\bthis (?:agreement|lease|licen[cs]e|contract)\b.{0,60}\b(?:begins?|starts?|commences?|runs?|continues?|expires?|ends?|(?:comes?|come) into (?:force|effect)|(?:remains?|becomes?|be|is|continue) (?:in (?:full )?(?:force|effect)|effective|valid))\b|\bduration of\b|\bemployment (?:begins?|starts?|commences?)\b|계약\s?기간|임대차\s?기간|존속\s?기간|유효\s?기간|기간은|근로계약|효력을\s?가/i;
/** Says that a sentence is the one that sets the term. */
const termDefinition = /["“]Term["”]\s*\)|^(?:the )?(?:initial )?term of this\b|^(?:이\s|본\s)?계약(?:의)?\s?기간은/i;
/** A reservation says nothing about the term itself. */
const reservation = /,?\s*\b(?:unless|until (?:this|it is)|subject to|provided,? (?:however|that)|or until)\b.*$/i;

/** Contracts without an end, and periods that are not the term. */
const noPeriod = /indefinite|unlimited (?:period|duration)|probation|기간의?\s?정함이\s?없|무기한|수습|시용/i;
const noTerm = /renew|extend|extension|notice|terminat|갱신|연장|통지|해지|보수\s?기간/i;

function termOf(sentences: readonly ReviewSentence[], context: TermContext): ReviewTerm {
  const isTerm = ({ text, article }: ReviewSentence): boolean => termTitle.test(article.title) || termWords.test(text);
  const own = sentences.filter((sentence) => isTerm(sentence) && !noTerm.test(sentence.text.replace(reservation, '')));
  const rank = ({ text, article }: ReviewSentence): number => (termDefinition.test(text) ? 0 : termTitle.test(article.title) ? 1 : 2);
  const others = sentences.filter(({ article, text }) => termTitle.test(article.title) && noTerm.test(text) && termWords.test(text));
  const candidates = [...[...own].sort((a, b) => rank(a) - rank(b)), ...others];
  let begun: ReviewTerm = {};
  for (const sentence of candidates) {
    const term = termIn(sentence, context);
    if (term.end !== undefined) return term;
    if (term.start !== undefined && begun.start === undefined) begun = term;
  }
  return begun;
}

function termIn(sentence: ReviewSentence, context: TermContext): ReviewTerm {
  const { text } = sentence;
  const dates = writtenDates(text).flatMap(({ date, start, end }) => (date === undefined ? [] : [{ date, start, end }]));
  const [first, second] = dates;
  const passage = passageOf(sentence);
  if (first && second && second.date > first.date && isRange(text, first, second)) return { start: first.date, end: second.date, passage };
  const beginning = beginningOf(text, first, context);
  const written = periodPattern[/[가-힣]/.test(text) ? 'ko' : 'en'].exec(first && /[가-힣]/.test(text) ? text.slice(first.end) : text);
  const period = written ? readPeriod(written[0]) : undefined;
  if (beginning === undefined) {
    const ends =
      first &&
      /(?:\b(?:until|through|through and including|ends?|expires?|to)\b(?: on)?\s*(?:the )?$)/i.test(
        text.slice(Math.max(0, first.start - 24), first.start),
      );
    const endsKo = first && /^\s?까지/.test(text.slice(first.end));
    return first && (ends || endsKo) ? { end: first.date, passage } : {};
  }
  if (period === undefined || noPeriod.test(text) || period.unit === 'hour' || period.unit === 'business day' || tooLong(period))
    return beginning.isTermStart ? { start: beginning.date, passage } : {};
  const { date: start, counts } = beginning;
  const end = counts ? lastDayOf(start, period) : dayAfter(start, period, { law: context.language });
  if (end === undefined) return { start, passage };
  const korean = context.language === 'ko';
  const counted = korean
    ? `${start}부터 ${written?.[0]}, 첫날을 ${counts ? '넣어' : '빼고'} 셈함`
    : `${written?.[0]} from ${start}, the first day ${counts ? 'counts' : 'does not count'}`;
  return { start, end, rule: counted, passage };
}

const tooLong = ({ count, unit }: Period): boolean => count > maxYears * (unit === 'month' ? 12 : 366);

interface Spot {
  readonly date: string;
  readonly start: number;
  readonly end: number;
}

const isRange = (text: string, first: Spot, second: Spot): boolean =>
  /\b(?:to|until|till|through|ends?|terminates?|expires?)\b|부터|~|–|-|∼/i.test(text.slice(first.end, second.start)) &&
  second.start - first.end < 120;

/** The day on which a term begins, and whether it counts. */
function beginningOf(
  text: string,
  first: Spot | undefined,
  { signed, effective, language }: TermContext,
): { readonly date: string; readonly counts: boolean; readonly isTermStart: boolean } | undefined {
  if (first) {
    const before = text.slice(Math.max(0, first.start - 40), first.start);
    const isStart =
      /\b(?:begin\w*|commenc\w*|start\w*|from|as of|effective)\b(?: on)?\s*(?:the )?$/i.test(before) ||
      /^\s?부터/.test(text.slice(first.end));
    if (isStart) return { date: first.date, counts: true, isTermStart: true };
    if (first) return undefined;
  }
  if (language === 'ko') {
    const date = /(?:계약\s?)?체결(?:일|한\s?날)(?:로|으로)?부터|계약일(?:로)?부터/.test(text) ? (signed ?? effective) : undefined;
    return date === undefined ? undefined : { date, counts: false, isTermStart: true };
  }
  const named =
    /\b(?:on|upon|from|as of|after|following|with|of) (?:the )?(?:date of )?(?:the )?(?:Effective Date|date (?:hereof|of this \w+|(?:first )?(?:above|stated|written|set forth)))/i.exec(
      text,
    );
  const date = named ? (effective ?? signed) : undefined;
  const counts = /\b(?:begin\w*|commenc\w*|start\w*|effective)\b.{0,20}$/i.test(text.slice(0, named?.index ?? 0));
  return date === undefined ? undefined : { date, counts, isTermStart: true };
}
