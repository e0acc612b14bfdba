import { WorkflowError } from '../errors.ts';

/** The longest expression that is read, in characters. */
export const maxExpressionChars = 500;
const maxNesting = 50;

type Operation = (...values: number[]) => number;

interface NamedFunction {
  readonly run: Operation;
  readonly minArguments: number;
  readonly maxArguments: number;
}

const taking = (minArguments: number, maxArguments: number, runs: Record<string, Operation>): [string, NamedFunction][] =>
  Object.entries(runs).map(([name, run]) => [name, { run, minArguments, maxArguments }]);

const { abs, ceil, floor, round, sqrt, cbrt, exp, log: ln, log10, log2, sin, cos, tan, asin, acos, atan, sign, trunc } = Math;
const functions: ReadonlyMap<string, NamedFunction> = new Map([
  ...taking(1, 1, { abs, ceil, floor, round, sqrt, cbrt, exp, ln, log10, log2, sin, cos, tan, asin, acos, atan, sign, trunc }),
  ...taking(2, 2, { pow: Math.pow }),
  ...taking(1, Number.POSITIVE_INFINITY, { min: Math.min, max: Math.max, hypot: Math.hypot }),
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
  readonly takes: number;
}

interface Operator extends Step {
  /** How tightly it binds its neighbours. */
  readonly binding: number;
  /** Of several in a row, the last one is done first: `2^3^2` is `2^9`. */
  readonly isRightFirst?: boolean;
}

const binary = (binding: number, run: (a: number, b: number) => number): Operator => ({
  binding,
  takes: 2,
  run: (a = 0, b = 0) => run(a, b),
});
const binaryOperators: ReadonlyMap<string, Operator> = new Map([
  ['+', binary(1, (a, b) => a + b)],
  ['-', binary(1, (a, b) => a - b)],
  ['*', binary(2, (a, b) => a * b)],
  ['/', binary(2, (a, b) => a / b)],
  ['%', binary(2, (a, b) => a % b)],
  ['^', { ...binary(4, (a, b) => a ** b), isRightFirst: true }],
]);
/** Binds more loosely than a power: `-2^2` is -4. */
const minus: Operator = { binding: 3, takes: 1, run: (value = 0) => -value };

/** What people type for an operator. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['**', '^'],
]);

/**
 * What an expression is worth. Nothing is ever run as code: there are the names and operators of the tables above, and nothing else.
 *
 * @throws {WorkflowError} `EXPRESSION_INVALID` for anything else, with the position of the first character that is wrong, from 1, as
 *   `data.position`; and when a step of the work has no finite result.
 * @example evaluateExpression('1,200 × 3 =') // 3600
 */
export function evaluateExpression(expression: string): number {
  const values: number[] = [];
  for (const step of stepsOf(expression)) {
    // every one is looked at, for `1 / (1 / 0)` would else be 0
    values.push(typeof step === 'number' ? step : finite(step.run(...values.splice(-step.takes))));
  }
  return values[0] ?? 0;
}

/** The number, which must be one. */
export function finite(value: number): number {
  if (Number.isFinite(value)) return value;
  throw new WorkflowError({
    code: 'EXPRESSION_INVALID',
    message: 'The expression has no finite result: it divides by zero, leaves the domain of a function or grows too large.',
    hint: 'Correct the numbers.',
  });
}

const tokenGrammar = new RegExp(
  [
    /(?<grouped>[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?)/,
    /(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)/,
    /(?<call>[A-Za-z_$][\w$]*)\s*\(/,
    /(?<name>[A-Za-z_$][\w$]*)/,
    /(?<symbol>\*\*|\S)/, // takes whatever the others leave, so that no character is skipped
  ]
    .map(({ source }) => source)
    .join('|'),
  'gu',
);

/** Parentheses that are open, or the whole expression: those of a function call count its arguments. */
interface Group {
  readonly called?: NamedFunction | undefined;
  arguments: number;
  /** Those that wait for what stands behind them. */
  readonly waiting: Operator[];
}

/** An expression in the order in which it is worked out: values, and steps that take the last of them. */
function stepsOf(expression: string): readonly (number | Step)[] {
  if (expression.length > maxExpressionChars) throw invalid(maxExpressionChars, `is longer than ${maxExpressionChars} characters`);
  // Only full-width forms: all of NFKC would turn 2² into 22.
  const halfWidth = expression.replace(/[\uff01-\uff5e]/g, (character) => character.normalize('NFKC'));
  const text = halfWidth.replace(/(?:=\s*\??|\?)\s*$/, '').trimEnd();
  const steps: (number | Step)[] = [];
  let group: Group = { arguments: 1, waiting: [] };
  const around: Group[] = [];
  /** Those that bind at least so tightly have both their sides now. */
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
      if (around.length === maxNesting) throw refuse(`has more than ${maxNesting} parentheses inside one another`);
      const called = functions.get(call ?? '');
      if (call !== undefined && !called) throw refuse(`calls "${call}", which is not a function of the calculator`);
      around.push(group);
      group = { called, arguments: 1, waiting: [] };
    } else if (wantsValue && name !== undefined) {
      const value = constants.get(name);
      if (value === undefined) throw refuse(`uses "${name}", which is not a constant of the calculator`);
      steps.push(value);
      wantsValue = false;
    } else if (wantsValue && (number !== undefined || grouped !== undefined)) {
      if (grouped !== undefined && [group, ...around].some(({ called }) => called)) {
        throw refuse(`has "${token}" in a function call, which is one number or several (put a space after a comma between arguments)`);
      }
      const value = Number(token.replaceAll(',', ''));
      if (!Number.isFinite(value)) throw refuse('has a number that is too large');
      steps.push(value);
      wantsValue = false;
    } else if (!wantsValue && sign === ')' && around.length > 0) {
      const { called, arguments: count } = group;
      if (called && (count < called.minArguments || count > called.maxArguments)) {
        throw refuse('calls a function with the wrong number of arguments');
      }
      settle(0);
      if (called) steps.push({ run: called.run, takes: count });
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
