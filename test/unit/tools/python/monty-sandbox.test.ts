import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { PythonRunOptions } from 'agent-machines';
import { montySandbox } from 'agent-machines/tools/python';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type MontyModule, runMonty } from '../../../../src/tools/python/run-monty.ts';
import { montyUrl } from '../../../fixtures/monty/monty-url.ts';
import { isDeep, someOf } from '../../../fixtures/share.ts';

const megabyte = 2 ** 20;
const sandbox = montySandbox({ moduleUrl: montyUrl });
const run = (code: string, options: Partial<PythonRunOptions> = {}) =>
  sandbox.run(code, { timeoutMs: 5_000, maxMemoryBytes: 256 * megabyte, maxOutputBytes: 65_536, ...options });
const resultOf = async (code: string) => (await run(code)).result;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'python-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('montySandbox', () => {
  it('returns the printed text and the value of the last expression', async () => {
    expect(await run("print('a', 1, sep='-')\nprint('한국어 😀')\n2 + 3")).toEqual({
      stdout: 'a-1\n한국어 😀\n',
      result: 5,
      truncated: false,
    });
  });

  it.each([
    ['no expression at the end', 'x = 1'],
    ['nothing at all', ''],
    ['None', 'None'],
  ])('returns null for %s', async (_name, code) => {
    expect(await run(code)).toEqual({ stdout: '', result: null, truncated: false });
  });

  it('returns JSON values as JSON', async () => {
    expect(await resultOf("{'a': [1, 2.5, True, None, ('x', '한')], 'b': {'c': -2**53 + 1}}")).toEqual({
      a: [1, 2.5, true, null, ['x', '한']],
      b: { c: -(2 ** 53) + 1 },
    });
  });

  it.each([
    ["float('nan')", /^NaN/],
    ["float('inf')", /^inf/],
    ["[1, float('-inf')]", /^\[1, -inf/],
    ['{1, 2}', '{1, 2}'],
    ["b'ab\\xff'", "b'ab\\xff'"],
    ['2**100', '1267650600228229401496703205376'],
    ['[2**53 + 1]', '[9007199254740993]'],
    ["{1: 'one'}", "{1: 'one'}"],
    ['{(1, 2): 3}', '{(1, 2): 3}'],
    ['...', 'Ellipsis'],
    ["ValueError('x')", "ValueError('x')"],
    ['from datetime import date\ndate(2026, 7, 1)', 'datetime.date(2026, 7, 1)'],
    ['len', '<BuiltinFunction len>'],
    ['lambda x: x', /^<function/],
  ])('returns %s as text, because JSON cannot hold it', async (code, text) => {
    expect(await resultOf(code)).toEqual(text instanceof RegExp ? expect.stringMatching(text) : text);
  });

  it('returns a circular value and a very deep one', async () => {
    expect(await resultOf('a = []\na.append(a)\na')).toEqual(['[...]']);
    expect(await resultOf('x = []\nfor i in range(100_000):\n  x = [x]\nx')).toMatch(/^\[{100}/);
  });

  it('keeps results away from prototypes', async () => {
    expect(await resultOf("{'__proto__': {'polluted': True}}")).toBe("{'__proto__': {'polluted': True}}");
    expect(await resultOf("[{'a': {'__proto__': 1}}]")).toBe("[{'a': {'__proto__': 1}}]");
    expect(await resultOf("{'constructor': {'prototype': {'polluted': True}}, 'toString': 1, 'toJSON': 2}")).toEqual({
      constructor: { prototype: { polluted: true } },
      toString: 1,
      toJSON: 2,
    });
    expect({}).not.toHaveProperty('polluted');
  });

  it.each(
    someOf([
      ['1 / 0', 'ZeroDivisionError', 1],
      ["def f(x):\n  return x['a']\n\nf({})", 'KeyError', 2],
      ['x = 1\ny = = 2', 'SyntaxError', 2],
      ['undefined_name', 'NameError', 1],
      ["raise ValueError('no')", 'ValueError', 1],
      ['class A:\n  pass', 'NotImplementedError', 1],
      ["raise TimeoutError('mine')", 'TimeoutError', 1],
      ["raise MemoryError('mine')", 'MemoryError', 1],
    ]),
  )('refuses %s with its type and line', async (code, type, line) => {
    await expect(run(code)).rejects.toMatchObject({
      code: 'PYTHON_ERROR',
      data: { type, line },
      message: expect.stringContaining(`(line ${line})`),
    });
  });

  it("cuts an error's message", async () => {
    const error = await run("raise ValueError('é' * 100_000)").catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ code: 'PYTHON_ERROR', message: `ValueError: ${'é'.repeat(1_000)} (line 1)` });
  });

  it('returns the same answer every time', async () => {
    const code = "print(hash('a'), id([]), {'b', 'a'})\nlist({'x', 'y', 'z'})";
    expect(await run(code)).toEqual(await run(code));
  });

  it('keeps concurrent runs apart', async () => {
    const runs = Array.from({ length: 4 }, (_, index) => resultOf(`x = ${index}\nx * 10`));
    expect(await Promise.all(runs)).toEqual([0, 10, 20, 30]);
  });

  it('refuses invalid limits', async () => {
    for (const limit of ['timeoutMs', 'maxMemoryBytes', 'maxOutputBytes']) {
      await expect(run('1', { [limit]: 0 })).rejects.toMatchObject({ code: 'OPTION_INVALID', data: { option: limit } });
    }
  });

  it('gives the reason that it is unavailable without the package', async () => {
    const missing = montySandbox();
    expect(missing.unavailable).toMatch(/^The package "@pydantic\/monty" is not installed\. Run: npm install @pydantic\/monty@/);
    await expect(missing.run('1', { timeoutMs: 1, maxMemoryBytes: 1, maxOutputBytes: 1 })).rejects.toMatchObject({
      code: 'TOOL_UNAVAILABLE',
    });
    expect(sandbox.unavailable).toBeUndefined();
  });

  it('refuses to run with a package that cannot be loaded', async () => {
    const moduleUrl = pathToFileURL(join(folder, 'missing.js')).href;
    const broken = montySandbox({ moduleUrl });
    await expect(broken.run('1', { timeoutMs: 1_000, maxMemoryBytes: megabyte, maxOutputBytes: 10 })).rejects.toMatchObject({
      code: 'TOOL_UNAVAILABLE',
      message: expect.stringContaining('missing.js'),
    });
  });
});

