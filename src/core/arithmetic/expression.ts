import { WorkflowError } from '../errors/errors.ts';
import {
  add,
  divide,
  exactRoot,
  isShort,
  multiply,
  negate,
  parseRational,
  power,
  type Rational,
  rational,
  remainder,
} from '../util/rational.ts';

/** Maximum length of an expression, in characters. */
export const maxExpressionChars = 500;
const maxNesting = 50;

type Operation = (...values: number[]) => number;
/** The same without rounding; `undefined` if there is no exact form. */
type ExactOperation = (a: Rational, b: Rational) => Rational | undefined;

interface NamedFunction {
  readonly run: Operation;
  readonly exact?: ExactOperation | undefined;
  readonly minArguments: number;
  readonly maxArguments: number;
}

const exactFunctions: ReadonlyMap<string, ExactOperation> = new Map<string, ExactOperation>([
  ['sqrt', (a) => exactRoot(a, 2n)],
  ['cbrt', (a) => exactRoot(a, 3n)],
  ['pow', power],
  ['trunc', ({ top, bottom }) => rational(top / bottom)],
  ['abs', ({ top, bottom }) => ({ top: top < 0n ? -top : top, bottom })],
]);

const functionsOf = (minArguments: number, maxArguments: number, runs: Record<string, Operation>): [string, NamedFunction][] =>
  Object.entries(runs).map(([name, run]) => [name, { run, exact: exactFunctions.get(name), minArguments, maxArguments }]);

const { abs, ceil, floor, round, sqrt, cbrt, exp, log: ln, log10, log2, sin, cos, tan, asin, acos, atan, sign, trunc } = Math;
const functions: ReadonlyMap<string, NamedFunction> = new Map([
  ...functionsOf(1, 1, { abs, ceil, floor, round, sqrt, cbrt, exp, ln, log10, log2, sin, cos, tan, asin, acos, atan, sign, trunc }),
  ...functionsOf(2, 2, { pow: Math.pow }),
  ...functionsOf(1, Number.POSITIVE_INFINITY, { min: Math.min, max: Math.max, hypot: Math.hypot }),
]);

const constants: ReadonlyMap<string, number> = new Map([
  ['PI', Math.PI],
  ['E', Math.E],
]);

/** The names that an expression may call, and those that it may use. */
export const functionNames: readonly string[] = [...functions.keys()];
export const constantNames: readonly string[] = [...constants.keys()];

/** A step of the work: something is done with the last values. */
interface Step {
  readonly run: Operation;
  readonly exact?: ExactOperation | undefined;
  readonly takes: number;
}

/** A number, and how it is written. */
interface Value {
  readonly value: number;
  readonly exact: Rational | undefined;
}

interface Operator extends Step {
  /** Precedence; higher binds tighter. */
  readonly binding: number;
  /** Right-associative: `2^3^2` is `2^9`. */
  readonly isRightFirst?: boolean;
}

const binary = (binding: number, run: (a: number, b: number) => number, exact: ExactOperation): Operator => ({
  binding,
  takes: 2,
  run: (a = 0, b = 0) => run(a, b),
  exact,
});
const binaryOperators: ReadonlyMap<string, Operator> = new Map([
  ['+', binary(1, (a, b) => a + b, add)],
  [
    '-',
    binary(
      1,
      (a, b) => a - b,
      (a, b) => add(a, negate(b)),
    ),
  ],
  ['*', binary(2, (a, b) => a * b, multiply)],
  ['/', binary(2, (a, b) => a / b, divide)],
  ['%', binary(2, (a, b) => a % b, remainder)],
  ['^', { ...binary(4, (a, b) => a ** b, power), isRightFirst: true }],
]);
/** Binds more loosely than a power: `-2^2` is -4. */
const minus: Operator = { binding: 3, takes: 1, run: (value = 0) => -value, exact: negate };

const spellings: ReadonlyMap<string, string> = new Map([
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['**', '^'],
]);

/**
 * Evaluates an expression. It consists only of the names and operators of the tables above and is never run as code.
 *
 * @throws {WorkflowError} `EXPRESSION_INVALID` for anything else, with the position of the first wrong character, from 1, as
 * `data.position`; and if an intermediate result is not finite.
 * @example evaluateExpression('1,200 × 3 =') // 3600
 */
export function evaluateExpression(expression: string): number {
  const values: number[] = [];
  for (const step of stepsOf(expression)) {
    // checked at each step, because `1 / (1 / 0)` would otherwise be 0
    values.push('value' in step ? step.value : finite(step.run(...values.splice(-step.takes))));
  }
  return values[0] ?? 0;
}

/**
 * Evaluates an expression without rounding; `undefined` for irrational roots, constants, other functions, and results above the limit of
 * digits.
 *
 * @throws {WorkflowError} `EXPRESSION_INVALID` for an invalid expression.
 */
export function exactValue(expression: string): Rational | undefined {
  const values: (Rational | undefined)[] = [];
  for (const step of stepsOf(expression)) values.push('value' in step ? step.exact : exactStep(step, values.splice(-step.takes)));
  return values[0];
}

/**
 * True for an expression whose only error is a division by zero. @throws {WorkflowError} `EXPRESSION_INVALID` for an invalid expression.
 */
