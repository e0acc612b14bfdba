import { dividesByZero, evaluateExpression } from '../../core/arithmetic/expression.ts';

/** A part of a sum that was read. */
export interface Operand {
  readonly expression: string;
  readonly unit: string;
  readonly grouped: boolean;
}

/** Creates a number without a unit. */
export const plain = (expression: string): Operand => ({ expression, unit: '', grouped: false });

/** Joins two parts. Returns `undefined` if their units do not fit. */
export function join(a: Operand | undefined, sign: string | undefined, b: Operand | undefined): Operand | undefined {
  if (!a || !b || sign === undefined) return undefined;
  const grouped = a.grouped || b.grouped;
  const of = (unit: string, expression = `${atom(a)}${sign}${atom(b)}`): Operand => ({ expression, unit, grouped });
  if (isPercent(b) && !isPercent(a)) {
    if (sign === '*') return of(a.unit, `${atom(a)}*${atom(b)}/100`);
    return sign === '+' || sign === '-' ? of(a.unit, `${atom(a)}*(100${sign}${atom(b)})/100`) : undefined;
  }
  if (isPercent(a) && !isPercent(b) && sign === '*' && b.unit !== '') return of(b.unit, `${atom(b)}*${atom(a)}/100`);
  switch (sign) {
    case '+':
    case '-':
      if (isRepetition(a, b)) return undefined;
      return sameUnit(a, b) ? of(a.unit || b.unit) : undefined;
    case '*':
      if (isRepetition(a, b)) return undefined;
      if (a.unit === '' || b.unit === '') return of(a.unit || b.unit);
      return isCounted(a) ? of(b.unit) : isCounted(b) ? of(a.unit) : undefined;
    case '/':
      if (b.unit === '' || isCounted(b)) return a.unit === b.unit && a.unit !== '' ? of('') : of(a.unit);
      return a.unit === b.unit ? of('') : undefined;
    case '%':
      return b.unit === '' || a.unit === b.unit ? of(a.unit) : undefined;
    default:
      return a.unit === '' && b.unit === '' ? of('') : undefined;
  }
}

export const isPercent = ({ unit }: Operand): boolean => /^(?:%|퍼센트|프로|percent)$/iu.test(unit);
/** True for people and things. An amount divided among them, or given for each, keeps the other unit. */
export const isCounted = ({ unit }: Operand): boolean =>
  /^(?:명|사람|인|개|번|회|마리|times|people|persons?|friends|kids|items?|pieces?)$/iu.test(unit);
/** True for `2를 5번 더하면`: 5 is a number of repetitions, not an addend. */
const isRepetition = (a: Operand, b: Operand): boolean => a.unit === '' && /^(?:번|회)$/u.test(b.unit);
const sameUnit = (a: Operand, b: Operand): boolean => a.unit === '' || b.unit === '' || singular(a.unit) === singular(b.unit);

export const singular = (unit: string): string => unit.toLowerCase().replace(/(?<=..)s$/, '');

/** Adds brackets around more than one number. */
export const atom = ({ expression }: Operand): string => (/^[\d.]+$|^\w+\([^()]*\)$/.test(expression) ? expression : `(${expression})`);

export const wrap = (name: string, { expression, unit, grouped }: Operand): Operand | undefined =>
  unit === '' ? { expression: `${name}(${expression})`, unit, grouped } : undefined;

export const scale = (operand: Operand | undefined, by: string): Operand | undefined =>
  operand && { ...operand, expression: `${atom(operand)}${by}` };

export const total = (operands: readonly Operand[]): Operand | undefined =>
  operands.slice(1).reduce<Operand | undefined>((sum, operand) => {
    const joined = join(sum, '+', operand);
    return joined && sum && { ...joined, expression: `${sum.expression}+${operand.expression}` };
  }, operands[0]);

/** Returns the distance of two numbers, in either order. */
export function difference(a: Operand | undefined, b: Operand | undefined): Operand | undefined {
  if (!a || !b || [a, b].some(({ expression }) => dividesByZero(expression))) return undefined;
  const [from = 0, to = 0] = [a, b].map(({ expression }) => Number(evaluateExpression(expression)));
  return from < to ? join(b, '-', a) : join(a, '-', b);
}

export const mean = (operands: readonly Operand[]): Operand | undefined => {
  const sum = total(operands);
  return operands.length > 1 && sum ? { ...sum, expression: `(${sum.expression})/${operands.length}` } : undefined;
};

export const extreme = (name: 'max' | 'min', operands: readonly Operand[]): Operand | undefined => {
  const sum = total(operands);
  return sum && { ...sum, expression: `${name}(${operands.map(({ expression }) => expression).join(', ')})` };
};
/** Returns the sum of all whole numbers between two numbers, inclusive. */
export function series(from: Operand | undefined, to: Operand | undefined): Operand | undefined {
  if (!from || !to || from.unit !== to.unit || !/^\d{1,9}$/.test(from.expression) || !/^\d{1,9}$/.test(to.expression)) return undefined;
  const [a, b] = [Number(from.expression), Number(to.expression)];
  return a < b ? { ...to, expression: `(${a}+${b})*${b - a + 1}/2` } : undefined;
}

export function factorial(of: Operand | undefined): Operand | undefined {
  const count = Number(of?.expression);
  if (of?.unit !== '' || !Number.isInteger(count) || count < 0 || count > 100) return undefined;
  return plain(Array.from({ length: Math.max(1, count) }, (_, index) => index + 1).join('*'));
}
