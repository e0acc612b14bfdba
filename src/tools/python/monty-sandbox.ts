import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { PythonResult, PythonRunOptions, PythonSandbox } from '../../core/ports/python-sandbox.ts';
import { checkInteger, checkTimeout } from '../../core/util/check-integer.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { MontyRequest } from './monty-request.ts';
import { type ProcessAnswer, requestProcess } from './request-process.ts';

export interface MontySandboxOptions {
  /** URL of the module `@pydantic/monty`, for a copy elsewhere. @default the one that is installed beside this package */
  readonly moduleUrl?: string;
}

/** Schema of the process's answer, because a program that has broken out of the interpreter could write anything. */
const montyAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), stdout: z.string(), result: z.unknown(), truncated: z.boolean() }),
  z.object({ kind: z.literal('error'), type: z.string(), message: z.string(), line: z.int().nullable() }),
  z.object({ kind: z.enum(['unavailable', 'failed']), message: z.string() }),
  z.object({ kind: z.enum(['begun', 'time', 'memory']) }),
]);
type MontyAnswer = z.infer<typeof montyAnswer>;

const startTimeoutMs = 10_000;
const install = 'Run: npm install @pydantic/monty@0.0.18';
// the build rewrites import specifiers, but not this URL
const program = new URL(import.meta.url.endsWith('.ts') ? './monty-process.ts' : './monty-process.js', import.meta.url);

/**
 * Runs Python with Monty, an interpreter without access to the host: no files, network, processes, clock or environment. Each run has its
 * own Node process, without environment variables. The process is killed at the limits, because the interpreter's own limits do not stop
 * every long operation, and some programs crash it.
 *
 * Without the package `@pydantic/monty`, the sandbox is created, and `unavailable` states the reason.
 *
 * @example
 * const sandbox = montySandbox();
 * await sandbox.run('sum(range(5))', { timeoutMs: 5_000, maxMemoryBytes: 2 ** 28, maxOutputBytes: 65_536 }); // { result: 10, … }
 */
export function montySandbox({ moduleUrl = installedMonty() }: MontySandboxOptions = {}): PythonSandbox {
  return {
    name: 'monty',
    ...(moduleUrl === undefined ? { unavailable: `The package "@pydantic/monty" is not installed. ${install}` } : {}),
    async run(code, options) {
      if (moduleUrl === undefined) throw unavailable('is not installed');
      const limits = {
        timeoutMs: checkTimeout('timeoutMs', options.timeoutMs),
        maxMemoryBytes: checkInteger('maxMemoryBytes', options.maxMemoryBytes, { min: 1 }),
        maxOutputBytes: checkInteger('maxOutputBytes', options.maxOutputBytes, { min: 1 }),
      };
      const request: MontyRequest = { moduleUrl, code, ...limits };
      const answer = await requestProcess({
        program,
        request,
        startTimeoutMs,
        timeoutMs: limits.timeoutMs,
        maxAnswerChars: 12 * limits.maxOutputBytes + 65_536, // both outputs, each character with up to six
        ...(options.signal ? { signal: options.signal } : {}),
      });
      return toResult(answerOf(answer), options);
    },
  };
}

function installedMonty(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve('@pydantic/monty')).href;
  } catch {
    return undefined; // the sandbox reports it
  }
}

function answerOf(answer: ProcessAnswer): MontyAnswer {
  if (answer.kind === 'timed-out') return answer.begun ? { kind: 'time' } : { kind: 'unavailable', message: 'it did not start in time' };
  if (answer.kind === 'died') return { kind: 'failed', message: answer.reason };
  try {
    return montyAnswer.parse(JSON.parse(answer.line));
  } catch (cause) {
    return { kind: 'failed', message: String(cause) };
  }
}

function toResult(answer: MontyAnswer, { timeoutMs, maxMemoryBytes }: PythonRunOptions): PythonResult {
  switch (answer.kind) {
    case 'done': {
      const { stdout, result, truncated } = answer;
      return { stdout, result: toJson(result, 'result'), truncated };
    }
    case 'error': {
      const { type, message, line } = answer;
      throw new WorkflowError({
        code: 'PYTHON_ERROR',
        message: `${type}${message === '' ? '' : `: ${message}`}${line === null ? '' : ` (line ${line})`}`,
        hint: 'Correct the program. This Python has no classes, files, network or clock, and few modules.',
        data: { type, ...(line === null ? {} : { line }) },
      });
    }
    case 'time':
      throw new WorkflowError({
        code: 'PYTHON_TIMEOUT',
        message: `The program did not end within ${timeoutMs} ms.`,
        hint: 'Check for an endless loop, or do less.',
        data: { timeoutMs },
      });
    case 'memory':
      throw new WorkflowError({
        code: 'PYTHON_MEMORY',
        message: `The program used more than ${maxMemoryBytes} bytes of memory, including its printed output.`,
        hint: 'Use less memory, or print less.',
        data: { maxMemoryBytes },
      });
    case 'unavailable':
      throw unavailable(`cannot be used: ${answer.message}`);
    default:
      throw new WorkflowError({
        code: 'TOOL_FAILED',
        message: `The Python interpreter crashed (${answer.kind === 'failed' ? answer.message : 'no answer'}).`,
        hint: 'Rewrite the program. Very deep nesting, for example, crashes the interpreter.',
      });
  }
}

const unavailable = (what: string): WorkflowError =>
  new WorkflowError({ code: 'TOOL_UNAVAILABLE', message: `The package "@pydantic/monty" ${what}.`, hint: `${install}.` });
