import { WorkflowError } from '../../core/errors/errors.ts';
import { isObject } from '../../core/util/is-object.ts';
import { contextRefusal } from '../context-refusal.ts';
import { contextFull, filteredReply } from '../reply-error.ts';
import { requestedDelay } from '../requested-delay.ts';

/** Information about the model that an error includes. */
export interface ErrorContext {
  readonly name: string;
  /** Removes secrets from an external text. */
  readonly redact: (text: string) => string;
}

/** Error for a reply that began and ended abnormally. The attempt may be repeated; its tokens are void. */
export function streamCut({ name }: Pick<ErrorContext, 'name'>, what: string, cause?: unknown): WorkflowError {
  return new WorkflowError({
    code: 'MODEL_STREAM_CUT',
    message: `The reply of "${name}" is not complete: ${what}.`,
    hint: 'Retry. If it happens every time, try stream: false, because the server may not support streams.',
    retryable: true,
    cause,
  });
}

/** True for a web page: of a proxy, of a portal, or of a wrong address. */
export const isPage = (text: string): boolean => /^\s*<[!a-z?]/i.test(text);

export const pageInstead = (context: ErrorContext, page: string): WorkflowError => {
  const what = quote(page, context);
  return new WorkflowError({
    code: 'MODEL_STREAM_CUT',
    message: `The reply of "${context.name}" is a web page${what === '' ? '' : `: ${what}`}`,
    hint: 'Check the baseURL. For most servers it ends with /v1.',
    retryable: true,
    data: { page: true },
  });
};

const wordsOfPage = (page: string): string =>
  page
    .replaceAll(/<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replaceAll(/<[^>]*(?:>|$)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Error for a model that did not begin to answer. */
export function unavailable(
  { name }: Pick<ErrorContext, 'name'>,
  what: string,
  data: { readonly status?: number; readonly attempts?: number } = {},
  retryAfterMs?: number,
): WorkflowError {
  return new WorkflowError({
    code: 'MODEL_UNAVAILABLE',
    message: `"${name}" is not available: ${what}`,
    hint: 'Retry later, or use fallbackModel.',
    retryable: true,
    retryAfterMs,
    data: { ...data },
  });
}

/** Error for a request that the provider, or the client before it, does not accept. */
export function requestRefused({ name }: Pick<ErrorContext, 'name'>, what: string, status?: number): WorkflowError {
  return new WorkflowError({
    code: 'MODEL_REQUEST_REFUSED',
    message: `The request to "${name}" was refused: ${what}`,
    hint: 'Correct the model, the key or the request. A retry does not help.',
    data: status === undefined ? {} : { status },
  });
}

/** Error for an error object that the provider has sent instead of a reply, or within it. */
export function providerSays(context: ErrorContext, error: unknown): WorkflowError {
  const words = typeof error === 'string' ? error : JSON.stringify(error);
  const what = quote(words, context);
  const status = statusIn(error);
  const refusal = contextRefusal(status, words);
  if (refusal) return contextFull(context.name, what, refusal, status);
  if (isContentFiltered(words)) return filteredReply(context.name, what);
  const isFinal = status !== undefined && status >= 400 && status < 500 && ![408, 409, 429].includes(status);
  return isFinal ? requestRefused(context, what, status) : streamCut(context, `the provider says ${what}`);
}

function statusIn(error: unknown): number | undefined {
  const { code, status, status_code: statusCode } = isObject(error) ? error : {};
  return [code, status, statusCode].map(Number).find((number) => number >= 400 && number < 600);
}

/** Error for a provider without credit. Another provider may answer, but no retry helps. */
export const outOfCredit = ({ name }: Pick<ErrorContext, 'name'>, what: string, status: number | undefined): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_UNAVAILABLE',
    message: `"${name}" is not available: ${what}`,
    hint: 'Add credit at the provider, use another key, or use fallbackModel.',
    data: { ...(status === undefined ? {} : { status }), limit: 'credit' },
  });

/** True for a rejection by a content filter: of Azure, OpenAI, DashScope, or OpenRouter's moderation. */
export const isContentFiltered = (words: string): boolean =>
  /"(?:code|type)"\s*:\s*"(?:content_filter|content_policy_violation|ResponsibleAIPolicyViolation|data_inspection_failed)"|"flagged_input"/.test(
    words,
  );

/** True for exhausted credit. No wait helps, although the status is that of a busy provider. */
export const isOutOfCredit = (words: string): boolean => /"(?:code|type)"\s*:\s*"insufficient_quota"/.test(words);

/**
 * Converts a client error from before the reply into a `WorkflowError`. Drops the client's error as the cause, because it contains the
 * provider's original text, which may repeat the key.
 *
 * @param attempts Number of attempts so far.
 */
export function fromClientError(error: unknown, context: ErrorContext, attempts: number): WorkflowError {
  const what = quote(describe(error), context);
  if (!isApiError(error)) return requestRefused(context, what);
  const { status } = error;
  const { words } = refusalOf(error);
  const refusal = contextRefusal(status, words);
  if (refusal) return contextFull(context.name, what, refusal, status);
  if (isContentFiltered(words)) return filteredReply(context.name, what);
  if (isOutOfCredit(words)) return outOfCredit(context, what, status);
  if (status !== undefined && status < 500 && ![408, 409, 429].includes(status)) return requestRefused(context, what, status);
  const headers = error.headers instanceof Headers ? error.headers : undefined;
  // a server may forbid retries; the number of attempts is then left out
  const data = { ...(status === undefined ? {} : { status }), ...(isLast(headers) ? {} : { attempts }) };
  return unavailable(context, what, data, headers && requestedDelay(headers, words));
}

const isLast = (headers: Headers | undefined): boolean => headers?.get('x-should-retry') === 'false';

/** True when a server has forbidden retries. */
export const forbidsRetry = (error: unknown): boolean => isApiError(error) && error.headers instanceof Headers && isLast(error.headers);

/** A provider's own description of a rejection. */
export interface Refusal {
  readonly status: number | undefined;
  /** The provider's words, with the field that they concern. */
  readonly words: string;
}

/** Extracts the message and the field from the client's error. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Error)) return { status: undefined, words: String(error) };
  const { status, error: body } = error as Error & { status?: unknown; error?: unknown };
  const details = isObject(body) ? JSON.stringify(body) : '';
  return { status: typeof status === 'number' ? status : undefined, words: `${error.message} ${details}` };
}

/** Recognises the client's `APIError` by its shape, because the class differs between two copies of the package. */
function isApiError(error: unknown): error is { readonly status: number | undefined; readonly headers: unknown } {
  if (!(error instanceof Error && 'requestID' in error && 'status' in error && 'headers' in error)) return false;
  return error.status === undefined || typeof error.status === 'number';
}

/** Joins the message with the one at the end of the cause chain, which names the address and the system error. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  let root = error;
  while (root.cause instanceof Error) root = root.cause;
  const detail = root.message || ('code' in root ? String(root.code) : root.name);
  return root === error ? detail : `${error.message} (${detail})`;
}

const maxQuoteLength = 500;

/** Shortens a provider's text for an error: removes secrets, and whole web pages. */
export function quote(words: string, { redact }: Pick<ErrorContext, 'redact'>): string {
  const [, status = '', page = ''] = /^(\d{3} )?(\s*<(?:!doctype html|html)[\s\S]*)$/i.exec(words) ?? [];
  const text = redact(page === '' ? words : `${status}${wordsOfPage(page)}`.trim());
  return text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)} …` : text;
}
