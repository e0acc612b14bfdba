import { dividesByZero, evaluateExpression, functionNames } from '../../core/arithmetic/expression.ts';
import { isPercent, type Operand, singular } from './sum-operand.ts';

/** A text with marks like `⟨0⟩` for its numbers, and the numbers. */
export interface MarkedText {
  readonly text: string;
  readonly operands: readonly Operand[];
}

export interface FoldedText extends MarkedText {
  /**
   * The weakest binding among the folded sums: brackets, a product, a sum. In a weak one, the words around it may mean only its last part.
   */
  readonly holds: 'brackets' | 'product' | 'sum';
}

/** The state of the parser after a part of a typed sum. */
interface Parsed {
  readonly end: number;
  readonly expression: string;
  readonly used: readonly Operand[];
  readonly signs: readonly string[];
  /** Operators outside of brackets. */
  readonly outer: readonly string[];
  /** Operators as written. */
  readonly words: readonly string[];
}

/**
 * Replaces each typed sum, such as `12*30`, `(3+4) times 2` and `sqrt(16)`, by one number. Returns `undefined` if there is none or one is
 * unreadable. Also returns `undefined` if the words around a sum may mean only a part of it: `twice 12 plus 30`.
 *
 * @param signs operators as written, with their names in the calculator
 */
export function foldSums({ text, operands }: MarkedText, signs: Readonly<Record<string, string>>): FoldedText | undefined {
  const read = readerOf(text, operands, signs);
  const folded: Operand[] = [];
  let rest = '';
  const outer: string[] = [];
  let found = false;
  for (let at = 0; at < text.length; ) {
    const sum = read(at);
    if (!sum) {
      rest += text[at++] ?? '';
      continue;
    }
    if (isDoubtful(sum, text.slice(0, at), text.slice(sum.end))) return undefined;
    const operand = sum.signs.length === 0 && /^[-\d.]+$/.test(sum.expression) ? sum.used[0] : operandOf(sum);
    if (!operand) return undefined;
    if (operand !== sum.used[0]) found = true;
    outer.push(...sum.outer);
    rest += `⟨${folded.push(operand) - 1}⟩`;
    at = sum.end;
  }
  const isProduct = outer.every((sign) => sign === '*' || sign === '/');
  return found ? { text: rest, operands: folded, holds: outer.length === 0 ? 'brackets' : isProduct ? 'product' : 'sum' } : undefined;
}

const calls = new RegExp(`(?:${functionNames.join('|')})?\\s?\\(\\s?`, 'yu');

/** Returns a parser for the longest sum at a position. */
function readerOf(text: string, operands: readonly Operand[], signs: Readonly<Record<string, string>>): (at: number) => Parsed | undefined {
  const words = Object.keys(signs).sort((a, b) => b.length - a.length);
  const sign = new RegExp(`\\s?(${words.map((word) => word.replace(/[+*/^]/g, '\\$&')).join('|')})\\s?(?=⟨|\\(|[a-z]+\\s?\\()`, 'yu');
  const matchAt = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const readAtom = (at: number): Parsed | undefined => {
    const mark = matchAt(/⟨(\d+)⟩/y, at);
    const operand = operands[Number(mark?.[1])];
    if (mark)
      return operand && { end: at + mark[0].length, expression: operand.expression, used: [operand], signs: [], outer: [], words: [] };
    const open = /[a-z0-9_]/u.test(text[at - 1] ?? '') ? null : matchAt(calls, at);
    const inner = open && readSum(at + open[0].length);
    const close = inner && matchAt(/\s?\)/y, inner.end);
    if (!open || !inner || !close) return undefined;
    const expression = `${open[0].replaceAll(' ', '')}${inner.expression})`;
    return { ...inner, end: inner.end + close[0].length, expression, outer: [], words: [] };
  };
  const readSum = (at: number): Parsed | undefined => {
    let sum = readAtom(at);
    for (let link = sum && matchAt(sign, sum.end); sum && link; link = matchAt(sign, sum.end)) {
      const next = readAtom(link.index + link[0].length);
      const operator = signs[link[1] ?? ''];
      if (!next || operator === undefined) break;
      const right = next.expression.startsWith('-') ? `(${next.expression})` : next.expression;
      sum = {
        end: next.end,
        expression: `${sum.expression}${operator}${right}`,
        used: [...sum.used, ...next.used],
        signs: [...sum.signs, operator, ...next.signs],
        outer: [...sum.outer, operator],
        words: [...sum.words, link[1] ?? ''],
      };
    }
    return sum;
  };
  return readSum;
}

/** Words that mark the end of a sum, so the text means all of it. */
const bound = /^\s?(?:,|by\b|from\b|to\b|with\b|and\b|then\b|if\b|when\b|into\b|between\b|among)/u;
const endOfHalf = /^\s?(?:이?인데|이?고|이며|이?라면|(?:이|은|는)?\s?얼마|(?:을|를)?\s?(?:계산|구)?\s?(?:하고|해서|한))/u;
const part = /(?:half|third|quarters?|thirds|⟨\d+⟩)\sof\s$/u;

/** True if the words around a sum may mean only the adjacent part. */
function isDoubtful({ words, used }: Parsed, before: string, after: string): boolean {
  const [first] = used;
  if (words.includes('^') && first?.expression.startsWith('-')) return true; // -2^2
  if (words.length > 1 && words.some((sign) => /power|raised/u.test(sign))) return true;
  const isWorded = words.some((sign) => /[a-z가-힣]{2}/u.test(sign));
  const isAdded = words.some((sign) => /^(?:[-−+]|plus|minus|less|더하기|빼기|플러스|마이너스)$/u.test(sign));
  const isAlone =
    after.trim() === '' && !/⟨/u.test(before) && !/\b(?:of|root|sqrt|double|twice|triple|halve|half)\s$|[가-힣]\s$/u.test(before);
  if (words.length === 0 || isAlone) return false;
  if (isAdded && /(?:루트|제곱근)\s?$/u.test(before)) return true;
  if (/[가-힣]/u.test(before + after))
    return isWorded && !endOfHalf.test(after) && (isAdded || /^\s?(?:의|세?제곱|절반|팩토리얼|!)/u.test(after));
  const isTimes = words.every((sign) => sign === '*' || sign === 'times' || sign === 'x');
  return (isWorded || isAdded) && !bound.test(after) && !(isTimes && part.test(before));
}

/** Returns the value and unit of a typed sum, or `undefined` if its parts do not fit together. */
function operandOf({ expression, used, signs }: Parsed): Operand | undefined {
  const counted = used.filter(({ unit }) => unit !== '');
  const [first] = counted;
  const isAdded = signs.every((sign) => sign === '+' || sign === '-');
  const isTimes = counted.length === 1 && signs.every((sign) => sign === '*');
  const alike = counted.every(({ unit }) => singular(unit) === singular(first?.unit ?? ''));
  if (used.some(isPercent) || !alike || (first && !isAdded && !isTimes) || !isReadable(expression)) return undefined;
  return { expression: withoutOuter(expression), unit: first?.unit ?? '', grouped: used.some(({ grouped }) => grouped) };
}

/** Removes the brackets of `(3+4)`, because the caller adds its own. */
const withoutOuter = (expression: string): string => expression.replace(/^\(([^()]*)\)$/, '$1');

function isReadable(expression: string): boolean {
  try {
    // division by zero has an answer of its own
    return dividesByZero(expression) || Number.isFinite(Number(evaluateExpression(expression)));
  } catch {
    return false; // unreadable, so no answer
  }
}
