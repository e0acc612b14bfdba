import { WorkflowError } from 'agent-machines';
import { calculator } from 'agent-machines/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoint } from '../../../fixtures/code-point.ts';
import { plainInputOf } from '../../../fixtures/plain-input.ts';
import { share } from '../../../fixtures/share.ts';

const tool = calculator();
const run = (expression: string, signal = new AbortController().signal) =>
  tool.execute({ expression }, { signal, idempotencyKey: 'key', attempt: 1 });

async function refusal(expression: string): Promise<WorkflowError> {
  const outcome: unknown = await run(expression).catch((error: unknown) => error);
  if (!WorkflowError.isInstance(outcome)) throw new Error(`${expression} gave ${JSON.stringify(outcome)}`);
  expect(outcome.code).toBe('EXPRESSION_INVALID');
  return outcome;
}

describe('calculator', () => {
  it('is a pure tool that touches nothing', async () => {
    expect(tool).toMatchObject({
      name: 'calculator',
      effect: 'pure',
      capabilities: { private: false, untrusted: false, external: false },
    });
    expect(await plainInputOf(tool)).toEqual({ expression: 'x' });
  });

  it('returns the expression unchanged', async () => {
    await expect(run(' 1,200 × 3 = ')).resolves.toEqual({ expression: ' 1,200 × 3 = ', result: 3600 });
  });

  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['100 / 10 / 5', 2],
    ['17 % 5', 2],
    ['-17 % 5', -2],
    ['-2^2', -4],
    ['(-2)^2', 4],
    ['2^3^2', 512],
    ['2^-1', 0.5],
    ['--3', 3],
    ['2 - -3', 5],
    ['1.5e3 + .5', 1500.5],
    ['2E+2', 200],
    ['0 * -1', 0],
  ])('calculates %s', async (expression, result) => {
    await expect(run(expression)).resolves.toEqual({ expression, result });
  });

  it.each([
    ['abs(-3)', 3],
    ['ceil(1.2)', 2],
    ['floor(-1.2)', -2],
    ['round(2.5)', 3],
    ['sqrt(16)', 4],
    ['cbrt(-27)', -3],
    ['exp(0)', 1],
    ['ln(E)', 1],
    ['log10(1000)', 3],
    ['log2(8)', 3],
    ['sin(PI / 2)', 1],
    ['cos(0)', 1],
    ['tan(0)', 0],
    ['asin(1) * 2 - PI', 0],
    ['acos(1)', 0],
    ['atan(1) * 4 - PI', 0],
    ['min(3, 1, 2)', 1],
    ['max(3)', 3],
    ['pow(2, 10)', 1024],
    ['sign(-9)', -1],
    ['trunc(-1.9)', -1],
    ['hypot(3, 4)', 5],
    ['-sqrt(4)^2', -4],
    ['max(min(5, 9), (1 + 1) * 2)', 5],
  ])('supports the function in %s', async (expression, result) => {
    await expect(run(expression)).resolves.toEqual({ expression, result });
  });

  it.each([
    ['6 × 7', 42],
    ['84÷2', 42],
    ['50 − 8', 42],
    ['−2 + 3', 1],
    ['6·7', 42],
    ['2**10', 1024],
    ['2 ** 3 ** 2', 512],
    ['1,234,567.5 + 1', 1_234_568.5],
    ['(1,000) / 4', 250],
    ['１２＋３＊（４－１）', 21],
    ['１，０００．５　＊　２', 2001],
    ['ｓｑｒｔ（９）', 3],
    ['\n\t 1 +\u00a01 ', 2],
    ['1 + 1 =', 2],
    ['1+1?', 2],
    ['1 + 1 = ?', 2],
    ['１＋１＝？', 2],
    ['max(1, 234)', 234],
    ['max(1,2)', 2],
    ['max(1234,567)', 1234],
  ])('accepts what people type: %j', async (expression, result) => {
    await expect(run(expression)).resolves.toEqual({ expression, result });
  });

  it.each([
    ['0.1 + 0.2', 0.3],
    ['1 / 3', 0.333333333333333],
    ['2 / 3 * 1e20', 66_666_666_666_666_700_000],
  ])('rounds %s to 15 significant digits', async (expression, result) => {
    await expect(run(expression)).resolves.toEqual({ expression, result });
  });

  it.each([
    ["constructor.constructor('return process')()", 1],
    ["import('fs')", 1],
    ['this', 1],
    ['__proto__', 1],
    ['toString()', 1],
    ['valueOf', 1],
    ['hasOwnProperty(1)', 1],
    ['a=1', 1],
    ['PI=3', 3],
    ['[1,2]', 1],
    ['"x"', 1],
    ["1 + 'x'", 5],
    ['x=>x', 1],
    ['1;2', 2],
    ['f(x)=x', 1],
    ['PI.x', 3],
    ['1 ? 2 : 3', 3],
    ['1 < 2', 3],
    ['1 == 1', 3],
    ['3!', 2],
    ['1 or 2', 3],
    ['1 in 2', 3],
    ['random()', 1],
    ['fac(3)', 1],
    ['if(1, 2, 3)', 1],
    ['atan2(1, 2)', 1],
    ['pi', 1],
    ['0x10', 2],
    ['1_000', 2],
    ['1n', 2],
    ['1 /* 2 */', 4],
    ['2²', 2],
    ['½', 1],
    ['𝟏 + 1', 1],
    ['\0', 1],
    ['\ud800', 1],
    ['1\u200b', 2],
  ])('refuses %j at position %i', async (expression, position) => {
    expect((await refusal(expression)).data).toEqual({ position });
  });

  it.each([
    ['', 1],
    ['  =', 1],
    ['=1', 1],
    ['1 ==', 3],
    ['1 ?? ', 3],
    ['+1', 1],
    ['1 +', 4],
    ['1 + + 2', 5],
    ['* 2', 1],
    ['2 * * 3', 5],
    ['6××7', 3],
    ['1 2', 3],
    ['1.2.3', 4],
    ['5.', 2],
    ['2PI', 2],
    ['2(3)', 2],
    ['(1)(2)', 4],
    ['PI(2)', 1],
    ['sqrt 4', 1],
    ['sqrt', 1],
    ['min()', 5],
    ['min(1,)', 7],
    ['sqrt(1, 2)', 10],
    ['pow(2)', 6],
    ['pow(1, 2, 3)', 12],
    ['()', 2],
    ['(1', 3],
    ['1)', 2],
    ['(1, 2)', 3],
    ['max((1, 2))', 7],
    ['50%', 4],
  ])('refuses %j, which is not an expression, at position %i', async (expression, position) => {
    expect((await refusal(expression)).data).toEqual({ position });
  });

  it.each([
    ['1,23', 2],
    ['1234,567', 5],
    ['1,234,56', 6],
    ['0,123', 2],
    ['1, 234', 2],
    ['1.5,200', 4],
    ['1,234e5', 6],
    ['max(1,234)', 5],
    ['max(1,234,5)', 5],
    ['sqrt((1,234))', 7],
    ['max(2 * (1,234), 3)', 10],
  ])('refuses the ambiguous comma of %s', async (expression, position) => {
    expect((await refusal(expression)).data).toEqual({ position });
  });

  it.each([
    '2**10**10',
    '1/0',
    '0/0',
    '5 % 0',
    'sqrt(-1)',
    'ln(0)',
    '1 / (1 / 0)',
    'min(1/0, 5)',
    '1e308 * 10 - 1',
    '1.7976931348623157e308',
  ])('refuses %s, which has no finite result', async (expression) => {
    expect((await refusal(expression)).message).toContain('no finite result');
  });

  it('refuses a number that is too large, at its position', async () => {
    expect((await refusal('1e400')).data).toEqual({ position: 1 });
    expect((await refusal('1 / 1e400')).data).toEqual({ position: 5 });
  });

  it('accepts at most 500 characters', async () => {
    await expect(run(`1${'+1'.repeat(249)} `)).resolves.toMatchObject({ result: 250 });
    expect((await refusal(`${'1+'.repeat(250)}1`)).data).toEqual({ position: 501 });
    expect((await refusal('('.repeat(10_000) + ')'.repeat(10_000))).data).toEqual({ position: 501 });
  });

  it('accepts at most 50 nested parentheses', async () => {
    await expect(run(`${'('.repeat(50)}7${')'.repeat(50)}`)).resolves.toMatchObject({ result: 7 });
    expect((await refusal(`${'('.repeat(51)}7${')'.repeat(51)}`)).data).toEqual({ position: 51 });
    expect((await refusal(`${'abs('.repeat(51)}7${')'.repeat(51)}`)).data).toEqual({ position: 201 });
  });

  it('refuses undeclared arguments', async () => {
    const context = { signal: new AbortController().signal, idempotencyKey: 'key', attempt: 1 };
    await expect(tool.execute({ expression: '1', x: 2 }, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
  });

  it('throws the reason of an abort', async () => {
    const reason = new Error('stop');
    await expect(run('1', AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('evaluates an arithmetic tree to its value', async () => {
    await fc.assert(
      fc.asyncProperty(trees, async (tree) => {
        const expression = print(tree, 0);
        fc.pre(expression.length <= 500);
        const expected = Number(evaluate(tree).toPrecision(15));
        if (Number.isFinite(expected)) await expect(run(expression)).resolves.toEqual({ expression, result: expected + 0 });
        else await refusal(expression);
      }),
      { numRuns: 1000 },
    );
  });

  it('answers random text with a number or EXPRESSION_INVALID, and leaves shared prototypes unchanged', async () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    // biome-ignore format: one line per family
    const pieces = fc.constantFrom(
      '1', '2.5', '.5', '1e3', '1,234', '0x1F', '1e400', 'PI', 'E', 'e', 'x', 'this', 'constructor', '__proto__', 'toString', 'true',
      'sqrt(', 'max(', 'pow(', 'random(', 'import(', 'fac(', '(', ')', '(', ')', '[', ']', '{', '}', ',', ', ', '.', ';', ':', '?', '=', '=>',
      '+', '-', '*', '/', '%', '^', '**', '!', '<', '&&', '||', '×', '·', '−', '"', "'", '`', '/*', '*/', '//', '\\', ' ', '\n', '＋', '²', '\0',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: codePoint }),
      fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(texts, async (expression) => {
        const outcome: unknown = await run(expression).catch((error: unknown) => error);
        if (WorkflowError.isInstance(outcome)) expect(outcome.code).toBe('EXPRESSION_INVALID');
        else expect(outcome).toEqual({ expression, result: expect.toSatisfy(Number.isFinite) });
      }),
      { numRuns: share(5_000) },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});

type Tree =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'negation'; readonly of: Tree }
  | { readonly kind: 'binary'; readonly operator: keyof typeof binding; readonly left: Tree; readonly right: Tree }
  | { readonly kind: 'call'; readonly name: keyof typeof calls; readonly values: readonly Tree[] };

const binding = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '^': 4 } as const;
const calls = { abs: Math.abs, floor: Math.floor, sqrt: Math.sqrt, cos: Math.cos, max: Math.max, hypot: Math.hypot } as const;

const trees: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      kind: fc.constant('number' as const),
      text: fc.oneof(
        fc.nat(99).map(String),
        fc.nat(999).map((n) => `${n / 10}`),
        fc.constantFrom('PI', 'E', '1e3', '.25'),
      ),
    }),
    fc.record({ kind: fc.constant('negation' as const), of: tie('tree') }),
    fc.record({
      kind: fc.constant('binary' as const),
      operator: fc.constantFrom('+', '-', '*', '/', '%', '^'),
      left: tie('tree'),
      right: tie('tree'),
    }),
    fc.record({
      kind: fc.constant('call' as const),
      name: fc.constantFrom('abs', 'floor', 'sqrt', 'cos'),
      values: fc.tuple(tie('tree')),
    }),
    fc.record({
      kind: fc.constant('call' as const),
      name: fc.constantFrom('max', 'hypot'),
      values: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    }),
  ),
})).tree;

