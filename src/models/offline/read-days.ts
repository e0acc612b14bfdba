import { koreanDays } from '../../core/text/korean-days.ts';
import { addDays, addMonths, type Day, daysInMonth, fromDayNumber, isDay, toDayNumber, weekdayNames, weekdayOf } from './calendar.ts';

/** The days that an expression may mean: one, or two if usage varies, as for `next Sunday` on a Friday. */
export interface ReadDays {
  readonly days: readonly Day[];
  /** True without a year: the days are the nearest ones. */
  readonly yearly?: boolean;
}

/** A date that does not exist, such as 30 February. */
export const noSuchDay = 'no such day';

type Reader = (found: readonly string[], today: Day) => ReadDays | typeof noSuchDay | undefined;

const koreanNumbers: Readonly<Record<string, number>> = {
  하루: 1,
  ...koreanDays,
  일주일: 7,
  한: 1,
  두: 2,
  세: 3,
  석: 3,
  네: 4,
  넉: 4,
  일: 1,
  이: 2,
  삼: 3,
  백: 100,
  반: 0.5,
};
const englishNumbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const monthNames = 'january february march april may june july august september october november december'.split(' ');
const monthWord = `(${monthNames.map((name) => `${name}|${name.slice(0, 3)}`).join('|')}|sept)\\.?`;
const weekdayKo = '(월|화|수|목|금|토|일)(?:요일)';
const weekdayEn = `(${weekdayNames.en.map((name) => `${name.toLowerCase()}|${name.slice(0, 3).toLowerCase()}`).join('|')}|tues|weds|thur|thurs)`;
const count = '(\\d{1,5}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)';

const numberOf = (word: string): number => {
  if (/^\d+$/.test(word)) return Number(word);
  if (word === 'a' || word === 'an') return 1;
  const english = englishNumbers.indexOf(word);
  return english >= 0 ? english : (koreanNumbers[word] ?? Number.NaN);
};

const one = (day: Day | undefined): ReadDays | typeof noSuchDay | undefined =>
  day === undefined ? undefined : isDay(day) ? { days: [day] } : noSuchDay;
const named = (year: number, month: number, day: number): ReadDays | typeof noSuchDay | undefined =>
  month < 1 || month > 12 ? noSuchDay : one({ year, month, day });

/** Without a year: the day of this year, or of the next year if it is over. */
function yearly(month: number, day: number, today: Day): ReadDays | typeof noSuchDay {
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(2024, month)) return noSuchDay;
  let year = today.year;
  while (!isDay({ year, month, day })) year++; // 29 February
  return { days: [{ year, month, day }], yearly: true };
}

const moved = (today: Day, amount: number, unit: string, sign: number): Day | undefined => {
  if (!Number.isInteger(amount)) return undefined;
  if (/^(?:일|days?|날)$/.test(unit)) return addDays(today, sign * amount);
  if (/^(?:주|주일|weeks?)$/.test(unit)) return addDays(today, sign * amount * 7);
  if (/^(?:달|개월|months?)$/.test(unit)) return addMonths(today, sign * amount);
  return addMonths(today, sign * amount * 12);
};

/** Returns a weekday of the week that is `weeks` away. Weeks begin on Monday. */
const inWeek = (today: Day, weekday: number, weeks: number): Day => addDays(today, weekday - weekdayOf(today) + weeks * 7);

const weekdayIndex = (word: string): number =>
  /[가-힣]/.test(word)
    ? '월화수목금토일'.indexOf(word.charAt(0))
    : weekdayNames.en.findIndex((name) => name.toLowerCase().startsWith(word.slice(0, 3)));
const monthIndex = (word: string): number => monthNames.findIndex((name) => name.startsWith(word.slice(0, 3))) + 1;