describe('a program in montySandbox', () => {
  const canary = 'canary-5d1f';

  /** In a process of its own by the deep mode, else in this one: there is more to be reached here, and most of the time goes into starting. */
  const tried = async (code: string): Promise<unknown> => {
    if (isDeep) {
      return run(code).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      );
    }
    const { Monty } = (await import(montyUrl)) as MontyModule;
    const answer = runMonty(
      { Monty },
      { moduleUrl: montyUrl, code, timeoutMs: 5_000, maxMemoryBytes: 256 * megabyte, maxOutputBytes: 65_536 },
    );
    return answer.kind === 'error' ? { error: { code: 'PYTHON_ERROR', data: answer } } : { result: answer };
  };

  it.each([
    ["import os\nos.system('id')", 'AttributeError'],
    ["import os\nos.popen('id')", 'AttributeError'],
    ["import os\nos.listdir('/')", 'AttributeError'],
    ['import os\nos.environ', 'NotImplementedError'],
    ["import os\nos.getenv('PYTHON_CANARY')", 'NotImplementedError'],
    ['import subprocess', 'ModuleNotFoundError'],
    ['import socket', 'ModuleNotFoundError'],
    ['import urllib.request', 'ModuleNotFoundError'],
    ['import ssl, http.client', 'ModuleNotFoundError'],
    ["open('/etc/passwd').read()", 'NotImplementedError'],
    ["with open('/etc/passwd') as f:\n  f.read()", 'NotImplementedError'],
    ["open('x', 'w')", 'NotImplementedError'],
    ["from pathlib import Path\nPath('/etc/passwd').read_text()", 'NotImplementedError'],
    ["from pathlib import Path\nPath('x').write_text('y')", 'NotImplementedError'],
    ["from pathlib import Path\nlist(Path('/').iterdir())", 'NotImplementedError'],
    ["from pathlib import Path\nPath('/etc').exists()", 'NotImplementedError'],
    ['import io', 'ModuleNotFoundError'],
    ['import js', 'ModuleNotFoundError'],
    ['from js import globalThis', 'ModuleNotFoundError'],
    ['import pyodide', 'ModuleNotFoundError'],
    ['import pyodide_js', 'ModuleNotFoundError'],
    ['import ctypes', 'ModuleNotFoundError'],
    ['import importlib', 'ModuleNotFoundError'],
    ['import builtins', 'ModuleNotFoundError'],
    ['import gc', 'ModuleNotFoundError'],
    ['import inspect', 'ModuleNotFoundError'],
    ['import sys\nsys.modules', 'AttributeError'],
    ['import sys\nsys._getframe()', 'AttributeError'],
    ['import sys\nsys.exit(0)', 'AttributeError'],
    ["import sys\nsys.stdout.write('x')", 'AttributeError'],
    ['import asyncio\nasyncio.create_subprocess_shell', 'AttributeError'],
    ["'{0.__class__.__mro__}'.format(1)", 'AttributeError'],
    ["'{0.__init__.__globals__}'.format_map({})", 'AttributeError'],
    ["'%(x)s' % {'x': 1}", 'TypeError'],
    ["f'{().__class__.__bases__[0].__subclasses__()}'", 'AttributeError'],
    ['().__class__.__bases__', 'AttributeError'],
    ["''.__class__.__mro__[1].__subclasses__()", 'AttributeError'],
    ["getattr((), '__class__')", 'AttributeError'],
    ["getattr(getattr(1, '__class__', None), '__base__')", 'AttributeError'],
    ["getattr(len, '__self__')", 'AttributeError'],
    ['(lambda: 0).__globals__', 'AttributeError'],
    ['(lambda: 0).__code__', 'AttributeError'],
    ['len.__self__', 'AttributeError'],
    ["setattr(len, '__call__', 1)", 'AttributeError'],
    ['try:\n  1 / 0\nexcept Exception as e:\n  e.__traceback__.tb_frame.f_globals', 'AttributeError'],
    ['try:\n  1 / 0\nexcept Exception as e:\n  e.__context__.args', 'AttributeError'],
    ["__import__('os')", 'NameError'],
    ["eval('1')", 'NameError'],
    ["exec('x = 1')", 'NameError'],
    ["compile('1', '', 'eval')", 'NameError'],
    ['__builtins__', 'NameError'],
    ['globals()', 'NameError'],
    ['vars()', 'NameError'],
    ['breakpoint()', 'NameError'],
    ["input('?')", 'NameError'],
    ['process.env', 'NameError'],
    ['globalThis', 'NameError'],
    ["require('fs')", 'NameError'],
    ['import os\nwhile True:\n  os.fork()', 'AttributeError'],
    ['import multiprocessing', 'ModuleNotFoundError'],
    ['import threading', 'ModuleNotFoundError'],
    ['from datetime import datetime\ndatetime.now()', 'NotImplementedError'],
    ['import time', 'ModuleNotFoundError'],
    ['import random', 'ModuleNotFoundError'],
  ])('reaches nothing with %j', async (code, type) => {
    vi.stubEnv('PYTHON_CANARY', canary);
    const outcome = await tried(code);
    vi.unstubAllEnvs();
    expect(outcome).toMatchObject({ error: { code: 'PYTHON_ERROR', data: { type } } });
    expect(JSON.stringify(outcome)).not.toMatch(/canary-5d1f|root:x:0/);
  });

  it('finds no double-underscore attribute that leads out, on any value', async () => {
    const values =
      "[1, 1.5, 'x', b'x', [], (), {}, {1}, None, True, len, int, print, f, ValueError('x'), range(3), math, ..., re.match('a', 'a')]";
    const names =
      "['__class__', '__bases__', '__base__', '__mro__', '__subclasses__', '__globals__', '__builtins__', '__code__', '__closure__', '__dict__', '__self__', '__module__', '__init__', '__loader__', '__spec__', '__reduce_ex__', '__getattribute__', 'gi_frame', 'f_back', 'constructor', '__proto__', 'prototype']";
    const code = `import math, re\ndef f():\n  pass\nfound = []\nfor v in ${values}:\n  for n in ${names}:\n    if hasattr(v, n):\n      found.append(n)\nfound`;
    expect(await resultOf(code)).toEqual([]);
  });

  it('writes no file', async () => {
    const path = JSON.stringify(join(folder, 'written.txt'));
    await expect(run(`from pathlib import Path\nPath(${path}).write_text('x')`)).rejects.toMatchObject({ code: 'PYTHON_ERROR' });
    expect(readdirSync(folder)).not.toContain('written.txt');
  });

  it('finds nothing of an earlier run', async () => {
    await run("secret = 1\nimport math\nmath.leak = 2\ndef print(x):\n  return 'mine'\nlen = 3").catch(() => {});
    for (const name of ['secret', 'math', 'math.leak', '_']) {
      await expect(run(name)).rejects.toMatchObject({ code: 'PYTHON_ERROR', data: { type: 'NameError' } });
    }
    expect(await run("print('x')\nlen([1])")).toEqual({ stdout: 'x\n', result: 1, truncated: false });
  });
});

