import { executeCalls, type PythonReplOptions, parseToolCall, pythonRepl } from 'agent-machines/tools';
import { montySandbox } from 'agent-machines/tools/python';
import { describe, expect, it } from 'vitest';
import { montyUrl } from '../../../fixtures/monty/monty-url.ts';
import { plainInputOf } from '../../../fixtures/plain-input.ts';

const sandbox = montySandbox({ moduleUrl: montyUrl });
const context = { signal: new AbortController().signal, idempotencyKey: 'call-1', attempt: 1 };
const call = (code: string, options: Partial<PythonReplOptions> = {}) => pythonRepl({ sandbox, ...options }).execute({ code }, context);

/** As an agent calls it: the model's text through the gate, the call through the executor. */
async function asAgent(code: string) {
  const tools = [pythonRepl({ sandbox })];
  const asked = parseToolCall({ id: 'call-1', name: 'python_repl', arguments: JSON.stringify({ code }) }, { tools });
  const { results, taint } = await executeCalls([asked], { tools });
  return { ...results[0], taint };
}

describe('pythonRepl', () => {
  it('returns the printed text and the value of the last expression', async () => {
    expect(await call("rates = [0.1, 0.2]\nprint('두 가지')\nsum(rates)")).toEqual({
      stdout: '두 가지\n',
      result: 0.1 + 0.2,
      truncated: false,
    });
  });

  it('is pure, takes a plain string as its code, and sends nothing out', async () => {
    const tool = pythonRepl({ sandbox });
    expect(tool).toMatchObject({
      name: 'python_repl',
      effect: 'pure',
      risk: 'high',
      capabilities: { private: false, untrusted: true, external: false },
    });
    expect(await plainInputOf(tool)).toEqual({ code: 'x' });
    expect(tool.unavailable).toBeUndefined();
  });

  it('is unavailable unless it is allowed', async () => {
    expect(pythonRepl({ sandbox: undefined }).unavailable).toBe('Python is off. Turn it on with --allow-python.');
    await expect(call('1', { sandbox: undefined })).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE', message: /--allow-python/ });
  });

  it('is unavailable without the interpreter, and names the command to install it', async () => {
    const missing = montySandbox();
    expect(pythonRepl({ sandbox: missing }).unavailable).toMatch(/npm install @pydantic\/monty/);
    await expect(call('1', { sandbox: missing })).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE' });
  });

  it.each([
    ['no code', {}],
    ['empty code', { code: '' }],
    ['code of more than 20,000 characters', { code: '#'.repeat(20_001) }],
    ['another argument', { code: '1', packages: ['numpy'] }],
  ])('refuses %s', async (_name, args) => {
    await expect(pythonRepl({ sandbox }).execute(args, context)).rejects.toMatchObject({ code: 'TOOL_INPUT_INVALID' });
  });

  it('accepts code of 20,000 characters', async () => {
    expect(await call(`7#${'#'.repeat(19_998)}`)).toMatchObject({ result: 7 });
  });

  it.each([
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['maxMemoryBytes', { maxMemoryBytes: 1.5 }],
    ['maxOutputBytes', { maxOutputBytes: -1 }],
  ])('refuses an invalid %s', (option, options) => {
    expect(() => pythonRepl({ sandbox, ...options })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID', data: { option } }));
  });

  it('passes its limits to the sandbox', async () => {
    await expect(call('while True:\n  pass', { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'PYTHON_TIMEOUT',
      data: { timeoutMs: 200 },
    });
    await expect(call('[0] * 10**7', { maxMemoryBytes: 10_000_000 })).rejects.toMatchObject({ code: 'PYTHON_MEMORY' });
    expect(await call("print('abc')", { maxOutputBytes: 2 })).toEqual({ stdout: 'ab', result: null, truncated: true });
  });

  it("fails a call with the Python error's type, message and line, so that the model can correct it", async () => {
    expect(await asAgent('x = 1\nx / 0')).toMatchObject({
      status: 'failure',
      error: {
        code: 'PYTHON_ERROR',
        message: 'ZeroDivisionError: division by zero (line 2)',
        data: { type: 'ZeroDivisionError', line: 2 },
        retryable: false,
      },
    });
  });

  it('keeps the longest output within its own limit, including control characters', async () => {
    expect(await asAgent("print('\\x01' * 100_000, end='')\n'\\x02' * 100_000")).toMatchObject({
      status: 'success',
      output: { stdout: '\u0001'.repeat(65_536), result: '\u0002'.repeat(65_536), truncated: true },
    });
  });

  it('leaves the thread free to send data out', async () => {
    expect(await asAgent('1')).toMatchObject({ status: 'success', taint: { private: false, untrusted: true } });
  });
});
