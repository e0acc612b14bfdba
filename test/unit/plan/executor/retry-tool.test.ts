import { type ErrorInfo, type Json, type Tool, type ToolContext, WorkflowError } from 'agent-machines';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type RetryToolOptions, retryTool, type ToolOutcome } from '../../../../src/plan/executor/retry-tool.ts';
import { drain } from '../../../fixtures/text-tools.ts';

interface Timer {
  readonly delayMs: number;
  readonly fire: () => void;
  cancelled: boolean;
}

/** A clock whose timers go off when the test says so. */
function manualClock(): RetryToolOptions['clock'] & { readonly timers: Timer[] } {
  const timers: Timer[] = [];
  return {
    timers,
    schedule(delayMs, callback) {
      const timer: Timer = { delayMs, cancelled: false, fire: () => timer.cancelled || callback() };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    },
  };
}

const toolOf = (execute: Tool['execute'], more: Partial<Tool> = {}): Tool => ({
  name: 'tool',
  inputSchema: { type: 'object' },
  effect: 'idempotent',
  execute,
  ...more,
});

const attempt = (
  tool: Tool,
  { signal = new AbortController().signal, clock = manualClock() }: Partial<RetryToolOptions> = {},
): Promise<ToolOutcome> => retryTool(tool, { text: 'x' }, { signal, idempotencyKey: 'key-1', clock });

const returning = (value: unknown, more: Partial<Tool> = {}): Promise<ToolOutcome> => attempt(toolOf(async () => value as Json, more));
const throwing = (thrown: unknown, more: Partial<Tool> = {}): Promise<ToolOutcome> => attempt(toolOf(() => Promise.reject(thrown), more));

const never = (): Promise<never> => new Promise(() => {});
const busy = (): WorkflowError => new WorkflowError({ code: 'FETCH_FAILED', message: 'Busy.', hint: 'Wait.', retryable: true });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('retryTool', () => {
  it('passes the arguments, a key and the attempt number to the tool', async () => {
    const calls: [unknown, ToolContext][] = [];
    const tool = toolOf(async (args, context) => {
      calls.push([args, context]);
      return { answer: 42 };
    });
    expect(await attempt(tool)).toEqual({ attempts: 1, output: { answer: 42 } });
    expect(calls).toEqual([[{ text: 'x' }, { signal: expect.any(AbortSignal), idempotencyKey: 'key-1', attempt: 1 }]]);
  });

  it('returns a frozen copy of the output', async () => {
    const value = { rows: [{ a: 1 }] };
    const result = await returning(value);
    value.rows.push({ a: 2 });
    expect(result).toEqual({ attempts: 1, output: { rows: [{ a: 1 }] } });
    expect(Object.isFrozen('output' in result && result.output)).toBe(true);
    expect(Object.isFrozen(value)).toBe(false);
  });

  it('accepts the value of a synchronous tool', async () => {
    expect(await attempt(toolOf((() => 'now') as unknown as Tool['execute']))).toEqual({ attempts: 1, output: 'now' });
  });
});