/** Returns the coming weekday. If it is still in this week, also returns the one of the next week. */
function nextWeekday(today: Day, weekday: number): ReadDays {
  const coming = addDays(today, ((weekday - weekdayOf(today) + 6) % 7) + 1);
  const ofNextWeek = inWeek(today, weekday, 1);
  return { days: toDayNumber(coming) === toDayNumber(ofNextWeek) ? [coming] : [coming, ofNextWeek] };
}
function lastWeekday(today: Day, weekday: number): ReadDays {
  const past = addDays(today, -(((weekdayOf(today) - weekday + 6) % 7) + 1));
  const ofLastWeek = inWeek(today, weekday, -1);
  return { days: toDayNumber(past) === toDayNumber(ofLastWeek) ? [past] : [past, ofLastWeek] };
}

const koreanWeeks: Readonly<Record<string, number>> = { 지지난: -2, 지난: -1, 저번: -1, 이번: 0, 금: 0, 다음: 1, 담: 1, 다다음: 2 };
const koreanYears: Readonly<Record<string, number>> = {
  재작년: -2,
  작년: -1,
  지난해: -1,
  올해: 0,
  금년: 0,
  이번해: 0,
  내년: 1,
  다음해: 1,
  내후년: 2,
};
const koreanMonths: Readonly<Record<string, number>> = { 지지난: -2, 지난: -1, 저번: -1, 이번: 0, 이: 0, 다음: 1, 담: 1, 다다음: 2 };
const yearKo = `(${Object.keys(koreanYears).join('|')})`;
const monthKo = `(${Object.keys(koreanMonths).join('|')})\\s?달`;

const holidays: readonly (readonly [names: string, month: number, day: number])[] = [
  ['크리스마스 ?이브|성탄절 ?이브|christmas eve', 12, 24],
  ['크리스마스|성탄절|christmas(?: day)?|xmas', 12, 25],
  ["새해|설날(?=양력)|신정|새해 ?첫날|new year(?:['’]?s)?(?: day)?", 1, 1],
  ["new year(?:['’]?s)? eve|연말", 12, 31],
  ["발렌타인데이|밸런타인데이|valentine(?:['’]?s)?(?: day)?", 2, 14],
  ['화이트데이|white day', 3, 14],
  ['빼빼로데이|pepero day', 11, 11],
  ['핼러윈|할로윈|halloween', 10, 31],
  ['삼일절|3\\.1절', 3, 1],
  ['만우절|april fools?(?: day)?', 4, 1],
  ['식목일', 4, 5],
  ['근로자의 ?날|노동절', 5, 1],
  ['어린이날', 5, 5],
  ['어버이날', 5, 8],
  ['스승의 ?날', 5, 15],
  ['현충일', 6, 6],
  ['제헌절', 7, 17],
  ['광복절', 8, 15],
  ['개천절', 10, 3],
  ['한글날', 10, 9],
];
/** Lunar holidays, by Intl's Korean calendar. */
const lunar: readonly (readonly [names: string, month: number, day: number])[] = [
  ['설날|구정|음력 ?설|seollal|korean new year|lunar new year', 1, 1],
  ['추석|한가위|chuseok', 8, 15],
  ["부처님 ?오신 ?날|석가탄신일|초파일|buddha['’]?s birthday", 4, 8],
];

function lunarDay(year: number, month: number, day: number): Day | undefined {
  const format = new Intl.DateTimeFormat('en-US-u-ca-dangi', { timeZone: 'UTC', month: 'numeric', day: 'numeric' });
  if (format.resolvedOptions().calendar !== 'dangi') return undefined;
  for (let number = toDayNumber({ year, month: 1, day: 15 }); number < toDayNumber({ year, month: 12, day: 31 }); number++) {
    const parts = format.formatToParts(number * 86_400_000);
    const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
    if (part('month') === String(month) && part('day') === String(day)) return fromDayNumber(number);
  }
  return undefined;
}

