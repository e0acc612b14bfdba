import type { Json } from '../../core/ports/json.ts';
import type { MontyRequest } from './monty-request.ts';

/** The used part of `@pydantic/monty`, whose types are missing without the package. */
export interface MontyModule {
  readonly Monty: new (code: string, options?: { readonly scriptName?: string; readonly inputs?: readonly string[] }) => MontyProgram;
}

interface MontyProgram {
  run(options: {
    readonly inputs?: object;
    readonly limits: { readonly maxDurationSecs: number; readonly maxMemory: number };
    readonly printCallback: (stream: string, text: string) => void;
  }): unknown;
}

type MontyOutcome =
  | { readonly kind: 'done'; readonly stdout: string; readonly result: Json; readonly truncated: boolean }
  | { readonly kind: 'error'; readonly type: string; readonly message: string; readonly line: number | null }
  | { readonly kind: 'time' }
  | { readonly kind: 'memory' };

const scriptName = 'main.py';
const maxMessageBytes = 2_000;
const maxDepth = 100;

/** Runs a program synchronously. */
export function runMonty({ Monty }: MontyModule, { code, timeoutMs, maxMemoryBytes, maxOutputBytes }: MontyRequest): MontyOutcome {
  const limits = { maxDurationSecs: timeoutMs / 1_000, maxMemory: maxMemoryBytes };
  let stdout = '';
  let roomBytes = maxOutputBytes;
  let truncated = false;
  const printCallback = (_stream: string, text: string): void => {
    if (truncated) return;
    const kept = cutToBytes(text, roomBytes);
    stdout += kept.text;
    roomBytes -= kept.bytes;
    truncated = kept.text.length < text.length;
  };
  try {
    const value = new Monty(code, { scriptName }).run({ limits, printCallback });
    const json = toPlainJson(value, maxDepth);
    const result = json === undefined ? pythonText(value) : json;
    const kept = cutResult(result, maxOutputBytes);
    return { kind: 'done', stdout, result: kept, truncated: truncated || kept !== result };
  } catch (error) {
    return toOutcome(error);
  }

  function pythonText(value: unknown): string {
    try {
      const program = new Monty('repr(value)', { inputs: ['value'] });
      return String(program.run({ inputs: { value }, limits, printCallback }));
    } catch (error) {
      const outcome = toOutcome(error);
      if (outcome.kind !== 'error') throw error;
      return `<${nameOf(value)}>`; // some types and functions can leave the interpreter, but cannot return to it
    }
  }
}

/** Converts the value to JSON; `undefined` if JSON would change it: a set, bytes, an inexact number, keys other than strings. */
function toPlainJson(value: unknown, depth: number): Json | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (depth === 0 || typeof value !== 'object') return undefined;
  if (Array.isArray(value)) {
    const items: Json[] = [];
    for (const item of value) {
      const json = toPlainJson(item, depth - 1);
      if (json === undefined) return undefined;
      items.push(json);
    }
    return items;
  }
  if (!(value instanceof Map)) return undefined;
  const members: Record<string, Json> = {};
  for (const [key, member] of value) {
    const json = toPlainJson(member, depth - 1);
    if (typeof key !== 'string' || key === '__proto__' || json === undefined) return undefined;
    members[key] = json;
  }
  return members;
}

function toOutcome(error: unknown): MontyOutcome {
  if (!isPythonError(error)) throw error;
  const { typeName: type, message } = error.exception;
  if (type === 'TimeoutError' && message.startsWith('time limit exceeded: ')) return { kind: 'time' };
  if (type === 'MemoryError' && message.startsWith('memory limit exceeded: ')) return { kind: 'memory' };
  return { kind: 'error', type, message: cutToBytes(message, maxMessageBytes).text, line: lineOf(error) };
}

interface PythonError {
  readonly exception: { readonly typeName: string; readonly message: string };
  display(format: 'traceback'): string;
  /** Absent from a syntax error, which has its line number only in a text. */
  traceback?(): readonly { readonly line: number }[];
}

const isPythonError = (error: unknown): error is PythonError => error instanceof Error && 'exception' in error && 'display' in error;

function lineOf(error: PythonError): number | null {
  if (error.traceback) return error.traceback().at(-1)?.line ?? null;
  const [, line] = /^ {2}File "main\.py", line (\d+)/m.exec(error.display('traceback')) ?? [];
  return line === undefined ? null : Number(line);
}

function nameOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('__monty_type__' in value)) return typeof value;
  return 'value' in value ? `${value.__monty_type__} ${value.value}` : String(value.__monty_type__);
}

/** Returns the result, or the beginning of its text. Plain numbers, `true`, `false` and `null` are never too long. */
function cutResult(result: Json, maxBytes: number): Json {
  if (typeof result !== 'string' && (typeof result !== 'object' || result === null)) return result;
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const kept = cutToBytes(text, maxBytes).text;
  return kept.length === text.length ? result : kept;
}

/** Returns the longest beginning of a text within `maxBytes` of UTF-8, without half a character. */
function cutToBytes(text: string, maxBytes: number): { readonly text: string; readonly bytes: number } {
  const buffer = new Uint8Array(Math.min(maxBytes, text.length * 3));
  const { read, written } = new TextEncoder().encodeInto(text, buffer);
  return { text: read === text.length ? text : text.slice(0, read), bytes: written };
}
