import { Parser } from 'expr-eval-fork';
import { z } from 'zod';
import { WorkflowError } from '../errors.ts';
import type { Tool } from '../ports/tool.ts';
import { defineTool } from './define-tool.ts';

const maxLength = 500;
const maxNesting = 50;
const significantDigits = 15;

type Operation = (...values: number[]) => number;

interface CalculatorFunction {
  readonly run: Operation;
  readonly minArguments: number;
  readonly maxArguments: number;
}

const taking = (minArguments: number, maxArguments: number, runs: Record<string, Operation>): [string, CalculatorFunction][] =>
  Object.entries(runs).map(([name, run]) => [name, { run, minArguments, maxArguments }]);

const { abs, ceil, floor, round, sqrt, cbrt, exp, log: ln, log10, log2, sin, cos, tan, asin, acos, atan, sign, trunc } = Math;
const functions: ReadonlyMap<string, CalculatorFunction> = new Map([
  ...taking(1, 1, { abs, ceil, floor, round, sqrt, cbrt, exp, ln, log10, log2, sin, cos, tan, asin, acos, atan, sign, trunc }),
  ...taking(2, 2, { pow: Math.pow }),
  ...taking(1, Number.POSITIVE_INFINITY, { min: Math.min, max: Math.max, hypot: Math.hypot }),
]);

const constants: ReadonlyMap<string, number> = new Map([
  ['PI', Math.PI],
  ['E', Math.E],
]);

const binaryOperators: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['+', (a = 0, b = 0) => a + b],
  ['-', (a = 0, b = 0) => a - b],
  ['*', (a = 0, b = 0) => a * b],
  ['/', (a = 0, b = 0) => a / b],
  ['%', (a = 0, b = 0) => a % b],
  ['^', (a = 0, b = 0) => a ** b],
]);

/** What people type for an operator, and how the parser spells it. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['×', '*'],
  ['·', '*'],
  ['÷', '/'],
  ['−', '-'],
  ['**', '^'],
]);

const input = z.strictObject({ expression: z.string().describe(`For example (2 + 3) * sqrt(16). At most ${maxLength} characters.`) });

/**
 * The tool `calculator`: arithmetic with `+ - * / % ^`, parentheses, `PI`, `E` and the usual functions.
 *
 * A call throws `EXPRESSION_INVALID` for anything else, with the position of the first character that is wrong, from 1, as
 * `data.position`; and for a result that is not a finite number. Results have 15 significant digits. Nothing is ever evaluated as code.
 *
 * @example await calculator().execute({ expression: '1,200 × 3' }, context) // { expression: '1,200 × 3', result: 3600 }
 */
export function calculator(): Tool {
  const parser = restrictedParser();
  return defineTool({
    name: 'calculator',
    description:
      `Calculates with + - * / % (remainder) ^, parentheses, the constants ${[...constants.keys()].join(' and ')}, ` +
      `and the functions ${[...functions.keys()].join(' ')}. Angles are in radians.`,
    effect: 'pure',
    capabilities: { private: false, untrusted: false, external: false },
    primaryInput: 'expression',
    input,
    async execute({ expression }, { signal }) {
      signal.throwIfAborted();
      const value = parser.evaluate(toParserText(expression));
      // rounding up the largest numbers makes them infinite
      return { expression, result: finite(Number(value.toPrecision(significantDigits))) };
    },
  });
}

/** A parser whose tables hold what is allowed and nothing else, not even a prototype; the options stop what needs no table. */
function restrictedParser(): Parser {
  const options = { allowMemberAccess: false, operators: { assignment: false, conditional: false, fndef: false } };
  return Object.assign(new Parser(options), {
    functions: table([...functions].map(([name, { run }]) => [name, run])),
    binaryOps: table(binaryOperators),
    unaryOps: table([['-', (value = 0) => -value]]),
    ternaryOps: table([]),
    consts: Object.assign(Object.create(null), Object.fromEntries(constants)),
  });
}

/** Every step is checked, for `1 / (1 / 0)` would else be 0. */
const table = (operations: Iterable<readonly [string, Operation]>): Record<string, Operation> =>
  Object.assign(
    Object.create(null),
    Object.fromEntries([...operations].map(([name, run]): [string, Operation] => [name, (...values) => finite(run(...values))])),
  );

function finite(value: number): number {
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

/** Checks the whole grammar on tokens of our own and spells them for the parser: it never sees the caller's text. */
function toParserText(expression: string): string {
  if (expression.length > maxLength) throw invalid(maxLength, `is longer than ${maxLength} characters`);
  // Only full-width forms: all of NFKC would turn 2² into 22.
  const halfWidth = expression.replace(/[\uff01-\uff5e]/g, (character) => character.normalize('NFKC'));
  const text = halfWidth.replace(/(?:=\s*\??|\?)\s*$/, '').trimEnd();
  const words: string[] = [];
  /** Parentheses that are open: those of a function call count its arguments. */
  const open: { readonly called?: CalculatorFunction; arguments: number }[] = [];
  let wantsValue = true;

  for (const { index, groups = {}, 0: token } of text.matchAll(tokenGrammar)) {
    const refuse = (what: string): WorkflowError => invalid(index, what);
    const { grouped, number, call, name, symbol = '' } = groups;
    const operator = spellings.get(symbol) ?? symbol;
    const innermost = open.at(-1);

    if (wantsValue && operator === '-') {
      words.push('-');
    } else if (wantsValue && (operator === '(' || call !== undefined)) {
      if (open.length === maxNesting) throw refuse(`has more than ${maxNesting} parentheses inside one another`);
      const called = functions.get(call ?? '');
      if (call !== undefined && !called) throw refuse(`calls "${call}", which is not a function of the calculator`);
      open.push({ ...(called ? { called } : {}), arguments: 1 });
      words.push(...(call === undefined ? ['('] : [call, '(']));
    } else if (wantsValue && name !== undefined) {
      if (!constants.has(name)) throw refuse(`uses "${name}", which is not a constant of the calculator`);
      words.push(name);
      wantsValue = false;
    } else if (wantsValue && (number !== undefined || grouped !== undefined)) {
      if (grouped !== undefined && open.some(({ called }) => called)) {
        throw refuse(`has "${token}" in a function call, which is one number or several (put a space after a comma between arguments)`);
      }
      const digits = token.replaceAll(',', '');
      if (!Number.isFinite(Number(digits))) throw refuse('has a number that is too large');
      words.push(digits);
      wantsValue = false;
    } else if (!wantsValue && operator === ')' && innermost) {
      const { called, arguments: count } = innermost;
      if (called && (count < called.minArguments || count > called.maxArguments)) {
        throw refuse('calls a function with the wrong number of arguments');
      }
      open.pop();
      words.push(')');
    } else if (!wantsValue && operator === ',' && innermost?.called) {
      innermost.arguments++;
      words.push(',');
      wantsValue = true;
    } else if (!wantsValue && binaryOperators.has(operator)) {
      words.push(operator);
      wantsValue = true;
    } else {
      throw refuse(`has an unexpected ${JSON.stringify(token)}`);
    }
  }
  if (wantsValue) throw invalid(text.length, 'ends where a number is missing');
  if (open.length > 0) throw invalid(text.length, 'ends where a ")" is missing');
  return words.join(' ');
}

function invalid(index: number, what: string): WorkflowError {
  return new WorkflowError({
    code: 'EXPRESSION_INVALID',
    message: `The expression ${what}, at position ${index + 1}.`,
    hint: `Use numbers, + - * / % ^, parentheses, ${[...constants.keys(), ...functions.keys()].join(', ')}.`,
    data: { position: index + 1 },
  });
}
