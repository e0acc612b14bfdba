import { WorkflowError } from '../../core/errors/errors.ts';
import { isObject } from '../../core/util/is-object.ts';
import { contextRefusal } from '../context-refusal.ts';
import {
  type ErrorContext,
  isContentFiltered,
  isOutOfCredit,
  outOfCredit,
  quote,
  requestRefused,
  streamCut,
  unavailable,
} from '../openai/openai-error.ts';
import { contextFull, emptyReply, filteredReply } from '../reply-error.ts';
import { requestedDelay } from '../requested-delay.ts';

const malformed = new Set(['AI_EmptyResponseBodyError', 'AI_InvalidResponseDataError', 'AI_JSONParseError', 'AI_TypeValidationError']);
const noConnection = /^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOST|ENET|UND_ERR_)/;

/**
 * Converts an error of an AI SDK language model into a `WorkflowError`. Matches names and fields, because the error classes differ between
 * two copies of the package. Drops the original error as the cause, because it contains the request.
 *
 * @param begun True once a part of the reply has arrived.
 */
export function fromAiSdkError(error: unknown, context: ErrorContext, { begun }: { readonly begun: boolean }): WorkflowError {
  if (WorkflowError.isInstance(error)) return error;
  const name = error instanceof Error || isObject(error) ? String((error as { readonly name?: unknown }).name) : '';
  const what = quote(describe(error), context);
  if (name === 'AI_NoContentGeneratedError') return emptyReply(context.name, false);
  if (malformed.has(name)) return streamCut(context, what);
  if (name === 'AI_UnsupportedFunctionalityError' && /file|image|media|audio|pdf|mime/i.test(what)) return unsupportedFile(context, what);
  if (name !== 'AI_APICallError') {
    if (begun) return streamCut(context, what);
    return isConnectionError(error) ? unavailable(context, what) : requestRefused(context, what);
  }
  const { statusCode, isRetryable, responseHeaders, responseBody } = error as ApiCallError;
  const status = typeof statusCode === 'number' ? statusCode : undefined;
  const words = `${describe(error)} ${typeof responseBody === 'string' ? responseBody : ''}`;
  const refusal = contextRefusal(status, words);
  if (refusal) return contextFull(context.name, what, refusal, status);
  if (isContentFiltered(words)) return filteredReply(context.name, what);
  if (isOutOfCredit(words)) return outOfCredit(context, what, status);
  if (begun && isRetryable) return streamCut(context, what);
  if (!isRetryable) return requestRefused(context, what, status);
  const headers = isObject(responseHeaders) ? textsOf(responseHeaders) : {};
  return unavailable(context, what, status === undefined ? {} : { status }, requestedDelay(new Headers(headers), words));
}

interface ApiCallError {
  readonly statusCode?: unknown;
  readonly isRetryable?: unknown;
  readonly responseHeaders?: unknown;
  readonly responseBody?: unknown;
}

const unsupportedFile = ({ name }: Pick<ErrorContext, 'name'>, what: string): WorkflowError =>
  new WorkflowError({
    code: 'MODEL_INPUT_UNSUPPORTED',
    message: `"${name}" does not support a file of the request: ${what}`,
    hint: 'Remove the file, or use a model that supports it.',
  });

const textsOf = (record: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && /^[\x20-\x7e]*$/.test(entry[1])),
  );

function isConnectionError(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && noConnection.test(String(at.code))) return true;
  }
  return error instanceof TypeError && /fetch failed|network/i.test(error.message);
}

/** Joins the message with the one at the end of the cause chain. */
function describe(error: unknown): string {
  if (!(error instanceof Error))
    return isObject(error) && typeof error.message === 'string' ? error.message : (JSON.stringify(error) ?? String(error));
  let root = error;
  while (root.cause instanceof Error) root = root.cause;
  return root === error || error.message.includes(root.message) ? error.message || error.name : `${error.message} (${root.message})`;
}
