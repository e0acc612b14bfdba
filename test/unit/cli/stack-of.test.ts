import { toErrorInfo, WorkflowError } from 'agent-machines';
import { afterEach, describe, expect, it } from 'vitest';
import { stackOf, stackToShow } from '../../../src/cli/stack-of.ts';

const frames = [
  'at charge (file:///home/kim/pay.ts:13:9)',
  'at node:internal/process:1:1',
  'at run (/home/kim/node_modules/x/index.js:1:1)',
];
const failing = (error: Error, lines: readonly string[] = frames): Error =>
  Object.assign(error, { stack: [`${error.name}: ${error.message}`, ...lines.map((line) => `    ${line}`)].join('\n') });
const own = new URL('../../../src/engine/x.ts', import.meta.url).href;

const { argv } = process;
afterEach(() => {
  process.argv = argv;
});

describe('stackOf', () => {
  it('keeps the frames of the user, and counts those of Node, of packages and of this program', () => {
    expect(stackOf(failing(new Error('no'), [...frames, `at step (${own}:1:1)`]))).toBe(
      'Error: no\n    at charge (file:///home/kim/pay.ts:13:9)\n    … 3 internal frames (--verbose shows them)',
    );
  });

  it('prints every error of a chain and of an AggregateError, each folded', () => {
    const both = [failing(new Error('one')), failing(new Error('two'))];
    const error = failing(new AggregateError(both, 'all', { cause: failing(new TypeError('deep')) }));
    expect(stackOf(error).match(/^.*(?:Error: |internal).*$/gm)).toEqual([
      'AggregateError: all',
      '    … 2 internal frames (--verbose shows them)',
      'Error 1 of 2: Error: one',
      '    … 2 internal frames (--verbose shows them)',
      'Error 2 of 2: Error: two',
      '    … 2 internal frames (--verbose shows them)',
      'Caused by: TypeError: deep',
      '    … 2 internal frames (--verbose shows them)',
    ]);
  });

  it('keeps all frames with --verbose', () => {
    process.argv = ['node', 'bin', 'run', '--verbose'];
    expect(stackOf(failing(new Error('no')))).toContain('node:internal');
  });

  it('ignores --verbose when it is part of a question', () => {
    process.argv = ['node', 'bin', 'run', '--', '--verbose'];
    expect(stackOf(failing(new Error('no')))).not.toContain('node:internal');
  });

  it('ends for a circle, for a long chain and for values that throw on access', () => {
    const circle: { cause?: unknown } & Error = new Error('round');
    circle.cause = circle;
    expect(stackOf(circle).match(/round/g)).toHaveLength(1);
    let chain = new Error('end');
    for (let n = 0; n < 10_000; n++) chain = new Error('x'.repeat(1_000), { cause: chain });
    expect(stackOf(chain).length).toBeLessThan(25_000);
    const trap = new Proxy(new Error('no'), {
      get() {
        throw new Error('trap');
      },
    });
    expect(stackOf(trap)).toBe('The thrown value cannot be printed.');
    expect(stackOf(Object.create(null))).toBe('The thrown value cannot be printed.');
  });

  it('removes secrets and control characters', () => {
    const printed = stackOf(failing(new Error('no', { cause: new Error('Bearer abcdefghijklmnop1234567890 \u001b[2J') })));
    expect(printed).not.toContain('abcdefghijklmnop1234567890');
    expect(printed).not.toContain('\u001b');
  });
});

describe('stackToShow', () => {
  it('returns the stack of an error without a code', () => {
    expect(stackToShow(toErrorInfo(failing(new Error('no'))))).toContain('pay.ts:13:9');
  });

  it('returns the stack of an error with a code only with --verbose', () => {
    const error = toErrorInfo(new WorkflowError({ code: 'NODE_TIMEOUT', message: 'late' }));
    expect(stackToShow(error)).toBeUndefined();
    process.argv = ['node', 'bin', '--verbose'];
    expect(stackToShow(error)).toContain('late');
  });

  it('returns undefined for a copy of an error', () => {
    expect(stackToShow({ ...toErrorInfo(new Error('no')) })).toBeUndefined();
  });
});