describe('the limits of montySandbox', () => {
  it.each(
    someOf([
      ['an endless loop', 'while True:\n  pass'],
      ['an endless loop that catches everything', 'while True:\n  try:\n    while True:\n      pass\n  except BaseException:\n    pass'],
      ['a sum without end', 'sum(range(10**12))'],
      ['one operation that the interpreter does not interrupt', 'x = 7 ** (5 * 10**7)\n1'],
      ['another one', 'x = 10 ** (10**8)\n1'],
      ['text of a value that doubles', 'x = [1]\nfor i in range(60):\n  x = [x, x]\nprint(x)'],
    ]),
  )('end %s, while the host goes on', async (_name, code) => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 10);
    await expect(run(code, { timeoutMs: 500 })).rejects.toMatchObject({ code: 'PYTHON_TIMEOUT', data: { timeoutMs: 500 } });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it.each(
    someOf([
      ['a list of 10 GB', '[0] * (10**10 // 8)'],
      ['a list that grows', "x = []\nwhile True:\n  x.append('x' * 1000)"],
      ['a text that doubles', "x = 'a'\nwhile True:\n  x = x + x"],
      ['a text of 10 GB', "'a' * 10**10"],
      ['bytes of 10 GB', "b'a' * 10**10"],
      ['a padded text', "f'{1:10000000000}'"],
      ['one that catches everything', 'while True:\n  try:\n    x = [0] * 10**9\n  except BaseException:\n    pass'],
      ['a number of 10**10 bits', '2**10**10'],
      ['a number shifted', '1 << 10**10'],
      ['a set', 'set(range(10**9))'],
      ['what the interpreter does not count', "('ab' * 10**7).split('a')"],
      ['a result that doubles', 'x = [1]\nfor i in range(60):\n  x = [x, x]\nx'],
      ['1 GB printed at once', "print('a' * 10**9)"],
      ['1 GB printed in pieces', "for i in range(1000):\n  print('a' * 10**6)"],
    ]),
  )('refuse %s', async (_name, code) => {
    const options = { timeoutMs: 30_000 };
    await expect(run(code, options)).rejects.toMatchObject({ code: 'PYTHON_MEMORY', data: { maxMemoryBytes: 256 * megabyte } });
  });

  it.each([
    ['a recursion', 'def f(n):\n  return f(n + 1)\nf(0)'],
    ['a recursion through sorted', 'def f(x):\n  return sorted([1], key=f)\nf(1)'],
    ['a recursion through map', 'def f(x):\n  return list(map(f, [1]))\nf(1)'],
  ])('end %s when it is endless', async (_name, code) => {
    await expect(run(code)).rejects.toMatchObject({ code: 'PYTHON_ERROR', data: { type: 'RecursionError' } });
  });

  it('survive a program that crashes the interpreter', async () => {
    const code = 'import json\nx = []\nfor i in range(2 * 10**5):\n  x = [x]\njson.dumps(x)';
    await expect(run(code, { timeoutMs: 30_000, maxMemoryBytes: 4_096 * megabyte })).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining('interpreter crashed'),
    });
    expect(await resultOf('1')).toBe(1);
  });

  it.each(
    someOf([
      ['parentheses', `${'('.repeat(9_000)}1${')'.repeat(9_000)}`],
      ['minus signs', `${'-'.repeat(19_000)}1`],
      ['operators', `1${'+1'.repeat(9_000)}`],
      ['f-strings', `${'f"{'.repeat(2_000)}1${'}"'.repeat(2_000)}`],
      ['digits', '9'.repeat(20_000)],
    ]),
  )('refuse a program with thousands of %s', async (_name, code) => {
    await expect(run(code)).rejects.toMatchObject({ code: 'PYTHON_ERROR', data: { type: 'SyntaxError' } });
  });

  it.each([
    ['(a+)+$', 'a', 40],
    ['(a|aa)+$', 'a', 5_000],
    ['(.*)*(.*)*(.*)*=\\\\1', 'a', 5_000],
    ['(?:a{1000}){1000}', 'a', 10],
  ])('hold for the regular expression %s', async (pattern, letter, count) => {
    const code = `import re\ntry:\n  r = str(re.search('${pattern}', '${letter}' * ${count} + 'b'))\nexcept Exception as e:\n  r = 'refused'\nr`;
    expect(await resultOf(code)).toMatch(/^(None|refused)$/);
  });

  it('cut printed text between characters, and let the program continue', async () => {
    expect(await run("print('ab한글')\nprint('more')\n7", { maxOutputBytes: 6 })).toEqual({ stdout: 'ab한', result: 7, truncated: true });
    expect(await run("print('abc', end='')", { maxOutputBytes: 3 })).toEqual({ stdout: 'abc', result: null, truncated: false });
  });

  it('cut a result that is too long', async () => {
    expect(await run("'한' * 10", { maxOutputBytes: 7 })).toEqual({ stdout: '', result: '한한', truncated: true });
    expect(await run('list(range(100))', { maxOutputBytes: 8 })).toEqual({ stdout: '', result: '[0,1,2,3', truncated: true });
    expect(await run("{'a'}", { maxOutputBytes: 3 })).toEqual({ stdout: '', result: "{'a", truncated: true });
  });
});

