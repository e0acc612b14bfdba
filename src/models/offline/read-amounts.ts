import { add, multiply, parseRational, type Rational, rational, toDigits } from '../../core/util/rational.ts';

/** A number in a text, with its unit. */
export interface Amount {
  /** All digits, as the calculator reads them. */
  readonly digits: string;
  /** The unit as written, for example `원`, `dollars`, `%`. Currency signs stand before the number; '' for none. */
  readonly unit: string;
  /** True if written with 만, 억, `million` or commas: grouped digits are then easier to read. */
  readonly grouped: boolean;
}

/** A text with `⟨0⟩`, `⟨1⟩` in place of its numbers. */
export interface AmountText {
  readonly text: string;
  readonly amounts: readonly Amount[];
}

const koreanUnits =
  '달러|유로|위안|파운드|개월|시간|마리|퍼센트|프로|킬로미터|센티미터|밀리미터|킬로그램|그램|미터|리터|제곱미터|사람|센티|킬로|원|엔|명|개|일|주|달|년|분|초|번|회|장|권|대|병|잔|살|세|점|층|평|톤|인(?!가(?![구족])|지|데|건|거)'; // 30인가요: is it 30
const englishUnits =
  'dollars?|bucks|cents?|euros?|pounds?|won|yen|yuan|days?|weeks?|months?|years?|hours?|minutes?|mins?|seconds?|people|persons?|friends|kids|items?|pieces?|points?|percent|kilometers?|kilometres?|meters?|metres?|miles?|feet|foot|inch(?:es)?|yards?|kilograms?|kilos?|grams?|lbs?|ounces?|liters?|litres?|gallons?|km|cm|mm|kg|mg|ml|m|g|l|ft|krw|usd|eur|jpy|gbp';
const particles = '을|를|이|가|은|는|에|의|와|과|도|로|으로|에서|하고|이랑|랑|씩|부터|까지|마다|에게|한테|당|면|짜리|이고|인데|만|쯤|정도';

const digits = '\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?|\\.\\d+';
/** Units from 만 on, each with the part before it; the parts contain thousands and below. */
const part = `(?:${digits})?\\s?(?:천|백|십)`;
const scaled = `(?:(?:${part}|${digits})(?:${part})*\\s?)?(?:조|억|만)`;
const koreanNumber = `(?:${scaled}\\s?)+(?:${part})*(?:\\d{3,4}(?!\\d))?|(?:${part})+(?:\\d{1,2}(?!\\d))?`;
const unitAfter = `\\s?(?:(?<ko>${koreanUnits})(?=$|[^가-힣]|${particles})|(?<en>${englishUnits})(?![a-z])|(?<percent>%))`;

// 만 alone also means `only`, and 천 and 백 begin other words. Without digits they match only before money and people.
const amount = new RegExp(
  [
    `(?<sign>(?<=^|[\\s(])-)?(?:(?<currency>[$€£¥₩])\\s?)?`,
    `(?<number>(?=\\d|\\.\\d)(?:${koreanNumber}|(?:${digits})(?:\\s?(?:million|billion|thousand|k(?![a-z])))?)|(?:${koreanNumber})(?=\\s?(?:원|명|달러|개)))`,
    `(?:${unitAfter})?`,
  ].join(''),
  'giu',
);

const scales: Readonly<Record<string, bigint>> = { 조: 10n ** 12n, 억: 10n ** 8n, 만: 10n ** 4n, 천: 1000n, 백: 100n, 십: 10n };
const englishScales: Readonly<Record<string, bigint>> = { thousand: 1000n, k: 1000n, million: 10n ** 6n, billion: 10n ** 9n };

/**
 * Reads the numbers of a text. Returns `undefined` if one is ambiguous, such as `1,23`, a date or `3만 2억`.
 * @example readAmounts('30만원의 15%') // { text: '⟨0⟩의 ⟨1⟩', amounts: [{ digits: '300000', unit: '원', … }, { digits: '15', unit: '%', … }] }
 */
export function readAmounts(input: string): AmountText | undefined {
  const amounts: Amount[] = [];
  let isUnsure = false;
  const text = wordsToDigits(input).replace(amount, (...found) => {
    const groups = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const [whole, at] = [String(found[0]), Number(found.at(-3))];
    const before = String(found.at(-2)).slice(0, at);
    const after = String(found.at(-2)).slice(at + whole.length);
    const value = worthOf(groups.number ?? '');
    // a part of a longer number, a version, a date, or a name such as `A4`
    if (!value || /[\d.,:]$|[a-z_]$|[가-힣]$(?<!루트|제곱근)/iu.test(before) || /^[\d:]|^[.,]\d|^[a-z_]/iu.test(after)) isUnsure = true;
    if (!value) return whole;
    const numeral = (groups.number ?? '').replace(/\s/g, '');
    amounts.push({
      digits: `${groups.sign ?? ''}${toDigits(value, 30) ?? ''}`,
      unit: groups.currency ?? groups.ko ?? groups.en ?? (groups.percent === undefined ? '' : '%'),
      grouped: /[조억만천백십]|million|billion|thousand|k/i.test(numeral),
    });
    return ` ⟨${amounts.length - 1}⟩ `;
  });
  if (isUnsure || /\d/.test(text.replace(/⟨\d+⟩/g, ''))) return undefined;
  return { text: text.replace(/\s+/g, ' ').trim(), amounts };
}