const readers: readonly (readonly [grammar: string, read: Reader])[] = [
  ['오늘|금일|today', (_, today) => one(today)],
  ['내일\\s?모레|낼모레|모레|(?:the )?day after tomorrow', (_, today) => one(addDays(today, 2))],
  ['글피', (_, today) => one(addDays(today, 3))],
  ['내일|낼|명일|tomorrow|tmrw|tmr', (_, today) => one(addDays(today, 1))],
  ['그저께|그제|엊그제|(?:the )?day before yesterday', (_, today) => one(addDays(today, -2))],
  ['그끄저께|그끄제', (_, today) => one(addDays(today, -3))],
  ['어제|어저께|작일|yesterday', (_, today) => one(addDays(today, -1))],
  [
    '(\\d{1,5}|[한두세네석넉일이삼백])\\s?(일|주일|주|달|개월|년)\\s?(뒤|후|이후|지나면|지나서|있으면|전)',
    ([n = '', unit = '', side], today) => one(moved(today, numberOf(n), unit, side === '전' ? -1 : 1)),
  ],
  [
    '(하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘|보름|일주일)\\s?(뒤|후|이후|지나면|지나서|있으면|전)',
    ([n = '', side], today) => one(moved(today, numberOf(n), '일', side === '전' ? -1 : 1)),
  ],
  [
    `(?:in|after) ${count} (days?|weeks?|months?|years?)(?:['’]? time)?`,
    ([n = '', unit = ''], today) => one(moved(today, numberOf(n), unit, 1)),
  ],
  [
    `${count} (days?|weeks?|months?|years?) (from now|from today|later|after today|hence|ago|before today|earlier)`,
    ([n = '', unit = '', side = ''], today) => one(moved(today, numberOf(n), unit, /ago|before|earlier/.test(side) ? -1 : 1)),
  ],
  [`${count} (days?|weeks?) (?:from|after) tomorrow`, ([n = '', unit = ''], today) => one(moved(addDays(today, 1), numberOf(n), unit, 1))],
  [
    `(지지난|지난|저번|이번|금|다다음|다음|담)\\s?주\\s?(?:의\\s?)?${weekdayKo}`,
    ([week = '', weekday = ''], today) => one(inWeek(today, weekdayIndex(weekday), koreanWeeks[week] ?? 0)),
  ],
  [`(?:다음|오는|돌아오는|담)\\s?${weekdayKo}|next ${weekdayEn}`, ([ko, en], today) => nextWeekday(today, weekdayIndex(ko || en || ''))],
  [`(?:지난|저번)\\s?${weekdayKo}|last ${weekdayEn}`, ([ko, en], today) => lastWeekday(today, weekdayIndex(ko || en || ''))],
  [`이번\\s?${weekdayKo}|this ${weekdayEn}`, ([ko, en], today) => one(inWeek(today, weekdayIndex(ko || en || ''), 0))],
  [`(?:the )?coming ${weekdayEn}`, ([word = ''], today) => one(nextWeekday(today, weekdayIndex(word)).days[0])],
  [
    `${weekdayEn} (?:of )?(next|last|this) week`,
    ([word = '', week], today) => one(inWeek(today, weekdayIndex(word), week === 'next' ? 1 : week === 'last' ? -1 : 0)),
  ],
  [
    `${monthKo}\\s?(\\d{1,2})일`,
    ([month = '', day = ''], today) => {
      const { year, month: number } = addMonths({ ...today, day: 1 }, koreanMonths[month] ?? 0);
      return named(year, number, Number(day));
    },
  ],
  [
    `${monthKo}\\s?(?:의\\s?)?(말일|마지막\\s?날|첫날|1일)`,
    ([month = '', side = ''], today) => {
      const { year, month: number } = addMonths({ ...today, day: 1 }, koreanMonths[month] ?? 0);
      return named(year, number, /말|마지막/.test(side) ? daysInMonth(year, number) : 1);
    },
  ],
  [
    '(?:the )?(first|last) day of (this|next|last) month',
    ([side = '', which = ''], today) => {
      const { year, month } = addMonths({ ...today, day: 1 }, which === 'next' ? 1 : which === 'last' ? -1 : 0);
      return named(year, month, side === 'last' ? daysInMonth(year, month) : 1);
    },
  ],
  ['(\\d{4})년\\s?(\\d{1,2})월\\s?(\\d{1,2})일', ([y, m, d]) => named(Number(y), Number(m), Number(d))],
  ['(\\d{4})\\s?[-./]\\s?(\\d{1,2})\\s?[-./]\\s?(\\d{1,2})', ([y, m, d]) => named(Number(y), Number(m), Number(d))],
  [
    `${yearKo}\\s?(?:의\\s?)?(\\d{1,2})월\\s?(\\d{1,2})일`,
    ([year = '', m, d], today) => named(today.year + (koreanYears[year] ?? 0), Number(m), Number(d)),
  ],
  ['(\\d{1,2})월\\s?(\\d{1,2})일', ([m, d], today) => yearly(Number(m), Number(d), today)],
  [`(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthWord},? (\\d{4})`, ([d, m = '', y]) => named(Number(y), monthIndex(m), Number(d))],
  [`(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${monthWord}`, ([d, m = ''], today) => yearly(monthIndex(m), Number(d), today)],
  [`${monthWord} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?,? (\\d{4})`, ([m = '', d, y]) => named(Number(y), monthIndex(m), Number(d))],
  [`${monthWord} (?:the )?(\\d{1,2})(?:st|nd|rd|th)?`, ([m = '', d], today) => yearly(monthIndex(m), Number(d), today)],
  [
    '(?:올해|이번 해|연)\\s?(?:의\\s?)?(?:마지막 ?날|말일)|(?:the )?(?:last day|end) of (?:this|the) year',
    (_, today) => named(today.year, 12, 31),
  ],
  ...[...holidays.map((one) => [one, false] as const), ...lunar.map((one) => [one, true] as const)].map(
    ([[names, month, day], isLunar]) =>
      [
        `(?:${yearKo}\\s?(?:의\\s?)?|(\\d{4})년?\\s?|(this|next|last) (?:year['’]?s )?)?(?:the )?(?:${names})(?: (?:of |in )?(\\d{4}))?`,
        ([year = '', ad, relative, late], today) => {
          const fixed = ad || late ? Number(ad || late) : year !== '' ? today.year + (koreanYears[year] ?? 0) : undefined;
          const statedYear = fixed ?? (relative === 'last' ? today.year - 1 : undefined);
          const of = (y: number): Day | undefined => (isLunar ? lunarDay(y, month, day) : { year: y, month, day });
          if (statedYear !== undefined) return one(of(statedYear));
          const now = of(today.year);
          const found = now && toDayNumber(now) < toDayNumber(today) ? of(today.year + 1) : now;
          return found && { days: [found], yearly: true };
        },
      ] satisfies readonly [string, Reader],
  ),
];

