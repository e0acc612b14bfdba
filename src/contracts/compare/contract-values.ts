/** What a contract fixes by a number. */
export type ContractValueType = 'amount' | 'percentage' | 'date' | 'period';

export interface ContractValue {
  readonly type: ContractValueType;
  /** As written, without spaces. */
  readonly text: string;
}

const number = String.raw`\d[\d,]{0,20}(?:\.\d{1,6})?`;
const korean = String.raw`(?:${number}\s?(?:천|백)?(?:억|만)?\s?){1,3}`;

// the first that fits at a place is taken, so a date is no period
const kinds: readonly (readonly [ContractValueType, string])[] = [
  ['date', String.raw`\d{4}\s?[년.\-/]\s?\d{1,2}\s?[월.\-/]\s?\d{1,2}(?!\d)\s?일?`],
  ['date', String.raw`(?:19|20)\d\d\s?년(?:\s?\d{1,2}\s?월)?`],
  ['percentage', String.raw`${number}\s?(?:%|퍼센트|percent)`],
  ['percentage', String.raw`\d[\d,]{0,9}\s?분의\s?${number}`],
  ['amount', String.raw`(?:US\$|[$€£₩]|USD|KRW|EUR)\s?${number}(?:\s?(?:million|billion))?`],
  ['amount', `${korean}(?:원|달러|유로|엔)(?!칙|인|본|상)`],
  ['period', String.raw`\d{1,4}\s?(?:개년|년|개월|월|주|영업일|일|시간|분)(?!의)(?:간)?`],
  ['period', String.raw`\d{1,4}\)?\s?(?:business |calendar |working )?(?:day|week|month|year|hour)s?\b`],
];

const pattern = new RegExp(`(?<![\\d.,제])(?:${kinds.map(([, source]) => `(${source})`).join('|')})`, 'gi');

/** Amounts, percentages, dates and periods of a text, in its order. Only those in digits are seen. */
export function contractValues(text: string): readonly ContractValue[] {
  const values: ContractValue[] = [];
  for (const found of text.normalize('NFKC').matchAll(pattern)) {
    const type = kinds[found.slice(1).findIndex((group) => group !== undefined)]?.[0];
    if (type) values.push({ type, text: found[0].replace(/\s+/g, '') });
  }
  return values;
}

/** One spelling for values that are written differently: `1,000원` and `1000 원`, `5%` and `100분의 5`. */
export function valueKey({ type, text }: ContractValue): string {
  const plain = text.replace(/[,\s)]/g, '').toLowerCase();
  if (type === 'percentage') {
    const [whole = 1, parts = 0] = plain.split('분의').map(Number);
    return plain.includes('분의') ? `${Number(((parts * 100) / whole).toPrecision(9))}%` : plain.replace(/퍼센트|percent/, '%');
  }
  if (type === 'period') return plain.replace(/간$/, '').replace(/s$/, '');
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
