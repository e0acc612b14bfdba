import { functionNames } from './expression.ts';

const wordOperators: readonly (readonly [RegExp, string])[] = [
  [/(\d)\s*(?:곱하기|times|multiplied by|x)\s*(?=[\d(])/gi, '$1*'],
  [/(\d)\s*(?:더하기|plus)\s*(?=[\d(])/gi, '$1+'],
  [/(\d)\s*(?:빼기|minus)\s*(?=[\d(])/gi, '$1-'],
  [/(\d)\s*(?:나누기|divided by)\s*(?=[\d(])/gi, '$1/'],
  [/([\d.,]{1,40})\s?의\s?([\d.]{1,40})\s?(?:%|퍼센트)/g, '$1*$2/100'],
  [/([\d.]{1,40})\s?(?:%|percent)\sof\s([\d.,]{1,40})/gi, '$2*$1/100'],
];

/** Above the calculator's limit, so that the calculator reports an expression that is too long. */
const maxCandidateChars = 2_000;

// `sign (2 copies)` calls nothing
const calls = functionNames.filter((name) => name !== 'sign').join('|');
const candidate = new RegExp(String.raw`(?:\b(?:${calls})\s*\(|[\d(+\-−])[\d\s.,+\-−*/^%×÷()a-z]*`, 'gi');

/** With a minus sign only between blanks: `3-5월` is no difference. */
const operator = new RegExp(String.raw`\d\s*(?:\*\*|[+*/^%×÷])\s*[(\d+\-−a-z]|\d\s+[-−]\s+[\d(]|\)\s*[-+*/^×÷]|\b(?:${calls})\s*\(`, 'i');

/**
 * Finds the arithmetic in a sentence, in the form that the tool `calculator` accepts; `undefined` if there is none.
 *
 * @example findExpression('3 더하기 4는 얼마야?') // '3+4'
 */
export const findExpression = (clause: string): string | undefined => findTypedSum(clause)?.expression;

/** Like `findExpression`, and returns the surrounding text, with calculating words replaced by signs. */
export function findTypedSum(clause: string): { readonly expression: string; readonly around: string } | undefined {
  if (hasOtherDigits(clause)) return undefined;
  let text = clause.normalize('NFKC').replace(/\d{4}-\d{1,2}-\d{1,2}|\d{1,2}:\d{2}|\b0\d{1,2}-\d{3,4}-\d{4}\b/g, ' ');
  for (const [pattern, replacement] of wordOperators) text = text.replace(pattern, replacement);
  const calculates = /계산|얼마|calculat|compute|=/i.test(clause);
  for (const { 0: found, index } of text.matchAll(candidate)) {
    if (found.length > maxCandidateChars) continue;
    const typed = found.replace(/[a-z\s,.(+\-−*/^%×÷]+$/i, '');
    if (isCut(text, index, typed.length)) continue;
    if (misread.test(found) && !/[a-z]\s*\(/i.test(found)) continue;
    const expression = balanceParentheses(typed);
    const isDifference = calculates && /\d\s*[-−]\s*\d/.test(expression);
    if (/\d/.test(expression) && (operator.test(expression) || isDifference))
      return { expression, around: `${text.slice(0, index)} ${text.slice(index + typed.length)}` };
  }
  return undefined;
}

/** Numbers that may be versions, or commas that may mean several things. */
const misread = /\d\.\d+\.\d|\d,\d{1,2}(?!\d)/;
/** The `x` of `0x10` multiplies nothing, and `10²` is not 102. */
const otherDigits = /(?<![\d.,])0x[\da-f]|[\u00b2\u00b3\u00b9\u2070-\u209c\u00bc-\u00be\u2150-\u215e\u221a-\u221c]/iu;

/** True when a text contains numbers in a notation that the calculator would misread. */
export const hasOtherDigits = (text: string): boolean => otherDigits.test(text);

/** True when a number at its ends continues in words, as in `2*3만` and `5천 + 3*2`. */
const isCut = (text: string, at: number, length: number): boolean =>
  /^\s?(?:[조억만천백십]|million|billion|thousand|squared|cubed|factorial|percent|!|(?:의\s?)?세?제곱|의\s?(?:절반|\d)|승|분의|팩토리얼|[%％])/i.test(
    text.slice(at + length, at + length + 12),
  ) || /(?:(?:[조억만천백십]\s?[가-힣]?|분의|\d\s?(?:의|과|와|하고|이?랑))\s*|[:_a-z])$/i.test(text.slice(Math.max(0, at - 6), at));

/** Strips unmatched brackets from both ends. */
function balanceParentheses(text: string): string {
  let expression = text.trim();
  while (count(expression, ')') > count(expression, '(') && expression.endsWith(')')) expression = expression.slice(0, -1).trim();
  while (count(expression, '(') > count(expression, ')') && expression.startsWith('(')) expression = expression.slice(1).trim();
  return expression;
}

const count = (text: string, character: string): number => text.split(character).length - 1;