/** Prints only the parentheses that precedence asks for: `bound` is how tightly the surroundings bind. */
function print(tree: Tree, bound: number): string {
  const grouped = (text: string, own: number): string => (own < bound ? `(${text})` : text);
  switch (tree.kind) {
    case 'number':
      return tree.text;
    case 'negation':
      return grouped(`-${print(tree.of, 3)}`, 3);
    case 'call':
      return `${tree.name}(${tree.values.map((value) => print(value, 0)).join(', ')})`;
    case 'binary': {
      const own = binding[tree.operator];
      // a power is right-associative, and a minus sign may stand at its right but not at its left
      const [left, right] = tree.operator === '^' ? [own + 1, own - 1] : [own, own + 1];
      return grouped(`${print(tree.left, left)} ${tree.operator} ${print(tree.right, right)}`, own);
    }
  }
}

/** NaN as soon as a step is not finite, as the calculator refuses then. */
function evaluate(tree: Tree): number {
  const value = evaluateStep(tree);
  return Number.isFinite(value) ? value : Number.NaN;
}

function evaluateStep(tree: Tree): number {
  switch (tree.kind) {
    case 'number':
      return tree.text === 'PI' ? Math.PI : tree.text === 'E' ? Math.E : Number(tree.text);
    case 'negation':
      return -evaluate(tree.of);
    case 'call':
      return calls[tree.name](...(tree.values.map(evaluate) as [number]));
    case 'binary': {
      const [a, b] = [evaluate(tree.left), evaluate(tree.right)];
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
      switch (tree.operator) {
        case '+':
          return a + b;
        case '-':
          return a - b;
        case '*':
          return a * b;
        case '/':
          return a / b;
        case '%':
          return a % b;
        case '^':
          return a ** b;
      }
    }
  }
}
