import type { ErrorInfo } from '../ports/error-info.ts';
import type { JsonObject } from '../ports/json.ts';
import { messageOf } from './message-of.ts';
import { redactJson, redactSecrets } from './redact-secrets.ts';
import { shorten } from './shorten.ts';

/** Every code of the package, with meaning and remedy in `docs/reference/errors.md`. */
export const errorCodes = [
  // definition
  'WORKFLOW_INVALID',
  'WORKFLOW_UNKNOWN',
  'WORKFLOW_DUPLICATE',
  'SUBWORKFLOW_WAITS',
  'TOOL_INVALID',
  'OPTION_INVALID',
  // values
  'VALUE_NOT_JSON',
  'OUTPUT_TOO_LARGE',
  'STATE_KEY_UNKNOWN',
  'PATCH_INVALID',
  'STEP_KEY_REUSED',
  // runs
  'INPUT_INVALID',
  'EVENT_NOT_ACCEPTED',
  'EVENT_INVALID',
  'INTERRUPT_UNKNOWN',
  'INTERRUPT_ANSWERED',
  'INTERRUPT_MOVED',
  'INTERRUPT_EXPIRED',
  'NO_EDGE',
  'WORKFLOW_FAILED',
  'DEFINITION_THREW',
  'STATE_MUTATED',
  'ENDLESS_LOOP',
  'STATE_LEFT',
  'NODE_TIMEOUT',
  'LIMIT_EXCEEDED',
  'BUDGET_EXCEEDED',
  'RUN_UNKNOWN',
  'RUN_EXISTS',
  'RUN_BUSY',
  'RUN_SUSPENDED',
  'RUN_UNFINISHED',
  'RUN_ENDED',
  'RUN_FENCED',
  'RUN_NOT_FAILED',
  'PATCH_REFUSED',
  'RUN_POISONED',
  'RUNTIME_CLOSED',
  'CALL_IN_DOUBT',
  'CALL_UNKNOWN',
  'CALL_ABORTED',
  'FORK_POINT_UNKNOWN',
  'FORK_REPEATS_EFFECT',
  'ID_INVALID',
  // schedules
  'SCHEDULE_UNKNOWN',
  'SCHEDULE_EXISTS',
  'SCHEDULE_DECLARED',
  // threads
  'THREAD_UNKNOWN',
  'RUN_IN_THREAD',
  'THREAD_BUSY',
  'THREAD_MOVED_ON',
  'THREAD_LOST',
  'THREAD_OF_OTHER_WORKFLOW',
  // journal and store
  'JOURNAL_OF_OTHER_MACHINE',
  'OFFER_CHANGED',
  'MIGRATION_REFUSED',
  'JOURNAL_MISSING',
  'JOURNAL_CORRUPT',
  'JOURNAL_DIVERGED',
  'STORE_UNAVAILABLE',
  'STORE_VERSION',
  'STORE_LOST',
  'STORE_KEY_INVALID',
  'RUN_DOCUMENT_INVALID',
  // plans and tools
  'PLAN_REJECTED',
  'PLAN_NOT_VALIDATED',
  'TOOL_CALL_INVALID',
  'TOOL_UNKNOWN',
  'TOOL_UNAVAILABLE',
  'TOOL_TIMEOUT',
  'TOOL_FAILED',
  'TOOL_INPUT_INVALID',
  'TOOL_OUTPUT_TOO_LARGE',
  'CALL_NEEDS_APPROVAL',
  'CALL_REJECTED',
  'EXPRESSION_INVALID',
  'TIME_ZONE_UNKNOWN',
  'PYTHON_ERROR',
  'PYTHON_TIMEOUT',
  'PYTHON_MEMORY',
  'PATH_OUTSIDE_ROOT',
  'PATH_DENIED',
  'FILE_NOT_FOUND',
  'FILE_NOT_REGULAR',
  'FILE_TOO_LARGE',
  'FILE_NOT_TEXT',
  'DOCUMENT_INVALID',
  'ADDRESS_NOT_ALLOWED',
  'FETCH_FAILED',
  'RESPONSE_TOO_LARGE',
  'RETRIEVER_UNAVAILABLE',
  'ADAPTER_MISSING',
  'VECTOR_INVALID',
  'INDEX_UNAVAILABLE',
  'INDEX_CLOSED',
  'INDEX_CORRUPT',
  'INDEX_OF_OTHER_EMBEDDER',
  'EMBEDDER_UNAVAILABLE',
  'EMBEDDER_INVALID',
  'MEMORY_INVALID',
  'MEMORY_FULL',
  'SEARCH_ENCRYPTED',
  'TOO_MANY_RUNS',
  'TOO_MANY_THREADS',
  'DOCUMENTS_FULL',
  // guards
  'GUARD_STOPPED',
  'GUARD_HELD',
  'GUARD_FAILED',
  // models
  'CONTEXT_TOO_SMALL',
  'MODEL_CONTEXT_FULL',
  'MODEL_OUTPUT_INVALID',
  'MODEL_TRUNCATED',
  'MODEL_REFUSED',
  'MODEL_EMPTY',
  'MODEL_STREAM_CUT',
  'MODEL_UNAVAILABLE',
  'MODEL_REQUEST_REFUSED',
  'MODEL_INPUT_UNSUPPORTED',
  'MODEL_TASK_UNKNOWN',
  // other programs
  'MCP_UNAVAILABLE',
  'MCP_TOOL_CHANGED',
  'SCRIPT_UNEXPECTED_REQUEST',
  'SCRIPT_UNUSED_REPLIES',
  'CASES_INVALID',
  'CASSETTE_MISS',
  'CASSETTE_INVALID',
  'EVAL_REPORT_INVALID',
  // the engine
  'ENGINE_TOO_OLD',
  // anything that is not ours
  'NODE_FAILED',
  'UNKNOWN',
] as const;

