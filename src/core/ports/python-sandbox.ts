import type { Json } from './json.ts';

/** Runs unreviewed Python in isolation: no file, network, process, clock or object of the host is reachable. */
export interface PythonSandbox {
  /** Shown to users, for example `monty`. */
  readonly name: string;
  /** Reason why the sandbox is unusable here, and the remedy. Absent: it is usable. */
  readonly unavailable?: string;
  /**
   * Runs a program in a fresh interpreter, so nothing of an earlier run remains.
   * @throws {WorkflowError} `PYTHON_ERROR` for an exception of the program, with `data.type` and, if known, `data.line` from 1;
   * `PYTHON_TIMEOUT`, `PYTHON_MEMORY`, `TOOL_FAILED` when the interpreter dies, `TOOL_UNAVAILABLE`; the reason of an abort.
   */
  run(code: string, options: PythonRunOptions): Promise<PythonResult>;
}

/** Limits of one run. */
export interface PythonRunOptions {
  /** Time limit of the program in milliseconds; starting the interpreter does not count. */
  readonly timeoutMs: number;
  /** Memory limit of the program in bytes, on top of the interpreter's own; its output counts. */
  readonly maxMemoryBytes: number;
  /** Maximum size of `stdout` and of `result` (a text, or JSON), in bytes of UTF-8 each. Longer ones are cut. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal;
}

/** Output and value of a program. */
export interface PythonResult {
  readonly stdout: string;
  /** The value of the last statement if it is an expression, else `null`. A value that JSON cannot hold becomes the text of `repr`. */
  readonly result: Json;
  /** True when `stdout` or `result` was cut. A cut result is always a text. */
  readonly truncated: boolean;
}