describe('retryTool: failures', () => {
  it.each<[string, unknown, string]>([
    ['an Error', new TypeError('no such host'), 'no such host'],
    ['a text', 'no', 'no'],
    ['a number', 42, '42'],
    ['a bigint', 10n, '10'],
    ['a symbol', Symbol('no'), 'Symbol(no)'],
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an object', { reason: 'no' }, '[object Object]'],
    ['an object with a message', { message: 'no' }, 'no'],
    ['an object without a prototype', Object.create(null), 'The thrown value cannot be printed.'],
    [
      'an error that cannot be read',
      {
        get message() {
          throw new Error('hands off');
        },
      },
      'The thrown value cannot be printed.',
    ],
  ])('are values, also when %s is thrown', async (_, thrown, message) => {
    const failed = {
      attempts: 1,
      error: expect.objectContaining({ name: 'WorkflowError', code: 'TOOL_FAILED', message }),
      cause: expect.objectContaining({ code: 'UNKNOWN', message }),
    };
    expect(await throwing(thrown)).toEqual(failed);
    const atOnce = toolOf(() => {
      throw thrown;
    });
    expect(await attempt(atOnce)).toEqual(failed);
  });

  it('shows the model at most 1,000 characters, and no secret', async () => {
    const long = await throwing(new Error('x'.repeat(20_000)));
    expect(long).toMatchObject({ error: { message: expect.stringMatching(/^x{900,1000}…?$/) } });
    const leaking = await throwing(new Error('no connection to postgres://app:hunter2-secret@db/prod with sk-abcdefghijklmnop1234'));
    expect(JSON.stringify(leaking)).not.toMatch(/hunter2|abcdefghijklmnop/);
    expect(leaking).toMatchObject({ error: { code: 'TOOL_FAILED', message: expect.stringContaining('no connection to') } });
  });

  it('hides the error of a tool with hidden errors, unless it is a WorkflowError', async () => {
    const hiding = (error: Error) => ({ ...toolOf(() => Promise.reject(error)), errors: 'hidden' as const });
    const message = 'The tool "tool" failed.';
    expect(await attempt(hiding(new Error('/etc/passwd')))).toMatchObject({ error: { message }, cause: { message: '/etc/passwd' } });
    const own = new WorkflowError({ code: 'FILE_NOT_FOUND', message: 'Gone.' });
    expect(await attempt(hiding(own))).toMatchObject({ error: { code: 'FILE_NOT_FOUND', message: 'Gone.' } });
  });

  it('shows the model the text of a function, for an error of any kind, and keeps the original for the log', async () => {
    const saying = (thrown: Error, say: (error: ErrorInfo) => string) => attempt({ ...toolOf(() => Promise.reject(thrown)), errors: say });
    const own = new WorkflowError({ code: 'FILE_NOT_FOUND', message: 'Gone.', hint: 'Look.', data: { path: '/etc' } });
    expect(await saying(own, ({ code, message }) => `${code}, ${message} Say that the file is gone.`)).toEqual({
      attempts: 1,
      error: {
        name: 'WorkflowError',
        code: 'FILE_NOT_FOUND',
        message: 'FILE_NOT_FOUND, Gone. Say that the file is gone.',
        retryable: false,
      },
      cause: own.toJSON(),
    });
    expect(await saying(new RangeError('far'), ({ name }) => `It was a ${name}.`)).toMatchObject({
      error: { code: 'TOOL_FAILED', message: 'It was a RangeError.' },
      cause: { code: 'UNKNOWN', message: 'far' },
    });
  });

  it('cuts the text of a function at 500 characters, and removes secrets from it', async () => {
    const saying = (text: string) => attempt({ ...toolOf(() => Promise.reject(new Error('x'))), errors: () => text });
    expect(await saying('y'.repeat(20_000))).toMatchObject({ error: { message: `${'y'.repeat(499)}…` } });
    const key = 'sk-abcdefghijklmnop1234';
    expect(JSON.stringify(await saying(`${'y'.repeat(480)} with ${key}`))).not.toContain('abcdef');
  });

  it('hides the error if the function throws, returns no text, or changes its argument', async () => {
    const odd = [
      () => '  ',
      () => JSON.parse('null'),
      () => Reflect.apply(() => Promise.reject(new Error('late')), undefined, []),
      () => Object.assign(Object.create(null), { toString: 1 }),
      () => {
        throw new Error('/etc/passwd');
      },
      (error: ErrorInfo) => {
        Object.assign(error, { message: 'changed', code: 'FILE_NOT_FOUND' });
        return '';
      },
    ];
    for (const errors of odd) {
      expect(await attempt({ ...toolOf(() => Promise.reject(new Error('/etc/passwd'))), errors })).toMatchObject({
        error: { code: 'TOOL_FAILED', message: 'The tool "tool" failed.' },
        cause: { message: '/etc/passwd' },
      });
    }
  });

  it('keep a WorkflowError in full, and the cause of any other error apart', async () => {
    expect(await throwing(new RangeError('far'))).toEqual({
      attempts: 1,
      error: {
        name: 'WorkflowError',
        code: 'TOOL_FAILED',
        message: 'far',
        hint: expect.stringContaining('other arguments'),
        retryable: false,
      },
      cause: { name: 'RangeError', code: 'UNKNOWN', message: 'far', retryable: false },
    });
    const long = await throwing(new Error('x'.repeat(20_000)));
    expect(long).toMatchObject({ cause: { message: expect.stringMatching(/^x{3000,4000}…?$/) } });
    const own = new WorkflowError({ code: 'FILE_NOT_FOUND', message: 'Gone.', hint: 'Look.', data: { path: 'a' } });
    expect(await throwing(own)).toEqual({ attempts: 1, error: own.toJSON() });
  });
});

