import { koreanDays } from '../../core/text/korean-days.ts';

/** A type of value in a contract. */
export type ContractValueType = 'amount' | 'percentage' | 'date' | 'period' | 'time' | 'number';

export interface ContractValue {
  readonly type: ContractValueType;
  /** The value as written, without spaces. */
  readonly text: string;
  /** Readable form: each run of blanks becomes one, and `ninety (90) days` becomes `90 days`. */
  readonly written: string;
}

const units =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen'.split('|');
const tens = 'twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety'.split('|');
const numberWord = `(?:${tens.join('|')})(?:-(?:${units.slice(0, 9).join('|')}))?|${[...units].reverse().join('|')}`;
/** `one hundred and twenty`, `three thousand five hundred`. */
const spokenWords = `(?:${numberWord})(?:[\\s-](?:and\\s)?(?:hundred|thousand|million|${numberWord})\\b){0,8}`;
const hangulDigits = '일이삼사오육칠팔구';
const hangulNumber = `[${hangulDigits}십백천만억]`;
const nativeNumbers = '한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두'.split('|');
/** `석 달`, `넉 달`. */
const nativeForms: Readonly<Record<string, string>> = { 석: '세', 넉: '네' };
const nativeUnits = [...nativeNumbers, ...Object.keys(nativeForms)].sort((a, b) => b.length - a.length).join('|');
const nativePeriod = `(?:${nativeUnits})\\s?(?:달|주일?|시간|날)(?=[^가-힣]|간|이내|[을를에의은는도만로]|으로|마다|[전후안]|동안|까지|치|$)`;

const number = String.raw`\d[\d,]{0,20}(?:\.\d{1,6})?`;
const korean = String.raw`(?:${number}\s?(?:천|백)?(?:억|만)?\s?){1,3}`;

// the first match at a position wins, so a date never becomes a period
const kinds: readonly (readonly [ContractValueType, string])[] = [
  ['time', String.raw`(?:(?:오전|오후)\s?)?\d{1,2}\s?시(?![간가점행험])(?:\s?\d{1,2}\s?분|\s?반)?`],
  ['time', String.raw`\d{1,2}(?::\d{2})?\s?[ap]\.?m\b\.?`],
  ['time', String.raw`(?:[01]?\d|2[0-4]):[0-5]\d(?![\d:])`],
  ['time', String.raw`\b(?:noon|midnight)\b|정오|자정`],
  ['date', String.raw`\d{4}\s?[년.\-/]\s?\d{1,2}\s?[월.\-/]\s?\d{1,2}(?!\d)\s?일?`],
  ['date', String.raw`(?:19|20)\d\d\s?년(?:\s?\d{1,2}\s?월)?`],
  ['percentage', String.raw`${number}\s?(?:%|퍼센트|프로(?=[^가-힣]|[이입를의로는가]|$)|per\s?cent)`],
  ['percentage', String.raw`(?<![가-힣])${hangulNumber}{1,5}\s?(?:%|퍼센트|프로(?=[^가-힣]|[이입를의로는가]|$))`],
  ['percentage', String.raw`\b${spokenWords}\s(?:%|per\s?cent)`],
  ['percentage', String.raw`(?:\d[\d,]{0,9}|(?<![가-힣])[십백천만]{1,2})\s?분의\s?(?:${number}|${hangulNumber}{1,5}(?![가-힣]*원))`],
  ['amount', String.raw`(?:US\$|[$€£₩]|USD|KRW|EUR)\s?${number}(?:\s?(?:million|billion))?`],
  ['amount', `${korean}(?:원|달러|유로|엔)(?!칙|인(?![가지데])|본|상)`],
  ['amount', String.raw`\b${spokenWords}\s(?:US\s)?dollars\b`],
  ['period', String.raw`\d{1,4}\s?(?:개년|년|개월|월|주|영업일|일|시간|분)(?!의)(?:간)?`],
  ['period', String.raw`\d{1,4}\)?\s?(?:business |calendar |working )?(?:day|week|month|year|hour)s?\b`],
  ['period', String.raw`\b${spokenWords}\s(?:business |calendar |working )?(?:day|week|month|year|hour)s?\b`],
  ['period', `(?<![가-힣])(?:${nativePeriod}|${Object.keys(koreanDays).join('|')})`],
  ['period', String.raw`(?<![가-힣])${hangulNumber}{1,5}\s?(?:개월|일|년)(?=\s?(?:이내|간|전|후|동안|까지|의|으로|\s))(?!일)`],
  ['amount', String.raw`(?<![가-힣])(?:일?금\s?)?(?:${hangulNumber}{2,12}|[십백천만억])\s?원(?=정|[^가-힣]|으로|을|이|의|에|$)`],
  [
    'number',
    String.raw`\d[\d,]{0,9}\s?(?:회|차례|기(?=[를을는은이가의분]?(?![가-힣]))|부(?=[를을는은이가의]?(?![가-힣]))|명|개(?!월|년|인|정)|배(?=[를을는은이가의]?(?![가-힣]))|㎡|평(?![가-힣]))`,
  ],
  ['number', `(?<![가-힣])(?:${nativeUnits})\\s?(?:번|차례|명|대)(?=[^가-힣]|[을를에의은는도만이가로]|으로|까지|이상|이하|$)`],
  ['number', String.raw`\d{1,4}\)?\s?(?:copies|times|instal+ments|units|counterparts)\b`],
];

