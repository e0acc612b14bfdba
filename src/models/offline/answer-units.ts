import { divide, multiply, parseRational, type Rational, toDigits } from '../../core/util/rational.ts';
import { plainQuestion } from './plain-question.ts';
import { type SentencePattern, sentencePattern } from './sentence-pattern.ts';

/** Units by dimension, each with its factor to the first one. */
const measures: readonly (readonly (readonly [names: string, display: string, factor: string])[])[] = [
  [
    ['m|미터|metres?|meters?', 'm', '1'],
    ['km|킬로미터|킬로|kilometers?|kilometres?', 'km', '1000'],
    ['cm|센티미터|센티|centimeters?|centimetres?', 'cm', '0.01'],
    ['mm|밀리미터|millimeters?|millimetres?', 'mm', '0.001'],
    ['마일|miles?', 'miles', '1609.344'],
    ['야드|yards?|yd', 'yards', '0.9144'],
    ['피트|feet|foot|ft', 'feet', '0.3048'],
    ['인치|inch(?:es)?', 'inches', '0.0254'],
  ],
  [
    ['g|그램|grams?', 'g', '1'],
    ['kg|킬로그램|키로|kilograms?|kilos?', 'kg', '1000'],
    ['mg|밀리그램|milligrams?', 'mg', '0.001'],
    ['t|톤|tons?|tonnes?', 't', '1000000'],
    ['파운드|lbs?|pounds?', 'lb', '453.59237'],
    ['온스|oz|ounces?', 'oz', '28.349523125'],
    ['근', '근(600 g)', '600'],
    ['돈', '돈', '3.75'],
  ],
  [
    ['초|seconds?|secs?', 's', '1'],
    ['분|minutes?|mins?', 'min', '60'],
    ['시간|hours?|hrs?', 'h', '3600'],
    ['일|하루|days?', 'd', '86400'],
    ['주|주일|일주일|weeks?', 'w', '604800'],
  ],
  [
    ['l|리터|liters?|litres?', 'L', '1'],
    ['ml|밀리리터|milliliters?|millilitres?', 'mL', '0.001'],
    ['갤런|gallons?', 'US gallons', '3.785411784'],
  ],
  [
    ['㎡|m2|m²|제곱미터|평방미터|square meters?|square metres?', 'm²', '1'],
    ['평', '평', '3.305785123966942'],
    ['헥타르|hectares?|ha', 'ha', '10000'],
    ['에이커|acres?', 'acres', '4046.8564224'],
    ['㎢|km2|km²|제곱킬로미터|square kilometers?', 'km²', '1000000'],
  ],
  [
    ['b|바이트|bytes?', 'B', '1'],
    ['kb|킬로바이트|kilobytes?', 'kB', '1000'],
    ['mb|메가바이트|메가|megabytes?', 'MB', '1000000'],
    ['gb|기가바이트|기가|gigabytes?', 'GB', '1000000000'],
    ['tb|테라바이트|테라|terabytes?', 'TB', '1000000000000'],
  ],
];
const shownKo: Readonly<Record<string, string>> = {
  s: '초',
  min: '분',
  h: '시간',
  d: '일',
  w: '주',
  miles: '마일',
  feet: '피트',
  inches: '인치',
  yards: '야드',
};
const shownEn: Readonly<Record<string, string>> = { s: 'seconds', min: 'minutes', h: 'hours', d: 'days', w: 'weeks' };

const allNames = measures
  .flatMap((units) => units.map(([names]) => names))
  .concat('섭씨|화씨|°c|°f|℃|℉|celsius|fahrenheit|도|degrees?(?: celsius| fahrenheit| c| f)?')
  .join('|');
const unit = `(${allNames})`;
const number = '(-?\\d[\\d,]*(?:\\.\\d+)?|an?|one|한|하루|일주일|half an?)';
const endKo =
  '(?:이?야|에요|예요|이지|지|인가요?|인지|일까요?|입니까|나|이나)?(?:\\s?(?:돼|되나요?|될까요?|알려|말해|계산해|바꿔|변환해|환산해|좀|줘|줘요|주세요|봐))*';