/** Returns the value of a number, or `undefined` if its parts are out of order. */
function worthOf(number: string): Rational | undefined {
  const numeral = number.toLowerCase().replaceAll(/[\s,]/g, '');
  const english = /^([\d.]+)(thousand|k|million|billion)$/.exec(numeral);
  if (english) return scaledBy(english[1], englishScales[english[2] ?? '']);
  if (!/[조억만천백십]/.test(numeral)) return parseRational(numeral);
  let sum = rational(0n);
  let last = 10n ** 16n;
  let rest = numeral;
  for (const big of ['조', '억', '만']) {
    const end = rest.indexOf(big);
    if (end === -1) continue;
    const section = sectionOf(rest.slice(0, end) || '1');
    const scale = scales[big] ?? 1n;
    if (!section || scale >= last) return undefined;
    last = scale;
    sum = add(sum, multiply(section, rational(scale)));
    rest = rest.slice(end + 1);
  }
  const tail = rest === '' ? rational(0n) : sectionOf(rest);
  return tail && (last === 10n ** 16n || tail.top < last * tail.bottom) ? add(sum, tail) : undefined;
}

/** Reads a number below 만: `5천`, `3백20`, `2500`, `2.5`. */
function sectionOf(text: string): Rational | undefined {
  let sum = rational(0n);
  let last = 10n ** 4n;
  let rest = text;
  for (const small of ['천', '백', '십']) {
    const end = rest.indexOf(small);
    if (end === -1) continue;
    const head = parseRational(rest.slice(0, end) || '1');
    const scale = scales[small] ?? 1n;
    if (!head || scale >= last) return undefined;
    last = scale;
    sum = add(sum, multiply(head, rational(scale)));
    rest = rest.slice(end + 1);
  }
  if (rest === '') return sum;
  const tail = parseRational(rest);
  return tail && (last === 10n ** 4n || tail.top < last * tail.bottom) ? add(sum, tail) : undefined;
}

const scaledBy = (text = '', scale = 1n): Rational | undefined => {
  const head = parseRational(text);
  return head && multiply(head, rational(scale));
};

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const word = `(?:${[...small, ...tens].join('|')})`;
const englishWords = new RegExp(`\\b${word}(?:[\\s-]${word})?(?:\\s(?:hundred|thousand|million))?\\b`, 'giu');
const native = '하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열';
const sinoOperator = '더하기|빼기|곱하기|나누기|플러스|마이너스';
/** Korean numerals before a counter. `한 번` means `once`. */
const counting =
  /(?<![가-힣])(?:(한)\s?(?=명|사람|개|달|시간)|(두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?(?=명|사람|개|번|달|시간|마리|장|권|대|병|잔|배))/gu;
const counts = '한두세네';
const sino = '[영공일이삼사오육칠팔구십백천만억]+';

/** Converts numbers in words to digits, if they cannot be anything else. */
function wordsToDigits(text: string): string {
  return text
    .replace(counting, (found) => {
      const word = found.trim();
      return counts.includes(word) ? String(counts.indexOf(word) + 1) : fromKorean(word);
    })
    .replace(englishWords, (found) => fromEnglish(found.toLowerCase()))
    .replace(new RegExp(`(?<![가-힣\\d])(${sino}|${native})(?=\\s?(?:${sinoOperator}))`, 'gu'), fromKorean)
    .replace(new RegExp(`(?<=(?:${sinoOperator})\\s?)(${sino}|${native})(?=$|[\\s?.!]|은|는|의|이|하면)`, 'gu'), fromKorean)
    .replace(/(?<![가-힣\d])[일이삼사오육칠팔구십백천]+[십백천만억][일이삼사오육칠팔구십백천만억]*(?=\s?원)/gu, fromKorean);
}

function fromEnglish(words: string): string {
  const parts = words.split(/[\s-]/);
  const scale = { hundred: 100, thousand: 1000, million: 1_000_000 }[parts.at(-1) ?? ''];
  const values = (scale ? parts.slice(0, -1) : parts).map((each) =>
    small.includes(each) ? small.indexOf(each) : (tens.indexOf(each) + 2) * 10,
  );
  const [first = 0, second] = values;
  // `twenty one` is one number, `one two` are two
  if (second !== undefined && (first < 20 || second > 9 || second === 0)) return words;
  return String((first + (second ?? 0)) * (scale ?? 1));
}

function fromKorean(word: string): string {
  const index = native.split('|').indexOf(word);
  if (index >= 0) return String(index + 1);
  const value = worthOf(
    word.replaceAll(/[영공일이삼사오육칠팔구]/gu, (digit) => String('영일이삼사오육칠팔구'.indexOf(digit === '공' ? '영' : digit))),
  );
  return (value && toDigits(value)) ?? word;
}