const pattern = new RegExp(`(?<![\\d.,제])(?:${kinds.map(([, source]) => `(${source})`).join('|')})`, 'gi');

/**
 * Returns the amounts, percentages, dates, periods and counts of a text, in text order. Reads digits, and words such as `thirty days`, `삼십일
 * 이내`, `금 오백만원`.
 */
export function contractValues(text: string): readonly ContractValue[] {
  const values: ContractValue[] = [];
  for (const found of text.normalize('NFKC').matchAll(pattern)) {
    const type = kinds[found.slice(1).findIndex((group) => group !== undefined)]?.[0];
    if (type) values.push({ type, text: found[0].replace(/\s+/g, ''), written: found[0].replace(')', ' ').trim().replace(/\s+/g, ' ') });
  }
  return values;
}

/** Normalizes different spellings of one value: `1,000원` and `1000 원`, `5%` and `100분의 5`. */
export function valueKey({ type, text }: ContractValue): string {
  const plain = inDigits(text.replace(/[,\s)]/g, '').toLowerCase());
  if (type === 'percentage') {
    const [whole = 1, parts = 0] = plain.split('분의').map((part) => (/\d/.test(part) ? Number(part) : hangulValue(part)));
    return plain.includes('분의') ? `${Number(((parts * 100) / whole).toPrecision(9))}%` : plain.replace(/퍼센트|프로|percent/, '%');
  }
  if (type === 'period') return plain.replace(/간$/, '').replace(/s$/, '');
  if (type === 'time') return timeKey(plain);
  if (type === 'number') return plain.replace(/(?:차례|기|번)$/, '회');
  if (type === 'date') return (plain.match(/\d+/g) ?? []).map(Number).join('-');
  const scales: Readonly<Record<string, number>> = { 백: 100, 천: 1_000, 만: 10_000, 억: 100_000_000 };
  const won = /^[\d.천백만억]+원$/.test(plain);
  if (!won) return plain;
  let total = 0;
  for (const [, digits = '', small = '', large = ''] of plain.matchAll(/([\d.]+)([천백]?)([만억]?)/g)) {
    total += Number(digits) * (scales[small] ?? 1) * (scales[large] ?? 1);
  }
  return `${total}원`;
}

/** Writes `오후6시`, `6p.m.` and `18시` as `18:00`. */
function timeKey(plain: string): string {
  if (/^(?:noon|정오)/.test(plain)) return '12:00';
  if (/^(?:midnight|자정)/.test(plain)) return '24:00';
  const [hour = 0, minute = 0] = (plain.match(/\d+/g) ?? []).map(Number);
  const isLate = /^오후|p\.?m/.test(plain) && hour < 12;
  return `${isLate ? hour + 12 : hour}:${String(plain.endsWith('반') ? 30 : minute).padStart(2, '0')}`;
}