const patterns: readonly SentencePattern[] = [
  sentencePattern('몇', `^${number}\\s?${unit}?(?:은|는|이|가|을|를)?\\s?몇\\s?${unit}${endKo}$`, 'iu'),
  sentencePattern(
    '로',
    `^${number}\\s?${unit}(?:을|를|은|는)?\\s?${unit}(?:로|으로)(?:는)?(?:\\s?(?:바꾸면|변환하면|환산하면|하면|바꿔|변환|환산|얼마(?:야|지|예요)?|몇(?:이야)?|뭐야))?${endKo}$`,
    'iu',
  ),
  sentencePattern(
    ' (?:to|in|into|as) ',
    `^(?:(?:what(?:'s|’s|s| is)?|how much is|please|can you|convert) )*${number}\\s?${unit} (?:to|in|into|as) ${unit}(?: please)?$`,
    'iu',
  ),
];
const warmth =
  /^(섭씨|화씨)\s?(-?\d+(?:\.\d+)?)\s?도(?:는|를|은|을)?\s?(섭씨|화씨)(?:로|로는)?(?:\s?(?:몇\s?도|얼마|바꾸면|바꿔|변환|환산))?/u;
const howMany = sentencePattern(
  '^how many ',
  `^how many ${unit} (?:are |is )?(?:there )?(?:are )?(?:in|make(?: up)?|per|is) ${number}? ?${unit}(?: have)?$`,
  'iu',
);

const maxChars = 80;

/**
 * Converts between units of length, weight, time, volume, area, data and temperature. Returns `undefined` for other sentences.
 * @example answerUnits('5km는 몇 미터야?', true) // '5 km = 5,000 m'
 */
export function answerUnits(sentence: string, korean: boolean): string | undefined {
  if (sentence.length > maxChars) return undefined;
  const text = plainQuestion(sentence);
  for (const pattern of patterns) {
    const [, amount = '', from = '', to = ''] = pattern.exec(text) ?? [];
    if (to !== '') return convert(amount, from || (/하루|일주일/.test(amount) ? amount : ''), to, korean);
  }
  const [, warmFrom = '', degrees = '', warmTo = ''] = warmth.exec(text) ?? [];
  if (warmTo !== '') return convert(degrees, warmFrom, warmTo, korean);
  const [, to = '', amount = 'one', from = ''] = howMany.exec(text) ?? [];
  return to === '' ? undefined : convert(amount, from, to, korean);
}

function convert(said: string, from: string, to: string, korean: boolean): string | undefined {
  const amount = amountOf(said);
  if (!amount) return undefined;
  const warm = temperature(amount, from, to);
  if (warm !== undefined) return warm;
  for (const units of measures) {
    const [a, b] = [from, to].map((name) => units.find(([names]) => new RegExp(`^(?:${names})$`, 'iu').test(name)));
    if (!a || !b || a === b) continue;
    const factor = parseRational(a[2]);
    const other = parseRational(b[2]);
    const result = factor && other && divide(multiply(amount, factor), other);
    if (!result) return undefined;
    const digits = toDigits(result, 6);
    return `${toDisplay(toDigits(amount) ?? said, a[1], korean)} ${digits === undefined ? '≈' : '='} ${toDisplay(digits ?? rounded(result), b[1], korean)}`;
  }
  return undefined;
}

const amountOf = (said: string): Rational | undefined => {
  if (/^half/.test(said)) return parseRational('0.5');
  if (/^(?:an?|one|한|하루|일주일)?$/i.test(said)) return parseRational('1');
  if (said.includes(',') && !/^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(said)) return undefined;
  const size = parseRational(said.replaceAll(/[,-]/g, ''));
  return size && said.startsWith('-') ? { ...size, top: -size.top } : size;
};

const rounded = ({ top, bottom }: Rational): string => Number((Number(top) / Number(bottom)).toPrecision(7)).toString();
const toDisplay = (digits: string, name: string, korean: boolean): string => {
  const grouped = digits.replace(/^(-?)(\d+)(?=$|\.)/, (_, sign, whole) => sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ','));
  const korean_ = korean ? shownKo[name] : undefined;
  return korean_ !== undefined || name === '평' ? `${grouped}${korean_ ?? name}` : `${grouped} ${singular(digits, shownEn[name] ?? name)}`;
};

const singular = (digits: string, name: string): string => (digits === '1' ? name.replace(/(?<=...)s$/, '') : name);

const celsius = /^(?:섭씨|°c|℃|celsius|degrees? (?:celsius|c))$/i;
const fahrenheit = /^(?:화씨|°f|℉|fahrenheit|degrees? (?:fahrenheit|f))$/i;

function temperature(amount: Rational, from: string, to: string): string | undefined {
  const degrees = Number(amount.top) / Number(amount.bottom);
  const show = (value: number): string => String(Number(value.toFixed(2)));
  if (celsius.test(from) && fahrenheit.test(to)) return `${show(degrees)} °C = ${show((degrees * 9) / 5 + 32)} °F`;
  if (fahrenheit.test(from) && celsius.test(to)) return `${show(degrees)} °F = ${show(((degrees - 32) * 5) / 9)} °C`;
  return undefined;
}
