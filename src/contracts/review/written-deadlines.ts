import { type WrittenDate, writtenDates } from '../facts/contract-dates.ts';
import { periodSource } from './period-pattern.ts';
import type { ReviewSides } from './review-sides.ts';

/** A period or date in a sentence, before it is computed. */
export interface WrittenDeadline {
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

export function englishDeadlines(text: string): readonly WrittenDeadline[] {
  const found: WrittenDeadline[] = [];
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

export function koreanDeadlines(text: string, sides: ReviewSides): readonly WrittenDeadline[] {
  const found: WrittenDeadline[] = [];
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