describe('the process of montySandbox', () => {
  /** Longer than a test may take, and in operations that the interpreter does not interrupt. */
  const endless = 'while True:\n  x = 10 ** (10**8)';

  it('is killed by an abort, and the reason is thrown', async () => {
    const reason = new Error('no longer needed');
    const stop = new AbortController();
    const running = run(endless, { timeoutMs: 600_000, signal: stop.signal });
    setTimeout(() => stop.abort(reason), 300);
    await expect(running).rejects.toBe(reason);
  });

  it('is not started for an aborted signal', async () => {
    const reason = new Error('too late');
    await expect(run('1', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('ends with its parent process', async () => {
    const program = fileURLToPath(new URL('../../../../src/tools/python/monty-process.ts', import.meta.url));
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] });
    const request = { moduleUrl: montyUrl, code: endless, timeoutMs: 600_000, maxMemoryBytes: 2 ** 30, maxOutputBytes: 10 };
    child.stdin.write(`${JSON.stringify(request)}\n`);
    const [begun] = await once(child.stdout.setEncoding('utf8'), 'data');
    expect(begun).toBe('{"kind":"begun"}\n');
    child.stdin.end();
    const [code, signal] = await once(child, 'close');
    expect(signal ?? code).toBe('SIGKILL');
  });

  it('has an empty environment, and its answers are checked', async () => {
    const impostor = join(folder, 'impostor.mjs');
    const answering = (value: string) => writeFileSync(impostor, `export class Monty { run({ printCallback }) { ${value} } }`);
    const { run: ask } = montySandbox({ moduleUrl: pathToFileURL(impostor).href });
    const limits = { timeoutMs: 5_000, maxMemoryBytes: 256 * megabyte, maxOutputBytes: 65_536 };

    vi.stubEnv('PYTHON_CANARY', 'canary');
    answering('return Object.keys(process.env).join()');
    expect((await ask('', limits)).result).not.toContain('PYTHON_CANARY');
    vi.unstubAllEnvs();

    answering(`process.stdout.write('{"kind":"done","stdout":1}\\n'); process.kill(process.pid, 'SIGKILL')`);
    await expect(ask('', limits)).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    answering("throw new Error('not of Python')");
    await expect(ask('', limits)).rejects.toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('not of Python') });
    answering('process.exit(3)');
    await expect(ask('', limits)).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  });
});