/** Stable identifier of an error. */
export type ErrorCode = (typeof errorCodes)[number];

export interface WorkflowErrorOptions {
  readonly code: ErrorCode;
  /** States the problem in a sentence. */
  readonly message: string;
  /** States the remedy in a sentence. */
  readonly hint?: string;
  /** True when the same attempt may succeed later. @default false */
  readonly retryable?: boolean;
  /** Delay that a server requested before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly data?: JsonObject;
  readonly cause?: unknown;
}

/** Errors go to models, into journals and onto screens, and quote text of other programs. */
const maxMessageLength = 4_000;

/**
 * Base class of every deliberate error of the package.
 *
 * @example
 * if (WorkflowError.isInstance(error) && error.code === 'THREAD_BUSY') retryLater();
 */
export class WorkflowError extends Error {
  /** Recognises the class across two copies of the package. */
  readonly kind = 'workflow-error';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly data: JsonObject | undefined;

  constructor({ code, message, hint = '', retryable = false, retryAfterMs, data, cause }: WorkflowErrorOptions) {
    super(text(message), cause === undefined ? undefined : { cause });
    this.name = 'WorkflowError';
    this.code = code;
    this.hint = text(hint);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
    this.data = data;
  }

  static isInstance(value: unknown): value is WorkflowError {
    try {
      return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'workflow-error' && 'code' in value;
    } catch {
      return false; // a throwing getter or proxy is not one of our errors
    }
  }

