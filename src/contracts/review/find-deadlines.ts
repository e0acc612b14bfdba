import { type WrittenDate, writtenDates } from '../facts/contract-dates.ts';
import type { ReviewDeadline, ReviewLanguage } from './contract-review.ts';
import { type DayCountOptions, dayAfter, dayBefore, isWeekend, nextBusinessDay, readPeriod } from './day-count.ts';
import { dateName, type KnownDates } from './known-dates.ts';
import { periodSource } from './period-pattern.ts';
import { passageOf, type ReviewSentence } from './review-sentences.ts';
import { bothSides, type ReviewSides } from './review-sides.ts';

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

/** A period or date in a sentence, before it is computed. */
interface Written {
  readonly what: string;
  readonly at: number;
  /** The computed date, if the sentence states it. */
  readonly date?: string;
  /** The date as written is none. */
  readonly problem?: WrittenDate['problem'];
  /** Words for the day from which a period counts. */
  readonly anchor?: string;
  readonly period?: string;
  readonly direction?: 'after' | 'before';
  readonly isRecurring?: boolean;
}

/** Returns the deadlines of a contract, those with a date first. */
export function findDeadlines(sentences: readonly ReviewSentence[], options: FindDeadlinesOptions): readonly ReviewDeadline[] {
  const found = sentences.flatMap((sentence) => {
    if (sentence.article.part === 'preamble') return [];
    const written = /[가-힣]/.test(sentence.text) ? koreanDeadlines(sentence.text, options.sides) : englishDeadlines(sentence.text);
    return written.map((one) => deadlineOf(one, sentence, options));
  });
  const dated = found.filter(({ date }) => date !== undefined).sort((a, b) => ((a.date ?? '') < (b.date ?? '') ? -1 : 1));
  return [...dated, ...found.filter(({ date }) => date === undefined)];
}