const compiled = readers.map(([grammar, read]) => ({ read, whole: new RegExp(`^(?:${grammar})$`, 'iu') }));
const shifted = [
  // N days after or before another day
  new RegExp(`^${count} (days?|weeks?|months?|years?) (after|before|from) (.+)$`, 'iu'),
  /^(.+?)(?:에서|부터|로부터|의|보다)?\s?(\d{1,5}|[한두세네])\s?(일|주일|주|달|개월|년)\s?(뒤|후|이후|전)$/u,
] as const;

const maxChars = 60;

/** Reads an expression for a day, such as `내일`, `3일 뒤`, `지난주 금요일`, `3 March 2027`, `크리스마스`. Returns `undefined` if it is ambiguous. */
export function readDays(expression: string, today: Day): ReadDays | typeof noSuchDay | undefined {
  const text = expression.trim().toLowerCase();
  if (text === '' || text.length > maxChars) return undefined;
  for (const { read, whole } of compiled) {
    const found = whole.exec(text);
    if (found)
      return read(
        found.slice(1).map((group) => group ?? ''),
        today,
      );
  }
  return readShifted(text, today);
}

function readShifted(text: string, today: Day): ReadDays | typeof noSuchDay | undefined {
  const english = shifted[0].exec(text);
  const korean = shifted[1].exec(text);
  const [base = '', n = '', unit = '', side = ''] = english
    ? [english[4], english[1], english[2], english[3]]
    : korean
      ? korean.slice(1)
      : [];
  if (base === '') return undefined;
  const from = readDays(base, today);
  const [day, second] = from === noSuchDay ? [] : (from?.days ?? []);
  return from === noSuchDay ? from : day && !second ? one(moved(day, numberOf(n), unit, /before|전/.test(side) ? -1 : 1)) : undefined;
}