  toJSON(): ErrorInfo {
    return toErrorInfo(this);
  }
}

/** Values that were thrown in this process, by the data made of them. A map, because data is stored and sent, and a stack must not be. */
const thrownValues = new WeakMap<ErrorInfo, unknown>();

/**
 * Returns the value that was thrown, with its `stack` and `cause`, for an error of a result or of a live event. `undefined` for a copy, and
 * for an error that comes from a store or another process.
 *
 * @example if (result.status === 'failed') console.error(thrownOf(result.error));
 */
export const thrownOf = (info: ErrorInfo): unknown => thrownValues.get(info);

/** Keeps what was thrown for a copy of an error. Returns the copy. */
export function keepThrown(copy: ErrorInfo, thrown: unknown): ErrorInfo {
  if (thrown !== undefined) thrownValues.set(copy, thrown);
  return copy;
}

/** Converts any thrown value to data and removes likely secrets. Never throws. `thrownOf` returns the value again. */
export function toErrorInfo(thrown: unknown): ErrorInfo {
  return keepThrown(describe(thrown), thrown);
}

/** Converts what a node has thrown. An error without a code becomes `NODE_FAILED`, with the node and the step that threw it. */
export function toNodeError(thrown: unknown, node?: string, step?: string): ErrorInfo {
  const info = toErrorInfo(thrown);
  if (info.code !== 'UNKNOWN') return info;
  const failed: ErrorInfo = {
    ...info,
    code: 'NODE_FAILED',
    ...(node === undefined ? {} : { data: { node, ...(step === undefined ? {} : { step }) } }),
  };
  return keepThrown(failed, thrown);
}

function describe(thrown: unknown): ErrorInfo {
  try {
    if (WorkflowError.isInstance(thrown)) {
      const { name, code, message, hint, retryable, retryAfterMs, data } = thrown;
      const rest = {
        ...(hint ? { hint: text(hint) } : {}),
        retryable: retryable === true,
        ...(Number.isFinite(retryAfterMs) ? { retryAfterMs } : {}),
        ...asJson(data),
      };
      return { name: text(name), code: text(code), message: text(message), ...rest };
    }
    if (thrown instanceof Error || (typeof thrown === 'object' && thrown !== null && 'message' in thrown)) {
      const name = 'name' in thrown ? text(thrown.name) : 'Error';
      const retryable = 'retryable' in thrown && thrown.retryable === true;
      return { name, code: 'UNKNOWN', message: text(thrown.message) || innerMessages(thrown) || name, retryable };
    }
    return { name: 'Error', code: 'UNKNOWN', message: text(thrown), retryable: false };
  } catch {
    return { name: 'Error', code: 'UNKNOWN', message: 'The thrown value cannot be printed.', retryable: false };
  }
}

/** Messages inside an error without one. Node reports a refused connection as such an `AggregateError`. Not recursive: it may hold itself. */
function innerMessages(thrown: object): string {
  if (!('errors' in thrown) || !Array.isArray(thrown.errors)) return '';
  const inner: readonly unknown[] = thrown.errors.slice(0, 5);
  return text(inner.map(messageOf).filter(Boolean).join('; '));
}

/** Rebuilds an error from its data. Its cause is the value that was thrown, if that was in this process. */
export function fromErrorInfo(info: ErrorInfo): WorkflowError {
  const error = new WorkflowError({ ...info, code: info.code as ErrorCode, cause: thrownOf(info) });
  error.name = info.name;
  return error;
}

/** True for an error without a code of ours. Its message may contain anything. */
export const isUnexpected = ({ code }: Pick<ErrorInfo, 'code'>): boolean => code === 'UNKNOWN' || code === 'NODE_FAILED';

/**
 * Reduces an error to the part that is safe for a user or a model. An unexpected error (`NODE_FAILED`, `UNKNOWN`) may contain anything, so
 * only its code stays.
 */
export const toSafeError = (error: ErrorInfo): ErrorInfo =>
  isUnexpected(error)
    ? {
        name: 'WorkflowError',
        code: error.code,
        message: 'An unexpected error occurred.',
        hint: 'See the log of the run.',
        retryable: error.retryable,
      }
    : error;

/** Longer texts are cut before they are searched. */
const maxSearchedLength = 100_000;

/**
 * Removes secrets before the cut, because half a password matches no pattern. Clients quote addresses and keys, and errors are stored with
 * the run.
 */
const text = (value: unknown): string => shorten(redactSecrets(shorten(String(value), maxSearchedLength)), maxMessageLength);

/** Maximum size of error data, in characters of JSON. Larger data is dropped. */
const maxDataLength = 100_000;

/** Drops data that is not JSON or too large, so that it does not replace the original error. */
function asJson(data: JsonObject | undefined): { readonly data?: JsonObject } {
  try {
    const json = data && JSON.stringify(data);
    return json && json.length <= maxDataLength ? { data: redactJson(data) } : {};
  } catch {
    return {};
  }
}

// Every entry point loads this file, so an old engine fails here with one sentence instead of "… is not a function" in a run.
if (typeof Promise.withResolvers !== 'function') {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  throw new WorkflowError({
    code: 'ENGINE_TOO_OLD',
    message: `agent-machines needs Node >= 22.18, or a browser of 2024. This is ${process?.versions?.node ? `Node ${process.versions.node}` : 'an older engine'}.`,
    hint: 'Install Node 24. In a clone, `npx` and npm scripts use the Node of node_modules.',
  });
}
