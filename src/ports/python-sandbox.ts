import type { Json } from './json.ts';

/** Runs Python that nobody has read, where it reaches nothing: no file, network, process, clock or object of the host. */
export interface PythonSandbox {
  /** Shown to users, for example `monty`. */
  readonly name: string;
  /** Why it cannot run anything here, with what to do about it; absent = it can. */
  readonly unavailable?: string;
  /**
   * Runs a program in an interpreter of its own: nothing is left of an earlier run.
   * @throws {WorkflowError} `PYTHON_ERROR` for what the program raises, with `data.type` and, where it is known, `data.line` from 1;
   *   `PYTHON_TIMEOUT`, `PYTHON_MEMORY`, `TOOL_FAILED` when the interpreter dies, `TOOL_UNAVAILABLE`; the reason of an abort.
   */
  run(code: string, options: PythonRunOptions): Promise<PythonResult>;
}

/** The limits of one run. */
export interface PythonRunOptions {
  /** How long the program may run, in milliseconds; starting the interpreter does not count. */
  readonly timeoutMs: number;
  /** How much memory the program may use on top of the interpreter's own, in bytes; what it prints counts. */
  readonly maxMemoryBytes: number;
  /** Longest `stdout`, and longest `result` (a text, or JSON), in bytes of UTF-8 each. What is longer is cut. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal;
}

/** What a program has printed, and what it comes to. */
export interface PythonResult {
  readonly stdout: string;
  /** The value of the last statement when it is an expression, else `null`; one that JSON cannot hold is the text that `repr` makes of it. */
  readonly result: Json;
  /** `stdout` or `result` was cut; a cut result is a text, whatever it was. */
  readonly truncated: boolean;
}
