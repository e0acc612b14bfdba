import { type WrittenDate, writtenDates } from '../facts/contract-dates.ts';
import type { ReviewDeadline, ReviewLanguage } from './contract-review.ts';
import { type DayCountOptions, dayAfter, dayBefore, isWeekend, nextBusinessDay, readPeriod } from './day-count.ts';
import { type DeadlineLimit, isReleased, limitOf } from './deadline-limits.ts';
import { dateName, type KnownDates } from './known-dates.ts';
import { passageOf, type ReviewSentence } from './review-sentences.ts';
import { bothSides, type ReviewSides } from './review-sides.ts';
import { englishDeadlines, koreanDeadlines, type WrittenDeadline } from './written-deadlines.ts';

export interface FindDeadlinesOptions {
  readonly dates: KnownDates;
  readonly sides: ReviewSides;
  /** Language of the rule sentences. */
  readonly language: ReviewLanguage;
  /** Rule for months: the language of the contract. */
  readonly law: ReviewLanguage;
  /** ISO dates. */
  readonly holidays?: ReadonlySet<string>;
}

/** Returns the deadlines of a contract, those with a date first. */
export function findDeadlines(sentences: readonly ReviewSentence[], options: FindDeadlinesOptions): readonly ReviewDeadline[] {
  const found = sentences.flatMap((sentence) => {
    if (sentence.article.part === 'preamble') return [];
    const written = /[가-힣]/.test(sentence.text) ? koreanDeadlines(sentence.text, options.sides) : englishDeadlines(sentence.text);
    const due = written.filter(({ at, what }) => !isReleased(sentence.text, at, what.length));
    return due.map((one) => deadlineOf(one, sentence, options));
  });
  const dated = found.filter(({ date }) => date !== undefined).sort((a, b) => ((a.date ?? '') < (b.date ?? '') ? -1 : 1));
  return [...dated, ...found.filter(({ date }) => date === undefined)];
}

function deadlineOf(written: WrittenDeadline, sentence: ReviewSentence, options: FindDeadlinesOptions): ReviewDeadline {
  const subject = options.sides.subjectAt(sentence.text, written.at + written.what.length) ?? subjectOfLead(sentence, options.sides);
  const limit = written.isRecurring || written.problem !== undefined ? undefined : limitOf(sentence.text, written);
  const { date, rule }: Computed = limit === undefined ? compute(written, options) : { rule: sentencesFor[options.language][limit] };
  const note = date === undefined ? undefined : noteOf(date, written, options);
  return {
    what: written.what,
    ...(subject === undefined || subject === bothSides ? {} : { who: subject }),
    passage: passageOf(sentence, written.at),
    ...(date === undefined ? {} : { date }),
    rule,
    ...(note === undefined ? {} : { note }),
  };
}

const subjectOfLead = ({ lead }: ReviewSentence, sides: ReviewSides): string | undefined =>
  lead === '' ? undefined : sides.subjectAt(lead, lead.length);

type Computed = Pick<ReviewDeadline, 'date' | 'rule'>;

function compute(written: WrittenDeadline, { dates, language, law, holidays }: FindDeadlinesOptions): Computed {
  const say = sentencesFor[language];
  if (written.isRecurring) return { rule: say.recurs };
  if (written.date !== undefined) return { date: written.date, rule: say.stated };
  if (written.problem !== undefined) return { rule: say[written.problem] };
  const anchor = written.anchor ?? '';
  const from = anchorDate(anchor, dates);
  if (from === undefined) return { rule: say.event(anchor) };
  if (from.problem !== undefined) return { rule: say[from.problem] };
  if (from.date === undefined) return { rule: say.notStated(from.name) };
  const period = readPeriod(written.period ?? '');
  const options: DayCountOptions = { law, ...(holidays === undefined ? {} : { holidays }) };
  if (period === undefined || period.unit === 'hour') return { rule: say.event(anchor) };
  const date = written.direction === 'before' ? dayBefore(from.date, period, options) : dayAfter(from.date, period, options);
  const business = period.unit === 'business day' ? say.business(holidays !== undefined) : '';
  return {
    ...(date === undefined ? {} : { date }),
    rule: `${say.counted(written.period ?? '', written.direction ?? 'after', from.date, from.name)}${business}`,
  };
}

type Reason = 'recurs' | 'stated' | 'weekend' | NonNullable<WrittenDate['problem']> | DeadlineLimit;
interface Sentences extends Readonly<Record<Reason, string>> {
  event(anchor: string): string;
  notStated(name: string): string;
  business(isGiven: boolean): string;
  counted(period: string, direction: string, from: string, name: string): string;
  moved(next: string): string;
}

