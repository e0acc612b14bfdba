import { exactValue } from '../../core/arithmetic/expression.ts';
import { toDigits } from '../../core/util/rational.ts';

const maxDigits = 60;

/**
 * Formats a sum and its result: all digits, or marked as rounded.
 *
 * @param unit of the result; with a unit, digits stand in groups of three
 * @example describeSum('2^100', 1.26765060022823e30) // '2^100 = 1267650600228229401496703205376'
 */
export function describeSum(expression: string, result: number, unit?: string): string {
  const exact = exactValue(expression);
  const digits = exact && toDigits(exact);
  const isWhole = digits !== undefined && digits.length <= maxDigits;
  const display = unit === undefined ? (isWhole ? digits : String(result)) : grouped(isWhole ? digits : String(result));
  return `${expression} ${isWhole || (exact === undefined && Number.isSafeInteger(result)) ? '=' : '≈'} ${withUnit(display, unit ?? '')}`;
}

const grouped = (digits: string): string =>
  digits.replace(/^(-?)(\d+)(?=$|\.)/, (_, sign, whole) => sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ','));

const withUnit = (digits: string, unit: string): string => {
  if (/^[$€£¥₩]$/.test(unit)) return `${unit}${digits}`;
  return /^[a-z]/i.test(unit) ? `${digits} ${unit}` : `${digits}${unit}`;
};