describe('retryTool: time-out', () => {
  it('aborts a slow attempt, and stops waiting for it', async () => {
    const clock = manualClock();
    let heard: unknown;
    const tool = toolOf(
      (_, { signal }) => {
        signal.addEventListener('abort', () => {
          heard = signal.reason;
        });
        return never();
      },
      { timeoutMs: 250 },
    );
    const result = attempt(tool, { clock });
    await drain();
    expect(clock.timers.map(({ delayMs }) => delayMs)).toEqual([250]);
    clock.timers[0]?.fire();
    const error = {
      name: 'WorkflowError',
      code: 'TOOL_TIMEOUT',
      message: 'The tool "tool" did not finish within 250 ms.',
      hint: expect.stringMatching(/./),
      retryable: true,
      data: { tool: 'tool', timeoutMs: 250 },
    };
    expect(await result).toEqual({ attempts: 1, error });
    expect(heard).toMatchObject({ code: 'TOOL_TIMEOUT' });
  });

  it('is 30 seconds by default, and unlimited for Infinity', async () => {
    const clock = manualClock();
    await attempt(
      toolOf(async () => 1),
      { clock },
    );
    expect(clock.timers).toMatchObject([{ delayMs: 30_000 }]);
    const unlimited = manualClock();
    await attempt(
      toolOf(async () => 1, { timeoutMs: Number.POSITIVE_INFINITY }),
      { clock: unlimited },
    );
    expect(unlimited.timers).toEqual([]);
  });

  it('is cancelled when the attempt ends, in success or failure', async () => {
    const clock = manualClock();
    await attempt(
      toolOf(async () => 1),
      { clock },
    );
    await attempt(
      toolOf(() => Promise.reject(new Error('no'))),
      { clock },
    );
    expect(clock.timers.map(({ cancelled }) => cancelled)).toEqual([true, true]);
  });

  it('ignores everything that the tool does afterwards', async () => {
    const clock = manualClock();
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listener);
    try {
      let late: (error: Error) => void = () => {};
      const tool = toolOf(
        () =>
          new Promise((_, reject) => {
            late = reject;
          }),
      );
      const result = attempt(tool, { clock });
      await drain();
      clock.timers[0]?.fire();
      expect(await result).toMatchObject({ error: { code: 'TOOL_TIMEOUT' } });
      late(new Error('too late'));
      await drain();
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listener);
    }
  });

  it('restarts with each attempt', async () => {
    const clock = manualClock();
    const signals: AbortSignal[] = [];
    const tool = toolOf(
      (_, { signal, attempt: number }) => {
        signals.push(signal);
        return number === 1 ? never() : Promise.resolve('done');
      },
      { timeoutMs: 10, maxAttempts: 2 },
    );
    const result = attempt(tool, { clock });
    await drain();
    clock.timers[0]?.fire(); // the time-out
    await drain();
    clock.timers[1]?.fire(); // the pause
    expect(await result).toEqual({ attempts: 2, output: 'done' });
    expect(clock.timers.map(({ delayMs }) => delayMs)).toEqual([10, expect.any(Number), 10]);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

describe('retryTool: retries', () => {
  /** Runs a tool to its end, letting every pause pass, and tells how long the pauses were. */
  async function pausesOf(tool: Tool): Promise<{ readonly result: ToolOutcome; readonly pausesMs: readonly number[] }> {
    const pausesMs: number[] = [];
    const clock: RetryToolOptions['clock'] = {
      schedule(delayMs, callback) {
        pausesMs.push(delayMs);
        callback();
        return () => {};
      },
    };
    const result = await attempt({ ...tool, timeoutMs: Number.POSITIVE_INFINITY }, { clock });
    return { result, pausesMs };
  }

  it('repeat the call with the same key after a retryable error', async () => {
    const contexts: ToolContext[] = [];
    const tool = toolOf(
      async (_, context) => {
        contexts.push(context);
        if (context.attempt < 3) throw busy();
        return 'done';
      },
      { maxAttempts: 5 },
    );
    expect((await pausesOf(tool)).result).toEqual({ attempts: 3, output: 'done' });
    expect(contexts.map(({ attempt: number, idempotencyKey }) => [number, idempotencyKey])).toEqual([
      [1, 'key-1'],
      [2, 'key-1'],
      [3, 'key-1'],
    ]);
  });

  it('end with the last error after the last attempt', async () => {
    let calls = 0;
    const tool = toolOf(
      async () => {
        calls++;
        throw new WorkflowError({ code: 'FETCH_FAILED', message: `Busy ${calls}.`, retryable: true });
      },
      { maxAttempts: 3 },
    );
    expect((await pausesOf(tool)).result).toMatchObject({ attempts: 3, error: { code: 'FETCH_FAILED', message: 'Busy 3.' } });
    expect(calls).toBe(3);
  });

  it.each<[string, Partial<Tool>, unknown]>([
    ['an error that will not pass', { maxAttempts: 3 }, new WorkflowError({ code: 'FETCH_FAILED', message: 'No.' })],
    ['an error that says nothing of it', { maxAttempts: 3 }, new Error('No.')],
    ['a tool with one attempt', { maxAttempts: 1 }, busy()],
    ['a tool that says nothing of attempts', {}, busy()],
    ['a once tool', { maxAttempts: 3, effect: 'once' }, busy()],
    ['a tool that says nothing of its effect', { maxAttempts: 3, effect: undefined }, busy()],
    ['an output that is not JSON', { maxAttempts: 3 }, undefined],
  ])('are not made for %s', async (_, more, thrown) => {
    let calls = 0;
    const tool = toolOf(async () => {
      calls++;
      if (thrown === undefined) return new Date(0) as unknown as Json;
      throw thrown;
    }, more);
    expect((await pausesOf(tool)).result).toMatchObject({ attempts: 1, error: {} });
    expect(calls).toBe(1);
  });

  it('follow a foreign error that is marked as retryable', async () => {
    const tool = toolOf(() => Promise.reject(Object.assign(new Error('busy'), { retryable: true })), { maxAttempts: 2, effect: 'pure' });
    expect((await pausesOf(tool)).result).toMatchObject({ attempts: 2, error: { code: 'TOOL_FAILED', retryable: true } });
  });

  it('wait longer each time, up to five seconds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { pausesMs } = await pausesOf(toolOf(() => Promise.reject(busy()), { maxAttempts: 9 }));
    expect(pausesMs).toEqual([100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500]);
  });

  it('wait as long as the server requests, up to a minute', async () => {
    const asks = [2_000, 3_600_000];
    const tool = toolOf((_, { attempt: number }) => Promise.reject(Object.assign(busy(), { retryAfterMs: asks[number - 1] })), {
      maxAttempts: 3,
    });
    expect((await pausesOf(tool)).pausesMs).toEqual([2_000, 60_000]);
  });

  it('wait for a random part of the delay, so that callers spread', async () => {
    const tool = toolOf(() => Promise.reject(busy()), { maxAttempts: 40 });
    const { pausesMs } = await pausesOf(tool);
    const longest = (index: number): number => Math.min(5_000, 200 * 2 ** index);
    expect(pausesMs).toHaveLength(39);
    for (const [index, pauseMs] of pausesMs.entries()) {
      expect(pauseMs).toBeGreaterThanOrEqual(0);
      expect(pauseMs).toBeLessThan(longest(index));
    }
    expect(new Set(pausesMs).size).toBeGreaterThan(30);
  });
});

describe('retryTool: abort', () => {
  const reason = new Error('enough');

  it('prevents the call if it comes before', async () => {
    let called = false;
    const tool = (effect: Tool['effect']): Tool =>
      toolOf(
        async () => {
          called = true;
          return null;
        },
        { effect },
      );
    await expect(attempt(tool('pure'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await expect(attempt(tool('once'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(called).toBe(false);
  });

  it('reaches the tool during the call, and is thrown whatever the tool returns', async () => {
    const stop = new AbortController();
    const clock = manualClock();
    let heard: unknown;
    const tool = toolOf(
      (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            heard = signal.reason;
            resolve('partial');
          });
        }),
      { maxAttempts: 3 },
    );
    const result = attempt(tool, { signal: stop.signal, clock });
    await drain();
    stop.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(heard).toBe(reason);
    expect(clock.timers).toMatchObject([{ cancelled: true }]);
  });

  it('does not wait for a tool that ignores it', async () => {
    const stop = new AbortController();
    const result = attempt(toolOf(never), { signal: stop.signal });
    await drain();
    stop.abort(reason);
    await expect(result).rejects.toBe(reason);
  });

  it('ends a pause without another call', async () => {
    const stop = new AbortController();
    const clock = manualClock();
    let calls = 0;
    const tool = toolOf(
      async () => {
        calls++;
        throw busy();
      },
      { maxAttempts: 3 },
    );
    const result = attempt(tool, { signal: stop.signal, clock });
    await drain();
    expect(clock.timers).toHaveLength(2);
    stop.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(clock.timers[1]).toMatchObject({ cancelled: true });
    expect(calls).toBe(1);
  });

  it('leaves no listener on the signal', async () => {
    const stop = new AbortController();
    const added = vi.spyOn(stop.signal, 'addEventListener');
    const removed = vi.spyOn(stop.signal, 'removeEventListener');
    const clock: RetryToolOptions['clock'] = {
      schedule(delayMs, callback) {
        if (delayMs < 30_000) queueMicrotask(callback);
        return () => {};
      },
    };
    await attempt(
      toolOf(() => Promise.reject(busy()), { maxAttempts: 3 }),
      { signal: stop.signal, clock },
    );
    expect(added.mock.calls.length).toBeGreaterThan(0);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener));
  });
});

describe('retryTool: a once tool', () => {
  const inDoubt = {
    name: 'WorkflowError',
    code: 'CALL_IN_DOUBT',
    data: { tool: 'tool' },
    hint: expect.stringContaining('runtime.resolve'),
  };

  it.each(['once', undefined] as const)('is in doubt after its time-out (effect %s)', async (effect) => {
    const clock = manualClock();
    const result = attempt(toolOf(never, { effect, maxAttempts: 3 }), { clock });
    await drain();
    clock.timers[0]?.fire();
    await expect(result).rejects.toMatchObject({ ...inDoubt, cause: { code: 'TOOL_TIMEOUT' } });
  });

  it('is in doubt after an abort', async () => {
    const stop = new AbortController();
    const result = attempt(toolOf(never, { effect: 'once' }), { signal: stop.signal });
    await drain();
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(result).rejects.toMatchObject({ ...inDoubt, cause: reason });
  });

  it('is in doubt if it reports that itself', async () => {
    const lost = new WorkflowError({ code: 'CALL_IN_DOUBT', message: 'The connection was lost.' });
    await expect(throwing(lost, { effect: 'once' })).rejects.toMatchObject({ ...inDoubt, cause: lost });
    expect(await throwing(lost, { effect: 'pure' })).toMatchObject({ attempts: 1, error: { code: 'CALL_IN_DOUBT' } });
  });

  it('fails with its own error', async () => {
    expect(await throwing(busy(), { effect: 'once' })).toMatchObject({ attempts: 1, error: { code: 'FETCH_FAILED' } });
  });

  it('fails if its output is not JSON', async () => {
    expect(await returning(new Map(), { effect: 'once' })).toMatchObject({ attempts: 1, error: { code: 'VALUE_NOT_JSON' } });
  });
});

describe('retryTool: output that is not JSON', () => {
  class Point {
    x = 1;
  }
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
  const hole = [1, , 3];

  /** F36 of the fault matrix. */
  const kinds: readonly (readonly [kind: string, value: unknown, below: string])[] = [
    ['a bigint', 10n, ''],
    ['a function', () => 1, ''],
    ['a cycle', cycle, '.self'],
    ['a Map', new Map([['a', 1]]), ''],
    ['a Set', new Set([1]), ''],
    ['a Date', new Date(0), ''],
    ['NaN', Number.NaN, ''],
    ['Infinity', Number.POSITIVE_INFINITY, ''],
    ['-Infinity', Number.NEGATIVE_INFINITY, ''],
    ['a hole', hole, '[1]'],
    ['undefined in an array', [undefined], '[0]'],
    ['a symbol', Symbol('s'), ''],
    ['a symbol key', { [Symbol('k')]: 1 }, ''],
    ['a class instance', new Point(), ''],
    ['a RegExp', /x/, ''],
    ['an Error', new Error('no'), ''],
    ['__proto__ as a key', JSON.parse('{"__proto__":{"polluted":true}}'), '.__proto__'],
    ['bytes', new Uint8Array(2), ''],
  ];

  it.each(kinds)('fails the call: %s', async (_, value, below) => {
    const refused = (path: string): unknown => ({
      attempts: 1,
      error: expect.objectContaining({ code: 'VALUE_NOT_JSON', message: expect.stringContaining(path), data: { path } }),
    });
    expect(await returning(value)).toEqual(refused(`tool output${below}`));
    expect(await returning({ rows: [0, { cell: value }] })).toEqual(refused(`tool output.rows[1].cell${below}`));
    expect({}).not.toHaveProperty('polluted');
  });

  it('fails the call if it is missing', async () => {
    expect(await returning(undefined)).toMatchObject({ attempts: 1, error: { code: 'VALUE_NOT_JSON', data: { path: 'tool output' } } });
  });

  it('omits undefined properties, and turns -0 into 0', async () => {
    const result = await returning({ a: undefined, b: -0, c: [{ d: undefined }] });
    expect(result).toStrictEqual({ attempts: 1, output: { b: 0, c: [{}] } });
  });
});

describe('retryTool: the size of the output', () => {
  const bytes = (text: string): number => new TextEncoder().encode(text).length;

  it.each<[string, number, string]>([
    ['12345678', 8, '12345678'],
    ['12345678', 7, '1234567\n[cut: 7 of 8 bytes]'],
    ['가나다', 9, '가나다'],
    ['가나다', 8, '가나\n[cut: 8 of 9 bytes]'],
    ['가나다', 7, '가나\n[cut: 7 of 9 bytes]'],
    ['가나다', 6, '가나\n[cut: 6 of 9 bytes]'],
    ['a😀b', 6, 'a😀b'],
    ['a😀b', 4, 'a\n[cut: 4 of 6 bytes]'],
    ['abc', 0, '\n[cut: 0 of 3 bytes]'],
  ])('cuts the text %j at %i bytes, between two characters, and says so', async (text, maxOutputBytes, expected) => {
    expect(await returning(text, { maxOutputBytes })).toEqual({ attempts: 1, output: expected });
  });

  it('keeps the beginning of a long text, in whole characters within the limit', async () => {
    const character = fc.constantFrom('a', 'é', '가', '😀', '\n');
    await fc.assert(
      fc.asyncProperty(fc.array(character, { maxLength: 40 }), fc.nat({ max: 60 }), async (characters, maxOutputBytes) => {
        const text = characters.join('');
        const result = await returning(text, { maxOutputBytes });
        const output = 'output' in result ? String(result.output) : '';
        if (bytes(text) <= maxOutputBytes) {
          expect(output).toBe(text);
          return;
        }
        const kept = output.slice(0, output.lastIndexOf('\n[cut: '));
        expect(output).toBe(`${kept}\n[cut: ${maxOutputBytes} of ${bytes(text)} bytes]`);
        expect(text.startsWith(kept)).toBe(true);
        expect(bytes(kept)).toBeLessThanOrEqual(maxOutputBytes);
        const following = [...text.slice(kept.length)][0] ?? '';
        expect(bytes(kept + following)).toBeGreaterThan(maxOutputBytes);
      }),
      { numRuns: 300 },
    );
  });

  it('refuses other JSON above the limit, and keeps JSON that just fits', async () => {
    const rows = { rows: ['가나다'] }; // {"rows":["가나다"]}
    expect(await returning(rows, { maxOutputBytes: 22 })).toEqual({ attempts: 1, output: rows });
    expect(await returning(rows, { maxOutputBytes: 21 })).toEqual({
      attempts: 1,
      error: expect.objectContaining({
        code: 'TOOL_OUTPUT_TOO_LARGE',
        message: 'The tool "tool" returned 22 bytes of JSON, more than the limit of 21.',
        retryable: false,
        data: { tool: 'tool', bytes: 22, maxOutputBytes: 21 },
      }),
    });
  });

  it('is at most 65,536 bytes by default', async () => {
    expect(await returning('x'.repeat(65_536))).toEqual({ attempts: 1, output: 'x'.repeat(65_536) });
    const huge = await returning('x'.repeat(50_000_000));
    expect(huge).toEqual({ attempts: 1, output: `${'x'.repeat(65_536)}\n[cut: 65536 of 50000000 bytes]` });
    expect(await returning(['x'.repeat(65_536)])).toMatchObject({ error: { code: 'TOOL_OUTPUT_TOO_LARGE' } });
  });
});

describe('retryTool: files of an output', () => {
  const file = (bytes: number, name = 'a.png') => ({ type: 'file', mediaType: 'image/png', data: 'AAAA'.repeat(bytes / 3), name });
  const text = (text: string) => ({ type: 'text', text });

  it('do not count towards the limit of texts, and have their own', async () => {
    const output = { content: [file(3_000_000), text('x')] };
    expect(await returning(output, { maxOutputBytes: 1 })).toEqual({ attempts: 1, output });
    expect(await returning({ content: [file(4_000_002)] })).toEqual({
      attempts: 1,
      output: { content: [text('[attached: a.png, image/png, 4000002 bytes, left out: more than 4000000 bytes]')] },
    });
    expect(await returning({ content: [file(6), file(6)] }, { maxFileBytes: 11 })).toMatchObject({
      output: { content: [file(6), { type: 'text' }] },
    });
  });

  it('stay when the texts beside them are cut', async () => {
    const output = { content: [text('가나다'), file(3), text('b'), text('c')], structuredContent: [1] };
    expect(await returning(output, { maxOutputBytes: 10 })).toEqual({
      attempts: 1,
      output: { structuredContent: [1], content: [text('가나\n[cut: 7 of 9 bytes]'), file(3)] },
    });
    expect(await returning({ ...output, structuredContent: 'x'.repeat(20) }, { maxOutputBytes: 30 })).toMatchObject({
      output: { content: [text('가나\n[cut: 8 of 9 bytes]'), file(3)] },
    });
    expect(await returning({ ...output, structuredContent: ['x'.repeat(20)] }, { maxOutputBytes: 10 })).toMatchObject({
      error: { code: 'TOOL_OUTPUT_TOO_LARGE' },
    });
  });

  it.each<[object, string]>([
    [{ mediaType: 'png' }, 'content[1].mediaType'],
    [{ mediaType: 'image/png;q=1' }, 'content[1].mediaType'],
    [{ data: 'https://example.com/a.png' }, 'content[1].data'],
    [{ data: '' }, 'content[1].data'],
    [{ name: 'a\nb' }, 'content[1].name'],
  ])('fail the call with %j', async (wrong, what) => {
    expect(await returning({ content: [text('a'), { ...file(3), ...wrong }] })).toMatchObject({
      error: { code: 'TOOL_FAILED', message: expect.stringContaining(what) },
    });
  });
});

describe('retryTool: fail closed', () => {
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d attempts', async (maxAttempts) => {
    let calls = 0;
    const tool = toolOf(
      async () => {
        calls++;
        throw busy();
      },
      { maxAttempts },
    );
    await expect(attempt(tool)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(calls).toBe(0);
  });

  it('records any thrown value', async () => {
    const unreadable = {
      get kind(): string {
        throw new Error('hands off');
      },
    };
    expect(await throwing(unreadable)).toMatchObject({ error: { code: 'TOOL_FAILED' } });
    expect(await throwing({ kind: 'workflow-error' })).toMatchObject({ error: { code: 'TOOL_FAILED', message: expect.any(String) } });
    const withDate = new WorkflowError({ code: 'FETCH_FAILED', message: 'No.', data: { at: new Date() } as unknown as { at: string } });
    const { error } = (await throwing(withDate)) as { error: unknown };
    expect(error).toMatchObject({ code: 'FETCH_FAILED' });
    expect(JSON.parse(JSON.stringify(error))).toEqual(error);
  });
});
