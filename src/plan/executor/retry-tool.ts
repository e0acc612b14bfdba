import { isUnexpected, keepThrown, toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import { redactSecrets } from '../../core/errors/redact-secrets.ts';
import { shorten } from '../../core/errors/shorten.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { Tool } from '../../core/ports/tool.ts';
import type { ToolContent, ToolContentPart } from '../../core/ports/tool-content.ts';
import { checkToolContent, defaultMaxFileBytes, limitFiles, toolContentOf } from '../../core/tool-facts/tool-content.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { retry } from '../../core/util/retryer.ts';
import { toJson } from '../../core/util/to-json.ts';
import { untilAborted } from '../../core/util/until-aborted.ts';
import { effectOf } from './effect-of.ts';

/** Outcome of a tool with its number of attempts. */
export type ToolOutcome = { readonly attempts: number } & ({ readonly output: Json } | Failure);

interface Failure {
  /** Error for the model and the user. */
  readonly error: ErrorInfo;
  /** The original error, for the log only. Absent if the model reads all of it, which is an error of the package. */
  readonly cause?: ErrorInfo;
}

export interface RetryToolOptions {
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  readonly clock: Pick<Clock, 'schedule'>;
  /** Taint of the thread. */
  readonly taint?: Taint;
  /** Time zone of the run. */
  readonly timeZone?: string | undefined;
  /** Data of the run. */
  readonly context?: Json | undefined;
  readonly runId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly callId?: string | undefined;
  /** Sends progress of the call. */
  readonly emit?: (data: Json) => void;
}

const defaultTimeoutMs = 30_000;
const defaultMaxOutputBytes = 65_536;
const toolPolicy = { firstDelayMs: 200, longestDelayMs: 5_000 };

/**
 * Calls a tool until it succeeds, fails for good, or has used up its attempts. A failure is a value; an abort is thrown.
 *
 * @throws {WorkflowError} `CALL_IN_DOUBT` when a `once` tool was cut off and its outcome is unknown.
 */
export async function retryTool(tool: Tool, args: JsonObject, options: RetryToolOptions): Promise<ToolOutcome> {
  const { signal, idempotencyKey, clock, taint, timeZone, context, runId, threadId, callId, emit } = options;
  deepFreeze(args); // the journal and the approval request share them
  const once = effectOf(tool) === 'once';
  const maxAttempts = once ? 1 : checkInteger('maxAttempts', tool.maxAttempts ?? 1, { min: 1 });
  let attempts = 0;
  const call = async (attempt: number): Promise<ToolOutcome> => {
    attempts = attempt;
    const result = await runAttempt(tool, signal, clock, (linked) =>
      tool.execute(args, {
        signal: linked,
        idempotencyKey,
        attempt,
        ...(taint ? { taint: { ...taint } } : {}),
        ...(timeZone === undefined ? {} : { timeZone }),
        ...(context === undefined ? {} : { context }),
        ...(runId === undefined ? {} : { runId }),
        ...(threadId === undefined ? {} : { threadId }),
        ...(callId === undefined ? {} : { callId }),
        ...(emit ? { emit } : {}),
      }),
    );
    return { attempts, output: capOutput(tool, checkToolContent(tool.name, toJson(result, `${tool.name} output`))) };
  };
  signal.throwIfAborted();
  try {
    return await retry(call, { ...toolPolicy, attempts: maxAttempts }, { clock, signal });
  } catch (cause) {
    // Decision 7: a timed-out payment may have happened, so it must not count as failed.
    if (once && (signal.aborted || hasCode(cause, 'TOOL_TIMEOUT', 'CALL_IN_DOUBT'))) throw inDoubt(tool, cause);
    signal.throwIfAborted();
    return { attempts, ...toFailure(tool, cause) };
  }
}

/** At the timeout its signal aborts and the attempt is abandoned. */
async function runAttempt(
  { name, timeoutMs = defaultTimeoutMs }: Tool,
  signal: AbortSignal,
  clock: Pick<Clock, 'schedule'>,
  work: (signal: AbortSignal) => Promise<Json>,
): Promise<Json> {
  const timeout = new AbortController();
  const linked = AbortSignal.any([signal, timeout.signal]);
  const cancel = Number.isFinite(timeoutMs) ? clock.schedule(timeoutMs, () => timeout.abort(timedOut(name, timeoutMs))) : undefined;
  try {
    // a tool without `async` may throw before it returns a promise
    return await untilAborted((async () => work(linked))(), linked);
  } finally {
    cancel?.();
  }
}

/** Maximum length of a tool's own error message for a model, in characters. */
const maxMessageChars = 1_000;

/** Maximum length of a text that `errors` of a tool returns. */
const maxOwnChars = 500;

/** Returns the tool's own text about an error; empty if it has none. */
function ownText(errors: (error: ErrorInfo) => string, error: ErrorInfo): string {
  try {
    const said: unknown = errors(structuredClone(error));
    if (said instanceof Promise) said.catch(() => {}); // an unhandled rejection would end the process
    return typeof said === 'string' ? shorten(redactSecrets(said.trim()), maxOwnChars) : '';
  } catch {
    return '';
  }
}

/**
 * Error for the model: the tool's own text. Without one, an error without a code is reduced to its message, or to the mere failure if the
 * tool hides its errors.
 */
export function toFailure({ name, errors = 'message' }: Pick<Tool, 'name' | 'errors'>, thrown: unknown): Failure {
  const cause = toErrorInfo(thrown);
  const own = typeof errors === 'function' ? ownText(errors, cause) : '';
  if (own) {
    const code = isUnexpected(cause) ? 'TOOL_FAILED' : cause.code;
    return { error: keepThrown({ name: 'WorkflowError', code, message: own, retryable: cause.retryable }, thrown), cause };
  }
  if (!isUnexpected(cause)) return { error: cause };
  const said = errors === 'message' ? shorten(cause.message.trim(), maxMessageChars) : '';
  const message = said || `The tool "${name}" failed.`;
  const hint = said
    ? 'Call it with other arguments, or continue without it.'
    : 'Call it with other arguments, or continue without it. See the log of the run for the reason.';
  return {
    error: keepThrown({ name: 'WorkflowError', code: 'TOOL_FAILED', message, hint, retryable: cause.retryable }, thrown),
    cause,
  };
}

/**
 * Applies the tool's size limits: a long text is cut and marked, and a file beyond the limits becomes a text.
 * @throws {WorkflowError} `TOOL_OUTPUT_TOO_LARGE`.
 */
export function capOutput(tool: Tool, output: Json): Json {
  const shown = toolContentOf(limitFiles(output, tool.maxFileBytes ?? defaultMaxFileBytes));
  return shown ? capTexts(tool, shown) : capValue(tool, output);
}

/** Cuts the texts of an output of parts. Data beside them fails the call if it is too large. */
function capTexts(tool: Tool, shown: ToolContent): Json {
  const { maxOutputBytes = defaultMaxOutputBytes } = tool;
  const data = shown.structuredContent === undefined ? '' : JSON.stringify(capValue(tool, shown.structuredContent));
  let left = maxOutputBytes - new TextEncoder().encode(data).length;
  const content = shown.content.flatMap((part): readonly ToolContentPart[] => {
    if (part.type === 'file') return [part];
    if (left <= 0) return [];
    const text = String(capValue({ name: tool.name, maxOutputBytes: left }, part.text));
    left -= new TextEncoder().encode(part.text).length + 1; // a part without text counts, too
    return [{ type: 'text', text }];
  });
  return { ...shown, content };
}

function capValue({ name, maxOutputBytes = defaultMaxOutputBytes }: Pick<Tool, 'name' | 'maxOutputBytes'>, output: Json): Json {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  if (text.length * 3 <= maxOutputBytes) return output; // a UTF-16 unit takes at most three bytes
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxOutputBytes) return output;
  if (typeof output === 'string') {
    const kept = new TextDecoder().decode(bytes.subarray(0, maxOutputBytes)).replace(/�$/, '');
    return `${kept}\n[cut: ${maxOutputBytes} of ${bytes.length} bytes]`;
  }
  throw new WorkflowError({
    code: 'TOOL_OUTPUT_TOO_LARGE',
    message: `The tool "${name}" returned ${bytes.length} bytes of JSON, more than the limit of ${maxOutputBytes}.`,
    hint: 'Request less, or raise its maxOutputBytes.',
    data: { tool: name, bytes: bytes.length, maxOutputBytes },
  });
}

const timedOut = (tool: string, timeoutMs: number): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_TIMEOUT',
    message: `The tool "${tool}" did not finish within ${timeoutMs} ms.`,
    hint: `Raise timeoutMs of "${tool}", or make it obey its abort signal.`,
    retryable: true,
    data: { tool, timeoutMs },
  });

const inDoubt = (tool: Tool, cause: unknown): WorkflowError =>
  new WorkflowError({
    code: 'CALL_IN_DOUBT',
    message: `The tool "${tool.name}" was interrupted. Its work may or may not be done.`,
    hint: 'Find out what happened, then call runtime.resolve.',
    data: { tool: tool.name },
    cause,
  });
