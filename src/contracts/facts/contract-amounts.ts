import type { Article } from '../contract-document.ts';
import { quoteAround } from './quote-around.ts';

/** A total amount of a contract. */
export interface ContractAmount {
  /** The amount as written: `금 10,000,000원`, `US$1.5 million`. Blanks where the document leaves it open. */
  readonly text: string;
  /** Value in whole units of `currency`, if the digits give it. */
  readonly value?: number;
  /** ISO 4217 code, if the currency sign is unambiguous: `$` alone is not. */
  readonly currency?: string;
  readonly quote: string;
  readonly partId: string;
}

const total =
  /(?:총\s?(?:계약\s?)?(?:금액|대금|액|보수|용역비|공사비)|계약\s?(?:금액|대금|총액)|공사\s?대금|용역\s?대금|매매\s?대금|합계(?:\s?금액)?|total\s(?:contract\s|purchase\s)?(?:price|amount|fees?|consideration|value|sum)|(?:contract|purchase)\s(?:price|sum|amount|value))/gi;
const money =
  /(?:US\$|USD\s?|KRW\s?|EUR\s?|GBP\s?|[$€£₩])\s?(?:\d[\d,]*(?:\.\d+)?(?:\s?(?:million|billion))?|_{2,})|(?:금\s?)?(?:\d[\d,]*(?:\.\d+)?\s?(?:천|백)?(?:억|만)?\s?){1,3}원(?:정)?|금\s?[_ \t]{2,}\s?원(?:정)?|\d[\d,]*(?:\.\d+)?\s?(?:dollars|euros)/i;
const reach = 120;
const maxAmounts = 5;

/** Returns the amounts that follow `총 금액`, `total price` and the like within the same sentence. */
export function amountsOf(parts: readonly Article[]): readonly ContractAmount[] {
  const found: ContractAmount[] = [];
  for (const part of parts) {
    for (const { 0: name, index } of part.text.matchAll(total)) {
      if (found.length >= maxAmounts) return found;
      const behind = /^(?:[^.\n]|\.(?=\d)){0,120}/.exec(part.text.slice(index + name.length, index + name.length + reach))?.[0] ?? '';
      const amount = money.exec(behind);
      if (!amount) continue;
      const text = amount[0].trim();
      const length = name.length + amount.index + amount[0].length;
      found.push({ text, ...worthOf(text), quote: quoteAround(part.text, index, length), partId: part.id });
    }
  }
  return found;
}

const currencies: readonly (readonly [RegExp, string])[] = [
  [/US\$|USD/i, 'USD'],
  [/원|KRW|₩/i, 'KRW'],
  [/€|EUR|euros/i, 'EUR'],
  [/£|GBP/i, 'GBP'],
];
const scales: Readonly<Record<string, number>> = { 백: 100, 천: 1_000, 만: 10_000, 억: 100_000_000 };

function worthOf(text: string): Pick<ContractAmount, 'value' | 'currency'> {
  const currency = currencies.find(([sign]) => sign.test(text))?.[1];
  let value = 0;
  for (const [, digits = '', small = '', large = ''] of text.matchAll(/(\d[\d,]*(?:\.\d+)?)\s?([천백]?)([만억]?)/g)) {
    value += Number(digits.replace(/,/g, '')) * (scales[small] ?? 1) * (scales[large] ?? 1);
  }
  if (/million/i.test(text)) value *= 1_000_000;
  if (/billion/i.test(text)) value *= 1_000_000_000;
  return { ...(value > 0 ? { value } : {}), ...(currency === undefined ? {} : { currency }) };
}
