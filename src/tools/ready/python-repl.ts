import { WorkflowError } from '../../core/errors/errors.ts';
import type { PythonSandbox } from '../../core/ports/python-sandbox.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { objectSchema } from '../../core/schema/object-schema.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { defineTool } from '../define/define-tool.ts';

export interface PythonReplOptions {
  /** Sandbox for the code; `undefined` makes the tool unavailable, because Python is not allowed. */
  readonly sandbox: PythonSandbox | undefined;
  /** Time limit of the code, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number;
  /** Maximum memory of the code, in bytes. @default 268_435_456 */
  readonly maxMemoryBytes?: number;
  /** Maximum size of the printed text, and of the result as JSON, in bytes. @default 65_536 */
  readonly maxOutputBytes?: number;
}

const notAllowed = 'Python is off. Turn it on with --allow-python.';
const startAllowanceMs = 15_000;

/**
 * The tool `python_repl`: runs a small Python program in a sandbox and returns `{ stdout, result, truncated }`. Calls share no state.
 *
 * A call throws the errors of the sandbox: `PYTHON_ERROR` for the program's own errors, `PYTHON_TIMEOUT`, `PYTHON_MEMORY`, `TOOL_FAILED`,
 * `TOOL_UNAVAILABLE`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a limit that is not a whole number above 0, and for more than an hour.
 * @example pythonRepl({ sandbox: allowPython ? montySandbox() : undefined })
 */
export function pythonRepl({ sandbox, timeoutMs = 5_000, maxMemoryBytes = 268_435_456, maxOutputBytes = 65_536 }: PythonReplOptions): Tool {
  const limits = {
    timeoutMs: checkInteger('timeoutMs', timeoutMs, { min: 1, max: 3_600_000 }),
    maxMemoryBytes: checkInteger('maxMemoryBytes', maxMemoryBytes, { min: 1 }),
    maxOutputBytes: checkInteger('maxOutputBytes', maxOutputBytes, { min: 1 }),
  };
  const unavailable = sandbox ? sandbox.unavailable : notAllowed;
  return defineTool({
    name: 'python_repl',
    description:
      'Runs a Python program and returns what it prints and the value of its last expression. It is a small Python: functions, lambdas, ' +
      'comprehensions, f-strings, try, and the modules math, re, json and datetime. It has no classes, yield, del or match, no str.format, ' +
      'no other modules, no files, no network and no clock. Nothing is kept between calls.',
    access: 'compute',
    // The sandbox reads nothing but its code. If the code contains private data, the tool that read them has already tainted the thread.
    capabilities: { untrusted: true },
    risk: 'high',
    timeoutMs: limits.timeoutMs + startAllowanceMs,
    maxOutputBytes: 12 * limits.maxOutputBytes + 1_024, // two texts; JSON writes a control character of one byte with six
    ...(unavailable === undefined ? {} : { unavailable }),
    primaryInput: 'code',
    input: objectSchema({
      code: {
        type: 'string',
        minLength: 1,
        maxLength: 20_000,
        description: 'The whole program. End it with the expression to return.',
      },
    }),
    async execute({ code }, { signal }) {
      if (!sandbox || unavailable !== undefined) {
        throw new WorkflowError({ code: 'TOOL_UNAVAILABLE', message: unavailable ?? notAllowed, hint: 'Answer without running Python.' });
      }
      const { stdout, result, truncated } = await sandbox.run(code, { ...limits, signal });
      return { stdout, result, truncated };
    },
  });
}