function deadlineOf(written: Written, sentence: ReviewSentence, options: FindDeadlinesOptions): ReviewDeadline {
  const subject = options.sides.subjectAt(sentence.text, written.at + written.what.length) ?? subjectOfLead(sentence, options.sides);
  const { date, rule } = compute(written, options);
  const note = date === undefined ? undefined : noteOf(date, options);
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

function compute(written: Written, { dates, language, law, holidays }: FindDeadlinesOptions): Pick<ReviewDeadline, 'date' | 'rule'> {
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

const sentencesFor = {
  en: {
    recurs: 'It recurs, so it has no single date.',
    stated: 'The contract states the date.',
    blank: 'The contract leaves the date blank.',
    ambiguous: 'The date can be read in two ways: day and month are not clear.',
    impossible: 'The date does not exist in the calendar.',
    event: (anchor: string) => `It depends on an event: ${anchor}.`,
    notStated: (name: string) => `The contract does not state the ${name}.`,
    business: (isGiven: boolean) =>
      `; Saturdays and Sundays${isGiven ? ' and the given holidays' : ''} do not count${isGiven ? '' : ', holidays are not known'}`,
    counted: (period: string, direction: string, from: string, name: string) =>
      `${period} ${direction} ${from} (${name})${direction === 'after' ? ', the first day does not count' : ''}`,
    weekend: 'The day is a Saturday, a Sunday or a given holiday.',
    moved: (_: string) => '',
  },
  ko: {
    recurs: '되풀이되는 기한이라 날짜가 하나로 정해지지 않는다.',
    stated: '계약서에 적힌 날짜이다.',
    blank: '계약서에 날짜가 비어 있다.',
    ambiguous: '월과 일을 두 가지로 읽을 수 있는 날짜이다.',
    impossible: '달력에 없는 날짜이다.',
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
} as const;

function noteOf(date: string, { language, holidays }: FindDeadlinesOptions): string | undefined {
  if (!isWeekend(date) && !holidays?.has(date)) return undefined;
  const { weekend, moved } = sentencesFor[language];
  return `${weekend}${moved(nextBusinessDay(date, holidays))}`;
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

const english = {
  after: new RegExp(
    String.raw`(?:\b(?:within|not later than|no later than|at the latest|by|in)\s+)?(?:the\s+)?(?:period\s+of\s+)?(${periodSource.en})['’]?\s+(?:after|from|of|following)\s+([^,;.()]{3,90})`,
    'gi',
  ),
  before: new RegExp(
    String.raw`(?:\b(?:at least|not less than|no less than|no later than|not later than)\s+)?(${periodSource.en})['’]?(?:\s+(?:prior|advance|written|notice)){0,3}\s+(?:before|prior to|in advance of|preceding)\s+([^,;.()]{3,90})`,
    'gi',
  ),
  recurring:
    /\b(?:on|by|before)\s+(?:or before\s+)?the\s+(?:\w+\s+){1,3}(?:business\s+)?day\s+of\s+(?:each|every|the following|the)\s+(?:calendar\s+)?(?:month|quarter|year)/gi,
  until: /\b(?:by|on or before|no later than|not later than|until|before|prior to|at the latest (?:on|by))\s+(?:the\s+)?$/i,
};

/** `of` joins a period to its beginning only before these. */
const beginnings =
  /^(?:the |its |such |any |a |this |written |receipt|receiving|delivery|notice|invoice|date|completion|termination|expir|being|becoming|demand|acceptance|discovery|knowledge|[A-Z])/;

/** Hides the marks within dates: they end no words. */
function maskDates(text: string): string {
  let masked = text;
  for (const { start, end } of writtenDates(text))
    masked =
      masked.slice(0, start) + masked.slice(start, end).replaceAll(',', hidden.comma).replaceAll('.', hidden.stop) + masked.slice(end);
  return masked;
}
const unmask = (text: string): string => text.replaceAll(hidden.comma, ',').replaceAll(hidden.stop, '.');
/** Private characters of the same length. */
const hidden = { comma: '\uE000', stop: '\uE001' } as const;

function englishDeadlines(text: string): readonly Written[] {
  const found: Written[] = [];
  const masked = maskDates(text);
  for (const { 0: what, 1: period = '', 2: anchor = '', index } of masked.matchAll(english.after)) {
    if (/\sof\s+\S+.*$/i.test(what) && !/\s(?:after|from|following)\s/i.test(what) && !beginnings.test(anchor)) continue;
    if (/^(?:age|experience|service|employment)\b/i.test(anchor)) continue;
    found.push({ what: shorten(unmask(what)), at: index, period, anchor: eventOf(unmask(anchor)), direction: 'after' });
  }
  for (const { 0: what, 1: period = '', 2: anchor = '', index } of masked.matchAll(english.before))
    found.push({ what: shorten(unmask(what)), at: index, period, anchor: eventOf(unmask(anchor)), direction: 'before' });
  for (const { 0: what, index } of text.matchAll(english.recurring)) found.push({ what, at: index, isRecurring: true });
  const isCounted = (start: number): boolean =>
    found.some(({ at, what, period }) => period !== undefined && at <= start && start < at + what.length);
  for (const { start, end, ...date } of writtenDates(text)) {
    const before = english.until.exec(text.slice(Math.max(0, start - 30), start));
    if (before && !isCounted(start)) found.push({ what: `${before[0].trim()} ${text.slice(start, end)}`, at: start, ...date });
  }
  return found.sort((a, b) => a.at - b.at);
}

/** The words of an event end where the sentence goes on. */
const eventOf = (anchor: string): string =>
  anchor
    .replace(/\s+(?:shall|must|may|will|needs?|requires?|the (?:parties|party)|and|or|at|in which|provided|unless|if|whichever)\b.*$/i, '')
    .trim();

const shorten = (what: string): string => {
  const words = eventOf(what).replace(/\s+/g, ' ');
  return words.length <= 100 ? words : `${words.slice(0, 99)}…`;
};

const korean = {
  from: new RegExp(
    String.raw`([^,.;]{2,60}?)(?:로|으로)?부터\s?(${periodSource.ko})\s?(?:이내|안|내|이후|뒤|후|까지|동안|간|이\s?(?:지난|되는|경과)|을\s?(?:지난|경과))`,
    'g',
  ),
  since: new RegExp(String.raw`([^,.;]{2,60}?)\s?(?:후|뒤)\s?(${periodSource.ko})\s?(?:이내|안|내)`, 'g'),
  before: new RegExp(String.raw`([^,.;]{2,60}?)\s?(${periodSource.ko})\s?(?:이?전)(?:까지|에)?`, 'g'),
  recurring: /(?:매월|매달|매년|매\s?분기|매주|다음\s?달)\s?(?:\d{1,2}월\s?)?(?:\d{1,2}일|말일|[월화수목금토일]요일)(?:까지|에)?/g,
};

function koreanDeadlines(text: string, sides: ReviewSides): readonly Written[] {
  const found: Written[] = [];
  const masked = maskDates(text);
  const add = (direction: 'after' | 'before', match: RegExpExecArray | RegExpMatchArray): void => {
    const { 0: whole, 1: before = '', 2: period = '', index = 0 } = match;
    const anchor = anchorWords(before, sides);
    if (anchor === '') return;
    const at = index + before.lastIndexOf(anchor);
    found.push({ what: text.slice(at, index + whole.length).trim(), at, period, anchor: unmask(anchor), direction });
  };
  for (const match of masked.matchAll(korean.from)) add('after', match);
  for (const match of masked.matchAll(korean.since)) add('after', match);
  for (const match of masked.matchAll(korean.before)) add('before', match);
  for (const { 0: what, index } of text.matchAll(korean.recurring)) found.push({ what, at: index, isRecurring: true });
  for (const { start, end, ...date } of writtenDates(text)) {
    if (/^\s?(?:까지|이전|이내)/.test(text.slice(end)) && !/부터/.test(text.slice(Math.max(0, start - 30), start)))
      found.push({ what: `${text.slice(start, end)}까지`, at: start, ...date });
  }
  return found.sort((a, b) => a.at - b.at);
}

/** The words that name a day: without the acting party before them, and without an earlier clause before a single word. */
function anchorWords(before: string, sides: ReviewSides): string {
  const acting = [...before.matchAll(new RegExp(`${sides.source}["”’'」』]?(?:은|는)\\s+`, 'g'))].at(-1);
  const words = before
    .slice(acting ? acting.index + acting[0].length : 0)
    .replace(/^.*(?:늦어도|다만,?|경우에는?|때에는|해당하면)\s+(?=\S)/, '')
    .replace(/^(?:그|또한|그리고|,)\s+/, '')
    .trim();
  return /(?:[가-힣](?:고|며|면|은|는)|까지)\s+([가-힣]{2,8}(?:일|날))$/.exec(words)?.[1]?.replace(/^날$/, words) ?? words;
}
