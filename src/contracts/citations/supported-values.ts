import { type ContractValue, comparableKey, contractValues, valueKey } from '../compare/contract-values.ts';

const checked: ReadonlySet<string> = new Set(['amount', 'percentage', 'date', 'period']);
const monthAndDay = /(?<!\d년\s?)(?<!\d)(\d{1,2})\s?월(?:\s?(\d{1,2})\s?일)?/gu;
const englishDate =
  /\b(?:(\d{1,2})(?:st|nd|rd|th)?\s)?(january|february|march|april|may|june|july|august|september|october|november|december)(?:\s(\d{1,2})(?:st|nd|rd|th)?)?(?:,?\s(\d{4}))?\b/giu;
const months = 'january february march april may june july august september october november december'.split(' ');

export interface MeasuredValue {
  readonly text: string;
  /** One spelling for all languages: `60000000 won`, `14 day`, `2026-3-1`, `0.2%`. */
  readonly key: string;
  /** Number for calculations. */
  readonly value?: number;
}

/** Returns the amounts, percentages, periods and dates of an answer that no source contains and that do not follow from sourced figures. */
export function unsupportedValues(answer: string, sources: readonly string[]): readonly string[] {
  const keys = new Set(sources.flatMap((source) => measuredValues(source).map(({ key }) => key)));
  const answerValues = measuredValues(answer);
  const isThere = ({ key }: MeasuredValue): boolean => keys.has(key) || [...keys].some((one) => isPartOfDate(key, one));
  // the digits of a value prove nothing about it: 7 and 100 of `100분의 7`
  const rest = answerValues.reduce((left, { text }) => left.replaceAll(text, ' '), answer.normalize('NFKC').replace(/\s+/gu, ' '));
  const operands = [
    ...answerValues.filter(isThere).flatMap(({ value }) => (value === undefined ? [] : [value])),
    ...Array.from(rest.matchAll(/(?<![\d.,])\d{1,4}(?![\d,])/gu), ([number]) => Number(number)),
  ];
  const missing: string[] = [];
  for (const one of answerValues) {
    if (isThere(one)) continue;
    if (one.value === undefined || !followsFrom(one.value, operands)) missing.push(one.text);
    // a result is known to the next step
    else operands.push(one.value);
  }
  return [...new Set(missing)];
}

/** True for `2026년 3월` of 2026-3-1, and for `3월 1일` of any year. */
const isPartOfDate = (key: string, date: string): boolean =>
  /^\d{4}-\d/u.test(date) && (date.startsWith(`${key}-`) || (/^--/u.test(key) && `${date.slice(4)}-`.startsWith(`${key.slice(1)}-`)));

export function measuredValues(text: string): readonly MeasuredValue[] {
  const found: MeasuredValue[] = [];
  const normal = text.normalize('NFKC').replace(englishDate, (all, before?: string, month?: string, behind?: string, year?: string) => {
    const day = before ?? behind;
    if (day === undefined && year === undefined) return all;
    const place = months.indexOf((month ?? '').toLowerCase()) + 1;
    found.push({ text: all, key: [year ?? '-', place, ...(day === undefined ? [] : [Number(day)])].join('-') });
    return ' ';
  });
  const rest = normal.replace(monthAndDay, (all, month: string, day?: string) => {
    if (Number(month) > 12) return all;
    found.push({ text: all.trim(), key: `--${Number(month)}${day === undefined ? '' : `-${Number(day)}`}` });
    return ' ';
  });
  // `monthAndDay` only removes dates without a year
  for (const value of contractValues(rest)) if (checked.has(value.type)) found.push(measure(value));
  for (const [all, number = ''] of rest.matchAll(/(?<![\w$,.])(\d[\d,]*(?:\.\d+)?)\s?(?:US\s)?dollars?\b/giu))
    found.push({ text: all, key: `${Number(number.replaceAll(',', ''))} usd`, value: Number(number.replaceAll(',', '')) });
  return found;
}

function measure(value: ContractValue): MeasuredValue {
  const key = valueKey(value);
  const text = value.written;
  if (value.type === 'percentage') return { text, key, value: Number.parseFloat(key) / 100 };
  if (value.type === 'date') return { text, key };
  if (value.type === 'period') {
    const period = comparableKey(value);
    return period === key ? { text, key } : { text, key: period, value: Number.parseFloat(key) };
  }
  const [, currency = '', amount = '', scale = ''] =
    /^(us\$|[$€£₩]|usd|krw|eur)?([\d.]+)(?:천|백|만|억)*(million|billion|원|달러|dollars|유로|엔)?$/u.exec(key) ?? [];
  const number = Number(amount) * (scale === 'million' ? 1e6 : scale === 'billion' ? 1e9 : 1);
  const names: Readonly<Record<string, string>> = {
    us$: 'usd',
    $: 'usd',
    달러: 'usd',
    dollars: 'usd',
    '€': 'eur',
    유로: 'eur',
    '₩': 'won',
    krw: 'won',
    원: 'won',
    '£': 'gbp',
    엔: 'jpy',
  };
  const name = names[currency] ?? names[scale] ?? currency;
  return amount === '' ? { text, key } : { text, key: `${number} ${name}`, value: number };
}

const maxOperands = 24;

/** True for a sum, a difference, a product of two or three, or a quotient of the given numbers. */
function followsFrom(value: number, operands: readonly number[]): boolean {
  const some = [...new Set(operands)].filter((one) => one !== value && one !== 0 && one !== 1).slice(0, maxOperands);
  const isValue = (one: number): boolean => Math.abs(one - value) <= Math.abs(value) * 1e-9;
  return some.some((a, i) =>
    some.some(
      (b, j) =>
        i !== j &&
        (isValue(a + b) ||
          isValue(a - b) ||
          isValue(a * b) ||
          isValue(a / b) ||
          some.some((c, k) => k !== i && k !== j && isValue(a * b * c))),
    ),
  );
}