export function dividesByZero(expression: string): boolean {
  const values: (Rational | undefined)[] = [];
  for (const step of stepsOf(expression)) {
    const taken = 'value' in step ? [] : values.splice(-step.takes);
    if (!('value' in step) && (step.exact === divide || step.exact === remainder) && taken[1]?.top === 0n) return true;
    values.push('value' in step ? step.exact : exactStep(step, taken));
  }
  return false;
}

function exactStep({ exact, takes }: Step, [a, b]: readonly (Rational | undefined)[]): Rational | undefined {
  if (!exact || !a || takes > 2 || (takes === 2 && !b)) return undefined;
  const value = exact(a, b ?? rational(0n));
  return value && isShort(value) ? value : undefined;
}

/** Returns a finite number, or throws. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new WorkflowError({
    code: 'EXPRESSION_INVALID',
    message: 'The expression has no finite result. It divides by zero, leaves the domain of a function or grows too large.',
    hint: 'Correct the numbers.',
  });
}

const tokenGrammar = new RegExp(
  [
    /(?<grouped>[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?)/,
    /(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)/,
    /(?<call>[A-Za-z_$][\w$]*)\s*\(/,
    /(?<name>[A-Za-z_$][\w$]*)/,
    /(?<symbol>\*\*|\S)/, // matches everything else, so that no character is skipped
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

/** Open parentheses, or the whole expression. Those of a function call count its arguments. */
interface Group {
  readonly called?: NamedFunction | undefined;
  arguments: number;
  /** Operators that wait for their right operand. */
  readonly waiting: Operator[];
}

/** Converts an expression to postfix order: values, and steps that take the last of them. */
function stepsOf(expression: string): readonly (Value | Step)[] {
  if (expression.length > maxExpressionChars) throw invalid(maxExpressionChars, `is longer than ${maxExpressionChars} characters`);
  // Only full-width forms: all of NFKC would turn 2² into 22.
  const halfWidth = expression.replace(/[\uff01-\uff5e]/g, (character) => character.normalize('NFKC'));
  const text = halfWidth.replace(/(?:=\s*\??|\?)\s*$/, '').trimEnd();
  const steps: (Value | Step)[] = [];
  let group: Group = { arguments: 1, waiting: [] };
  const around: Group[] = [];
  /** Operators that bind at least this tightly have both operands now. */
  const settle = (binding: number): void => {
    for (let last = group.waiting.at(-1); last && last.binding >= binding; last = group.waiting.at(-1)) {
      steps.push(last);
      group.waiting.pop();
    }
  };
  let wantsValue = true;

  for (const { index, groups = {}, 0: token } of text.matchAll(tokenGrammar)) {
    const refuse = (what: string): WorkflowError => invalid(index, what);
    const { grouped, number, call, name, symbol = '' } = groups;
    const sign = spellings.get(symbol) ?? symbol;
    const operator = binaryOperators.get(sign);

    if (wantsValue && sign === '-') {
      group.waiting.push(minus);
    } else if (wantsValue && (sign === '(' || call !== undefined)) {
      if (around.length === maxNesting) throw refuse(`has more than ${maxNesting} nested parentheses`);
      const called = functions.get(call ?? '');
      if (call !== undefined && !called) throw refuse(`calls "${call}", which is not a function of the calculator`);
      around.push(group);
      group = { called, arguments: 1, waiting: [] };
    } else if (wantsValue && name !== undefined) {
      const value = constants.get(name);
      if (value === undefined) throw refuse(`uses "${name}", which is not a constant of the calculator`);
      steps.push({ value, exact: undefined });
      wantsValue = false;
    } else if (wantsValue && (number !== undefined || grouped !== undefined)) {
      if (grouped !== undefined && [group, ...around].some(({ called }) => called)) {
        throw refuse(`has the ambiguous "${token}" in a function call (put a space after a comma between arguments)`);
      }
      const digits = token.replaceAll(',', '');
      const value = Number(digits);
      if (!Number.isFinite(value)) throw refuse('has a number that is too large');
      steps.push({ value, exact: parseRational(digits) });
      wantsValue = false;
    } else if (!wantsValue && sign === ')' && around.length > 0) {
      const { called, arguments: count } = group;
      if (called && (count < called.minArguments || count > called.maxArguments)) {
        throw refuse('calls a function with the wrong number of arguments');
      }
      settle(0);
      if (called) steps.push({ run: called.run, exact: called.exact, takes: count });
      group = around.pop() ?? group;
    } else if (!wantsValue && sign === ',' && group.called) {
      settle(0);
      group.arguments++;
      wantsValue = true;
    } else if (!wantsValue && operator) {
      settle(operator.isRightFirst ? operator.binding + 1 : operator.binding);
      group.waiting.push(operator);
      wantsValue = true;
    } else {
      throw refuse(`has an unexpected ${JSON.stringify(token)}`);
    }
  }
  if (wantsValue) throw invalid(text.length, 'ends where a number is missing');
  if (around.length > 0) throw invalid(text.length, 'ends where a ")" is missing');
  settle(0);
  return steps;
}

function invalid(index: number, what: string): WorkflowError {
  return new WorkflowError({
    code: 'EXPRESSION_INVALID',
    message: `The expression ${what}, at position ${index + 1}.`,
    hint: `Use numbers, + - * / % ^, parentheses, ${[...constantNames, ...functionNames].join(', ')}.`,
    data: { position: index + 1 },
  });
}