const sentencesFor: Readonly<Record<ReviewLanguage, Sentences>> = {
  en: {
    recurs: 'It recurs, so it has no single date.',
    stated: 'The contract states the date.',
    blank: 'The contract leaves the date blank.',
    ambiguous: 'The date can be read in two ways: day and month are not clear.',
    impossible: 'The date does not exist in the calendar.',
    earliest: 'It is the earliest day, not a deadline.',
    forbidden: 'Something is forbidden until then, so it is no deadline.',
    alternative: 'Two times compete, such as “whichever is later”.',
    event: (anchor: string) => `It depends on an event: ${anchor}.`,
    notStated: (name: string) => `The contract does not state the ${name}.`,
    business: (isGiven: boolean) =>
      `; Saturdays and Sundays${isGiven ? ' and the given holidays' : ''} do not count${isGiven ? '' : ', holidays are not known'}`,
    counted: (period: string, direction: string, from: string, name: string) =>
      `${period} ${direction} ${from} (${name})${direction === 'after' ? ', the first day does not count' : ''}`,
    weekend: 'The day is a Saturday, a Sunday or a given holiday.',
    moved: () => '',
  },
  ko: {
    recurs: '되풀이되는 기한이라 날짜가 하나로 정해지지 않는다.',
    stated: '계약서에 적힌 날짜이다.',
    blank: '계약서에 날짜가 비어 있다.',
    ambiguous: '월과 일을 두 가지로 읽을 수 있는 날짜이다.',
    impossible: '달력에 없는 날짜이다.',
    earliest: '기한이 아니라 가장 이른 날이다.',
    forbidden: '그때까지 금지하는 것이라 기한이 아니다.',
    alternative: '먼저 오는 날이나 나중에 오는 날을 고르므로 하나로 정해지지 않는다.',
    event: (anchor: string) =>
      /(?:면|때에만?|때에는|경우에는?|하는|은|는)$/.test(anchor)
        ? '미리 알리거나 해야 하는 기간이라 그 일을 하는 날에 따라 정해진다.'
        : `사건에 따라 정해진다: ${anchor}`,
    notStated: (name: string) => `계약서에 ${name}이 적혀 있지 않다.`,
    business: (isGiven: boolean) =>
      `; 토요일과 일요일${isGiven ? ', 주어진 공휴일' : ''}은 빼고 셈함${isGiven ? '' : '(공휴일은 알 수 없음)'}`,
    counted: (period: string, direction: string, from: string, name: string) =>
      direction === 'after' ? `${from}(${name})부터 ${period}, 첫날은 빼고 셈함` : `${from}(${name})의 ${period} 전`,
    weekend: '토요일, 일요일 또는 주어진 공휴일이다.',
    moved: (next: string) => ` 민법 제161조에 따르면 ${next}에 만료한다.`,
  },
};

/** Article 161 moves the end of a period forward. A day before an event would be late then. */
function noteOf(date: string, { direction }: WrittenDeadline, { language, holidays }: FindDeadlinesOptions): string | undefined {
  if (!isWeekend(date) && !holidays?.has(date)) return undefined;
  const { weekend, moved } = sentencesFor[language];
  return `${weekend}${direction === 'before' ? '' : moved(nextBusinessDay(date, holidays))}`;
}

interface Anchor {
  readonly name: string;
  readonly date?: string;
  readonly problem?: WrittenDate['problem'];
}

/** Returns the day that words name. `undefined` for an event; without a date if the contract leaves it open. */
function anchorDate(words: string, { signed, effective, term, named }: KnownDates): Anchor | undefined {
  const [own] = writtenDates(words);
  const korean = /[가-힣]/.test(words);
  if (own && (korean ? words.slice(own.end).trim() === '' : /^(?:the )?$/i.test(words.slice(0, own.start)))) {
    const { start, end, ...rest } = own;
    return { name: words.slice(start, end), ...rest };
  }
  const known = (name: string, date: string | undefined): Anchor => ({ name, ...(date === undefined ? {} : { date }) });
  const start = words.replace(/^(?:the|such)\s+/i, '');
  const defined = named.get(
    dateName(/^[A-Z][\w ]{0,40}?(?:Date|Day)\b/.exec(start)?.[0] ?? /[가-힣]{1,8}(?:일|일자)$/.exec(words)?.[0] ?? ''),
  );
  if (defined !== undefined) return known(start.trim(), defined);
  if (/^Effective Date\b/i.test(start)) return known('Effective Date', effective);
  if (
    /^(?:date (?:hereof|of (?:this|the) (?:agreement|lease|contract))|signing|signature|execution) ?(?:of (?:this|the) (?:agreement|lease|contract))?/i.test(
      start,
    )
  )
    return known('date of the contract', signed ?? effective);
  if (
    /^(?:end|expiry|expiration|last day)(?: date)? of (?:the|this|its) (?:(?:initial|then-current|current|lease|original) )*(?:term|lease|period)\b/i.test(
      start,
    )
  )
    return known('end of the term', term.end);
  if (/^(?:start|beginning|commencement) of (?:the|this|its) (?:term|lease|agreement|employment)\b|^commencement date\b/i.test(start))
    return known('start of the term', term.start);
  if (/(?:계약(?:을|의)?\s?(?:체결일|체결한\s?날|맺은\s?날|체결)|계약(?:서\s?)?(?:체결|작성|서명)?일|체결일|체결한\s?날)$/.test(words))
    return known('계약 체결일', signed ?? effective);
  if (/효력\s?발생일$/.test(words)) return known('효력발생일', effective);
  if (
    /(?:계약|임대차|사용허락)\s?기간(?:이|의)?\s?(?:끝나는\s?날|끝난\s?날|끝나기|만료일|만료된\s?날|만료되기|만료|종료일|종료)$|^(?:이\s)?계약(?:의)?\s?만료(?:일)?$|기간\s?만료일?$|계약이\s?만료되기$/.test(
      words,
    )
  )
    return known('계약기간 만료일', term.end);
  if (/(?:계약|임대차)\s?기간(?:의|이)?\s?(?:시작일|시작되는\s?날|개시일|초일)$/.test(words)) return known('계약기간 시작일', term.start);
  return undefined;
}