const unitsOfPeriod: readonly (readonly [RegExp, string, number])[] = [
  [/^(?:영업일|businessday|workingday)/u, 'business day', 1],
  [/^(?:개?년|year)/u, 'month', 12],
  [/^(?:개?월|month)/u, 'month', 1],
  [/^(?:주|week)/u, 'day', 7],
  [/^(?:일|day|calendarday)/u, 'day', 1],
  [/^(?:시간?|hour)/u, 'hour', 1],
];

/** Returns one key for equal values: like `valueKey`, and a period in months, days or hours, so that 2주 and `fourteen days` are equal. */
export function comparableKey(value: ContractValue): string {
  const key = valueKey(value);
  if (value.type !== 'period') return key;
  const [, digits = '', unit = ''] = /^([\d.]+)(.*)$/u.exec(key) ?? [];
  const [, name, factor = 1] = unitsOfPeriod.find(([pattern]) => pattern.test(unit)) ?? [];
  return name === undefined ? key : `${Number(digits) * factor} ${name}`;
}

const spokenNumber = new RegExp(`^(?:${numberWord})(?:-?(?:and|hundred|thousand|million|${numberWord}))*(?=[a-z%])`);
const spokenPart = new RegExp(`hundred|thousand|million|${numberWord}`, 'g');
const spokenHangul = new RegExp(`^(?:일?금)?(${hangulNumber}+?)(?=개월|일$|년$|원$|%|퍼센트|프로)`);
const spokenNative = /^([가-힣]{1,2}?)(?:달|(주)일?|(시간)|(날)|(번|차례|명|대))$/;

/** Converts `thirtydays` to `30days`, `금오백만원` to `5000000원` and `두달` to `2개월`; keeps digits. */
function inDigits(plain: string): string {
  const english = spokenNumber.exec(plain)?.[0];
  if (english !== undefined) return englishValue(english) + plain.slice(english.length);
  const korean = spokenHangul.exec(plain);
  if (korean?.[1] !== undefined) return hangulValue(korean[1]) + plain.slice(korean[0].length);
  const days = koreanDays[plain];
  if (days !== undefined) return `${days}일`;
  const [, written = '', week, hour, day, count] = spokenNative.exec(plain) ?? [];
  const native = nativeNumbers.indexOf(nativeForms[written] ?? written);
  return native < 0 ? plain : `${native + 1}${week ?? hour ?? count ?? (day === undefined ? '개월' : '일')}`;
}

/** Reads `onehundredandtwenty` as 120 and `twenty-one` as 21. */
function englishValue(text: string): number {
  let [total, group] = [0, 0];
  for (const [part] of text.matchAll(spokenPart)) {
    if (part === 'hundred') group = (group || 1) * 100;
    else if (part === 'thousand' || part === 'million') {
      total += (group || 1) * (part === 'thousand' ? 1_000 : 1_000_000);
      group = 0;
    } else {
      const [first = '', second = ''] = part.split('-');
      const ten = tens.indexOf(first);
      group += ten < 0 ? units.indexOf(first) + 1 : (ten + 2) * 10 + units.indexOf(second) + 1;
    }
  }
  return total + group;
}

/** Reads `오백만` as 5,000,000. 만 and 억 close a group; within a group 십, 백 and 천 multiply the digit before them. */
function hangulValue(text: string): number {
  let [total, group, digit] = [0, 0, 0];
  for (const character of text) {
    const small = '십백천'.indexOf(character);
    const large = '만억'.indexOf(character);
    if (small >= 0) {
      group += (digit || 1) * 10 ** (small + 1);
      digit = 0;
    } else if (large >= 0) {
      total += (group + digit || 1) * 10_000 ** (large + 1);
      [group, digit] = [0, 0];
    } else digit = hangulDigits.indexOf(character) + 1;
  }
  return total + group + digit;
}
