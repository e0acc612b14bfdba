import { addDays, addMonths, type Day, daysBetween, daysInMonth, describeDay, isDay, isLeapYear, isoDay, toDayNumber } from './calendar.ts';
import { plainQuestion } from './plain-question.ts';
import { noSuchDay, readDays } from './read-days.ts';
import { type SentencePattern, sentencePattern } from './sentence-pattern.ts';

type Answer = (found: readonly string[], today: Day, korean: boolean) => string | undefined;

const say = (korean: boolean, ko: string, en: string): string => (korean ? ko : en);

const missing = (expression: string, korean: boolean): string =>
  say(korean, `“${expression}”: 그런 날짜는 없습니다.`, `“${expression}”: there is no such date.`);

/** Answers with the date and its weekday, for either question. Answers with both days if a word may mean two. */
function tellDay(expression: string, today: Day, korean: boolean): string | undefined {
  const read = readDays(expression, today);
  if (read === noSuchDay) return missing(expression, korean);
  const [day, second] = read?.days ?? [];
  if (!day) return undefined;
  if (second) {
    return say(
      korean,
      `가장 가까운 날은 ${describeDay(day, true)}, 다른 주로 보면 ${describeDay(second, true)}입니다.`,
      `The nearest one is ${describeDay(day, false)}; that of the other week is ${describeDay(second, false)}.`,
    );
  }
  // without a year, a day of this year that is over may mean the next one
  const next = read?.yearly && toDayNumber(day) < toDayNumber(today) ? laterYear(day) : undefined;
  return say(
    korean,
    `${expression}: ${describeDay(day, true)}입니다${next ? ` (다음은 ${describeDay(next, true)})` : ''}.`,
    `${capital(expression)}: ${describeDay(day, false)}${next ? ` (the next one: ${describeDay(next, false)})` : ''}.`,
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Without a year, counts to the next such day. */
function daysUntil(expression: string, today: Day, korean: boolean): string | undefined {
  const read = readDays(expression, today);
  if (read === noSuchDay) return missing(expression, korean);
  const [named, second] = read?.days ?? [];
  if (!named || second) return undefined;
  const day = read?.yearly && toDayNumber(named) < toDayNumber(today) ? laterYear(named) : named;
  const days = daysBetween(today, day);
  if (days < 0)
    return say(korean, `${describeDay(day, true)}은 ${-days}일 전에 지났습니다.`, `${describeDay(day, false)} was ${plural(-days)} ago.`);
  return say(korean, `${describeDay(day, true)}까지 ${days}일 남았습니다.`, `It is ${plural(days)} until ${describeDay(day, false)}.`);
}

const plural = (days: number): string => `${days} ${days === 1 ? 'day' : 'days'}`;
const laterYear = ({ year, month, day }: Day): Day => {
  let next = year + 1;
  while (!isDay({ year: next, month, day })) next++;
  return { year: next, month, day };
};

function daysSince(expression: string, today: Day, korean: boolean): string | undefined {
  const read = readDays(expression, today);
  if (read === noSuchDay) return missing(expression, korean);
  const [named, second] = read?.days ?? [];
  if (!named || second) return undefined;
  const day = read?.yearly && toDayNumber(named) > toDayNumber(today) ? addMonths(named, -12) : named;
  const days = daysBetween(day, today);
  if (days < 0) return undefined;
  return say(
    korean,
    `${describeDay(day, true)}부터 오늘까지 ${days}일 지났습니다.`,
    `${plural(days)} have passed since ${describeDay(day, false)}.`,
  );
}

function daysFromTo(first: string, last: string, today: Day, korean: boolean): string | undefined {
  // `3월 1일부터 15일까지`
  const whole = /^\d{1,2}일$/.test(last) ? `${/^(.*월)\s?\d{1,2}일$/.exec(first)?.[1] ?? ''} ${last}` : last;
  const [from, to] = [readDays(first, today), readDays(whole, today)];
  if (from === noSuchDay || to === noSuchDay) return missing(from === noSuchDay ? first : last, korean);
  const [a, b] = [from?.days.length === 1 ? from.days[0] : undefined, to?.days.length === 1 ? to.days[0] : undefined];
  if (!a || !b) return undefined;
  // without years, the second day is the next one after the first; a single year applies to both
  const start = from?.yearly && !to?.yearly ? { ...a, year: b.year } : a;
  const sameYear = to?.yearly && !from?.yearly ? { ...b, year: a.year } : b;
  const end = to?.yearly && toDayNumber(sameYear) < toDayNumber(start) ? laterYear(sameYear) : sameYear;
  if (!isDay(start) || !isDay(end)) return missing(`${first}, ${last}`, korean);
  const days = Math.abs(daysBetween(start, end));
  return say(
    korean,
    `${isoDay(start)}부터 ${isoDay(end)}까지 ${days}일입니다 (첫날도 세면 ${days + 1}일).`,
    `From ${isoDay(start)} to ${isoDay(end)} it is ${plural(days)} (${days + 1} with both ends).`,
  );
}

function leap(word: string, today: Day, korean: boolean): string | undefined {
  const year = yearOf(word, today);
  if (year === undefined || year < 1) return undefined;
  return isLeapYear(year)
    ? say(korean, `${year}년은 윤년입니다 (2월이 29일까지, 366일).`, `Yes: ${year} is a leap year (366 days).`)
    : say(korean, `${year}년은 윤년이 아닙니다 (2월이 28일까지, 365일).`, `No: ${year} is not a leap year (365 days).`);
}

const relativeYears: Readonly<Record<string, number>> = {
  올해: 0,
  금년: 0,
  내년: 1,
  작년: -1,
  재작년: -2,
  내후년: 2,
  'this year': 0,
  'next year': 1,
  'last year': -1,
};
const yearOf = (word: string, { year }: Day): number | undefined => {
  const text = word.trim().replace(/년$/, '');
  if (text === '') return year;
  if (/^\d{1,4}$/.test(text)) return Number(text);
  const offset = relativeYears[word.trim()];
  return offset === undefined ? undefined : year + offset;
};

const monthNames = 'january february march april may june july august september october november december'.split(' ');

function monthLength(year: string, month: string, today: Day, korean: boolean): string | undefined {
  const number = /^\d+$/.test(month) ? Number(month) : monthNames.findIndex((name) => name.startsWith(month.slice(0, 3).toLowerCase())) + 1;
  const inYear = yearOf(year, today);
  if (number < 1 || number > 12 || inYear === undefined) return undefined;
  const days = daysInMonth(inYear, number);
  return say(
    korean,
    `${inYear}년 ${number}월은 ${days}일까지 있습니다.`,
    `${capital(monthNames[number - 1] ?? '')} ${inYear} has ${days} days.`,
  );
}

const yearLength = (word: string, today: Day, korean: boolean): string | undefined => {
  const year = yearOf(word, today);
  if (year === undefined || year < 1) return undefined;
  const days = isLeapYear(year) ? 366 : 365;
  return say(korean, `${year}년은 ${days}일입니다.`, `${year} has ${days} days.`);
};

function restOfYear(today: Day, korean: boolean): string {
  const days = daysBetween(today, { year: today.year, month: 12, day: 31 });
  return say(
    korean,
    `${today.year}년은 오늘(${isoDay(today)}) 뒤로 ${days}일 남았습니다.`,
    `${plural(days)} are left of ${today.year} after today (${isoDay(today)}).`,
  );
}

function age(word: string, today: Day, korean: boolean): string | undefined {
  const year = Number(word);
  const oldest = today.year - year;
  if (oldest < 0 || oldest > 150) return undefined;
  const range = oldest === 0 ? '0' : `${oldest - 1}`;
  return say(
    korean,
    `${year}년생은 ${today.year}년에 생일이 지났으면 만 ${oldest}세, 지나지 않았으면 만 ${range}세입니다.`,
    `Somebody born in ${year} is ${oldest} in ${today.year} after the birthday, and ${range} before it.`,
  );
}

/** Answers with the year or month that a word names. */
function tellPart(what: string, offset: number, today: Day, korean: boolean): string {
  if (/년|year/.test(what)) return say(korean, `${today.year + offset}년입니다.`, `It is ${today.year + offset}.`);
  const { year, month } = addMonths({ ...today, day: 1 }, offset);
  return say(korean, `${year}년 ${month}월입니다.`, `It is ${capital(monthNames[month - 1] ?? '')} ${year}.`);
}

/** ISO 8601: week 1 contains the year's first Thursday. */
function tellWeek(today: Day, korean: boolean): string {
  const thursday = addDays(today, 3 - ((((toDayNumber(today) + 3) % 7) + 7) % 7));
  const week = Math.floor(daysBetween({ year: thursday.year, month: 1, day: 1 }, thursday) / 7) + 1;
  return say(korean, `${thursday.year}년의 ${week}번째 주입니다 (ISO 8601).`, `It is week ${week} of ${thursday.year} (ISO 8601).`);
}

const day = '(.{2,50}?)';
const be = "(?:is|was|will be|does|did|falls?|’s|'s|s)";
const howMany = '(?:며칠|몇\\s?일|얼마나)';
const koStart = '^(?:(?:그럼|그러면|혹시|근데|그런데|그리고|음|저기|안녕(?:하세요)?,?)\\s)*';
const koEnd =
  '(?:이?(?:야|에요|예요|지|죠|니|냐|었(?:지|어|나|더라|어요|나요)|였(?:지|어|나|더라)|인가요?|인지|일까요?|입니까|에요|요|이?나|래))?(?:\\s?(?:알려|말해|계산해|가르쳐|좀|줘|줘요|주세요|봐|돼|되나요?|될까요?|알아\\??|궁금해))*$';
const enStart = '^(?:(?:so|and|then|ok|okay|hey|hi|hello|please|um|well|can you|could you|do you know|tell me)[, ]+)*';
const enEnd = '(?: please| again| now)?$';

const ko = (sentence: string): SentencePattern => sentencePattern(sentence, `${koStart}${sentence}${koEnd}`, 'iu');
const en = (sentence: string): SentencePattern => sentencePattern(sentence, `${enStart}${sentence}${enEnd}`, 'iu');

const sentences: readonly (readonly [sentence: SentencePattern, answer: Answer])[] = [
  [
    ko('(?:(\\d{1,4}년|올해|내년|작년|재작년|내후년|금년)(?:은|는|이|도)?)\\s?윤년(?:이|인|맞)?'),
    ([y = ''], today, korean) => leap(y, today, korean),
  ],
  [
    en('(?:is|was|will)(?: the)?(?: year)? (\\d{1,4}|this year|next year|last year)(?: be)?(?: going to be)? a leap year'),
    ([y = ''], today, korean) => leap(y, today, korean),
  ],
  [
    ko(
      '(?:(\\d{4}년|올해|내년|작년)\\s?(?:의\\s?)?)?(\\d{1,2})월(?:은|에는|이|에)?\\s?(?:며칠|몇\\s?일)(?:까지|이나)?(?:\\s?(?:있|까지\\s?있)(?:어|나요|지|어요|니)?)?',
    ),
    ([y = '', m = ''], today, korean) => monthLength(y, m, today, korean),
  ],
  [
    en(`how many days (?:are )?(?:there )?(?:in|does) ([a-z]{3,9})(?: (?:of )?(\\d{4}|this year|next year|last year))?(?: have)?`),
    ([m = '', y = ''], today, korean) => monthLength(y, m, today, korean),
  ],
  [
    en('how many days (?:are )?(?:there )?(?:in|does) (\\d{4}|this year|next year|last year)(?: have)?'),
    ([y = ''], today, korean) => yearLength(y, today, korean),
  ],
  [
    ko('(\\d{4}년|올해|내년|작년)(?:은|는)?\\s?(?:총\\s?)?(?:며칠|몇\\s?일)(?:이나)?'),
    ([y = ''], today, korean) => yearLength(y, today, korean),
  ],
  [
    ko('(?:올해|금년|이번 해|연말)(?:는|은|가|이|까지)?\\s?(?:며칠|몇\\s?일|얼마나)(?:이나)?\\s?남았(?:어|지|나|어요|나요|니)?'),
    (_, today, korean) => restOfYear(today, korean),
  ],
  [en('how many days (?:are )?(?:left|remaining|remain) (?:in|of) (?:the|this) year'), (_, today, korean) => restOfYear(today, korean)],
  [
    ko('(\\d{4})년\\s?생(?:은|이면|이|인데)?(?:\\s?(?:지금|올해|이제))?\\s?(?:만\\s?)?몇\\s?(?:살|세)'),
    ([y = ''], today, korean) => age(y, today, korean),
  ],
  [
    en(
      'how old (?:is|are|would|am) (?:a |an )?(?:someone|somebody|people|person|you|i|he|she)(?: be)?(?: who (?:was|were|is))?(?: if)?(?: (?:i|you|he|she) (?:was|were))? born in (\\d{4})',
    ),
    ([y = ''], today, korean) => age(y, today, korean),
  ],
  [ko('(?:지금|올해|금년|이번\\s?해)(?:은|는|이|가)?\\s?(?:몇\\s?년도?|몇\\s?년)'), (_, today, korean) => tellPart('년', 0, today, korean)],
  [
    ko('(내년|작년)(?:은|는|이|가)?\\s?(?:몇\\s?년도?)'),
    ([word], today, korean) => tellPart('년', word === '내년' ? 1 : -1, today, korean),
  ],
  [ko('(?:지금|이번\\s?달|현재)(?:은|는|이)?\\s?(?:몇\\s?월)'), (_, today, korean) => tellPart('월', 0, today, korean)],
  [
    ko('(다음|지난|저번)\\s?달(?:은|는|이)?\\s?(?:몇\\s?월)'),
    ([word], today, korean) => tellPart('월', word === '다음' ? 1 : -1, today, korean),
  ],
  [
    en("what(?:'s|’s|s| is)? (?:the )?(?:current )?(year|month)(?: is it| are we in| is this| it is)?(?: right)?"),
    ([what = ''], today, korean) => tellPart(what, 0, today, korean),
  ],
  [
    en("(?:what|which)(?:'s|’s|s| is)? (?:the )?(?:current )?week(?: number)?(?: is (?:it|this)| are we in)?(?: of the year)?"),
    (_, today, korean) => tellWeek(today, korean),
  ],
  [
    ko('(?:지금|이번\\s?주|올해)(?:는|은|가)?\\s?(?:(?:올해|1년)\\s?)?(?:중\\s?)?몇\\s?(?:째|번째)\\s?주'),
    (_, today, korean) => tellWeek(today, korean),
  ],
  [
    ko(
      `${day}(?:부터|에서)\\s?${day}까지(?:는|은|이|의)?\\s?(?:총\\s?|모두\\s?)?${howMany}(?:이나)?(?:\\s?(?:간|동안|걸려|남았어|차이\\s?나))?(?:까지)?`,
    ),
    ([a = '', b = ''], today, korean) => (/^오늘|^지금/.test(a) ? daysUntil(b, today, korean) : daysFromTo(a, b, today, korean)),
  ],
  [
    ko(`${day}(?:와|과|하고|랑|이랑)\\s${day}\\s?(?:사이|차이)(?:는|은|가|에는)?\\s?${howMany}(?:이나)?(?:\\s?(?:차이|나|돼))*`),
    ([a = '', b = ''], today, korean) => daysFromTo(a, b, today, korean),
  ],
  [
    en(`how many days (?:are )?(?:there )?(?:between|from) ${day} (?:and|to|until|till|through) ${day}`),
    ([a = '', b = ''], today, korean) => daysFromTo(a, b, today, korean),
  ],
  [en(`(?:the )?(?:number of )?days between ${day} and ${day}`), ([a = '', b = ''], today, korean) => daysFromTo(a, b, today, korean)],
  [
    ko(
      `(?:오늘부터\\s|지금부터\\s)?${day}까지(?:는|은)?\\s?(?:이제\\s?|앞으로\\s?)?${howMany}(?:이나)?(?:\\s?(?:더\\s?)?남(?:았(?:어|지|나|어요|나요|니|는지|습니까|을까)?|음|은\\s?거))?`,
    ),
    ([a = ''], today, korean) => daysUntil(a, today, korean),
  ],
  [ko(`${day}\\s?(?:디데이|d-?day)`), ([a = ''], today, korean) => daysUntil(a, today, korean)],
  [
    en(
      `how (?:many (?:more )?days|long)(?: is it| are there| are left| left| do we have)? (?:until|till|til|to|before) ${day}(?: from (?:now|today))?`,
    ),
    ([a = ''], today, korean) => daysUntil(a, today, korean),
  ],
  [en(`(?:days|countdown) (?:until|till|til|to) ${day}`), ([a = ''], today, korean) => daysUntil(a, today, korean)],
  [
    ko(`${day}부터(?:\\s?(?:오늘|지금)까지)?\\s?${howMany}(?:이나)?\\s?(?:지났|됐|되었|흘렀)(?:어|지|나|어요|나요)?`),
    ([a = ''], today, korean) => daysSince(a, today, korean),
  ],
  [
    en(`how (?:many days|long)(?: has it been| is it| have passed)? since ${day}`),
    ([a = ''], today, korean) => daysSince(a, today, korean),
  ],
  [ko(`${day}(?:은|는|이|가|도)?\\s?(?:무슨|몇|어떤)\\s?요일(?:이었)?`), ([a = ''], today, korean) => tellDay(a, today, korean)],
  [ko(`${day}(?:은|는|이|가|의)?\\s?요일`), ([a = ''], today, korean) => tellDay(a, today, korean)],
  [
    ko(
      `${day}(?:은|는|이|가|도)?\\s?(?:며칠|몇\\s?일|몇\\s?월\\s?(?:며칠|몇\\s?일)|언제|날짜가?(?:\\s?(?:며칠|뭐|언제|어떻게\\s?돼))?)(?:이었)?`,
    ),
    ([a = ''], today, korean) => tellDay(a, today, korean),
  ],
  [
    en(
      `(?:on )?(?:what|which) (?:day|date|weekday)(?: of the (?:week|month))? ${be} (?:it |the date )?(?:on )?${day}(?: (?:be|fall|fall on|on))?(?: this year)?`,
    ),
    ([a = ''], today, korean) => tellDay(a, today, korean),
  ],
  [
    en(`what ${be} (?:the )?(?:day|date|weekday)(?: of the week)? (?:for |of |on |in )?${day}`),
    ([a = ''], today, korean) => tellDay(a, today, korean),
  ],
  [
    en(`what(?:'s|’s|s) (?:the )?(?:day|date|weekday)(?: of the week)? (?:for |of |on |in )?${day}`),
    ([a = ''], today, korean) => tellDay(a, today, korean),
  ],
  [en(`(?:when|what day) ${be} ${day}(?: this year)?`), ([a = ''], today, korean) => tellDay(a, today, korean)],
  [en("what(?:'s|’s|s| is) (.{2,50}?)['’]s date"), ([a = ''], today, korean) => tellDay(a, today, korean)],
  [ko('(.{1,40}(?:뒤|후|전|요일))(?:은|는|이|가)?'), ([a = ''], today, korean) => tellDay(a, today, korean)],
  [en(`${day}(?:['’]s)? (?:weekday|day of the week)(?: this year)?`), ([a = ''], today, korean) => tellDay(a, today, korean)],
  [en(`${day} ${be} (?:on )?(?:what|which) (?:day|date|weekday)(?: of the week)?`), ([a = ''], today, korean) => tellDay(a, today, korean)],
];

const maxChars = 120;

/**
 * Answers a question about days: weekdays and dates of relative and named days, days until, since and between, leap years, lengths of
 * months. Returns `undefined` for other sentences, and for a sentence that it does not fully understand.
 */
export function answerDate(sentence: string, today: Day, korean: boolean): string | undefined {
  if (sentence.length > maxChars) return undefined;
  const text = plainQuestion(sentence);
  if (isToday(text)) return undefined; // the datetime tool answers this
  for (const [pattern, answer] of sentences) {
    const found = pattern.exec(text);
    const reply =
      found &&
      answer(
        found.slice(1).map((group) => group?.trim() ?? ''),
        today,
        korean,
      );
    if (reply) return reply;
  }
  return undefined;
}

const isToday = (text: string): boolean =>
  /^(?:오늘|지금)(?:은|이|의)?\s|\btoday\b/iu.test(text) &&
  !/부터|까지|윤년|몇 ?년|몇 ?월|year|month|until|since|between|from|week/iu.test(text);
