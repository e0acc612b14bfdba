import type { Article } from '../contract-document.ts';
import { recitals } from './contract-parties.ts';
import { quoteAround } from './quote-around.ts';

/** The date of signature or the effective date of a contract. */
export interface ContractDate {
  readonly kind: 'signed' | 'effective';
  /** ISO date, such as `2026-01-05`. Absent if the document leaves it blank or the date is ambiguous, such as `01/05/2026`. */
  readonly date?: string;
  /** The date as written, including blanks. */
  readonly text: string;
  readonly quote: string;
  readonly partId: string;
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const month =
  '(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\b\\.?)';
const written = new RegExp(
  [
    String.raw`(?<last>(?:19|20)\d\d\s?년\s?\d{1,2}\s?월\s?(?:말일?|마지막\s?날)|\b(?:end|last day) of (?:the month of )?${month},?\s+(?:19|20)\d\d)`,
    String.raw`(?<ko>(?:19|20)\d\d\s?년\s?\d{1,2}\s?월\s?\d{1,2}\s?일|(?:19|20)\d\d\.\s?\d{1,2}\.\s?\d{1,2}\.?|['’‘]\d\d\.\s?\d{1,2}\.\s?\d{1,2}\.?(?=\s?[가-힣]))`,
    String.raw`(?<iso>(?:19|20)\d\d-\d\d-\d\d|(?<![\d/])(?:19|20)\d\d/\d{1,2}/\d{1,2})(?![\d/])`,
    String.raw`(?<mdy>${month}\s+\d{1,2}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d)`,
    String.raw`(?<dmy>\d{1,2}(?:st|nd|rd|th)?\s+(?:(?:day\s+)?of\s+)?${month},?\s+(?:19|20)\d\d)`,
    String.raw`(?<slash>\d{1,2}/\d{1,2}/(?:19|20)?\d\d|(?<![\d.])\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?!\d))`,
    String.raw`(?<blank>(?:_{2,}|\[[\s_•*]*\])\s*(?:day\s+of\s+)(?:${month}|_{2,}|\[[\s_•*]*\]|\s)[\s,]*(?:(?:19|20)[\d_]{0,4}|_{2,})?|(?:20)?[_ \t]{2,}\s?년[_ \t]{2,}월[_ \t]{2,}일|(?:19|20)\d\d\s?년[_ \t]{2,}월[_ \t]{2,}일|_{2,}\s?,\s?(?:19|20)\d{0,2}_*)`,
  ].join('|'),
  'g',
);
const effective = /effective|commence|take effect|효력|발효|개시|시행/i;
const signed = /dated|made|entered|executed|signed|as of|day of|체결|서명|계약일|작성일|날인/i;
/** A Korean verb follows its date: `이 계약은 2028년 1월 31일 갑과 을 사이에 체결되었다.` */
const topicKo = /(?:이|본)\s?(?:[가-힣]+\s?)?(?:계약|약정|협약|합의)서?(?:은|는)\s[^.]*$/;
const signedKo = /^[^.\n]*?(?:체결|작성|서명)(?:되었|되어|됐|됨|하였|했|한다|함)/;
const effectiveKo = /^\s?[(（](?:이하\s*)?["“'‘「『]?\s?(?:효력\s?발생일|발효일|시행일)/;
const reach = 120;
const maxDefinitions = 3;

/** Returns the dates of the preamble, of the signatures, and of an article that defines the effective date. */
export function datesOf(opening: readonly Article[], closing: readonly Article[], parts: readonly Article[]): readonly ContractDate[] {
  const found: ContractDate[] = [];
  const add = (kind: ContractDate['kind'], part: Article, match: RegExpMatchArray, text: string): void => {
    const date = normalised(match);
    const from = Math.max(0, (match.index ?? 0) - reach);
    found.push({
      kind,
      ...(date === undefined ? {} : { date }),
      text: match[0].trim(),
      quote: quoteAround(text, from, (match.index ?? 0) - from + match[0].length + reach / 2),
      partId: part.id,
    });
  };
  for (const part of opening) {
    const start = part.text.slice(0, 6_000);
    for (const match of start.slice(0, recitals.exec(start)?.index).matchAll(written)) {
      if (isFooter(part.text, match.index)) continue;
      const [before, behind] = [
        part.text.slice(Math.max(0, match.index - reach), match.index),
        part.text.slice(match.index, match.index + reach),
      ];
      if (/[(（]?["“][^"”]{0,20}(?:Effective|Commencement) Date/i.test(behind) || /(?:effective|효력|발효)[^.]{0,60}$/i.test(before))
        add('effective', part, match, part.text);
      if (effectiveKo.test(behind.slice(match[0].length))) add('effective', part, match, part.text);
      const sentence = part.text.slice(match.index + match[0].length, match.index + 2 * reach);
      if (signed.test(before) || (topicKo.test(before) && signedKo.test(sentence))) add('signed', part, match, part.text);
      if (found.length > 3) break;
    }
  }
  for (const part of closing) {
    for (const match of part.text.slice(0, 4_000).matchAll(written))
      if (found.length < 6 && !isFooter(part.text, match.index)) add('signed', part, match, part.text);
  }
  const defining = parts.filter(({ part }) => part === 'body' || part === 'paragraph');
  for (const part of defining) {
    if (found.filter(({ kind }) => kind === 'effective').length >= maxDefinitions) break;
    for (const match of part.text.matchAll(
      /["“]?Effective Date["”]?\s+(?:means|shall mean|is|:)[^.;]{0,80}|효력\s?발생일은?[^.\n]{0,60}|계약은[^.\n]{0,60}(?:부터|에)\s?효력/g,
    )) {
      const inside = [...match[0].matchAll(written)][0];
      if (inside && effective.test(match[0])) add('effective', part, inside, match[0]);
    }
  }
  return found;
}

/** A date as written in a text, with its position. */
export interface WrittenDate {
  /** ISO date. Absent if there is a `problem`. */
  readonly date?: string;
  /** `01/05/2026` is ambiguous, April 31 is impossible. */
  readonly problem?: 'blank' | 'ambiguous' | 'impossible';
  readonly start: number;
  readonly end: number;
}

/** Returns the dates of a text in text order. */
export const writtenDates = (text: string): readonly WrittenDate[] =>
  Array.from(text.matchAll(written), (match) => {
    const date = normalised(match);
    const { blank, slash } = match.groups ?? {};
    const problem = blank !== undefined ? 'blank' : slash !== undefined ? 'ambiguous' : 'impossible';
    return { ...(date === undefined ? { problem } : { date }), start: match.index, end: match.index + match[0].length };
  });

/** `Source: ACME INC, 10-K, 3/31/2026` gives the filing date. */
const isFooter = (text: string, at: number): boolean => /^[ \t]*source:/i.test(text.slice(text.lastIndexOf('\n', at) + 1, at));

function normalised({ 0: all, groups = {} }: RegExpMatchArray): string | undefined {
  if (groups.blank !== undefined || groups.slash !== undefined) return undefined;
  const numbers = (all.match(/\d+/g) ?? []).map(Number);
  const name = new RegExp(String.raw`\b(?:${months.join('|')})`, 'i').exec(all)?.[0].toLowerCase();
  const named = name === undefined ? 0 : months.indexOf(name) + 1;
  const isLast = groups.last !== undefined;
  const [year, monthNumber, day] = named === 0 ? numbers : isLast ? [numbers[0], named] : [numbers[1], named, numbers[0]];
  if (year === undefined || monthNumber === undefined) return undefined;
  const fullYear = year < 100 ? 2000 + year : year;
  const date = isLast ? new Date(Date.UTC(fullYear, monthNumber, 0)) : new Date(Date.UTC(fullYear, monthNumber - 1, day ?? 0));
  const isReal = monthNumber >= 1 && date.getUTCMonth() === monthNumber - 1 && (isLast || date.getUTCDate() === day);
  return isReal ? date.toISOString().slice(0, 10) : undefined;
}
