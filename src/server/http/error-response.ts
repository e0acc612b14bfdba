import { toErrorInfo, toSafeError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { codesWithPublicData, httpStatusOf, retryHeaders } from '../../core/util/http-status.ts';
import type { ApiError } from '../api/api-error.ts';
import { Refusal } from './refusal.ts';

interface PublicError {
  readonly status: number;
  readonly error: ErrorInfo;
}

/**
 * Converts any thrown value to an error for clients, without stack, path or SQL. 5xx errors are masked like unexpected errors: their
 * messages may contain file paths or SQL.
 */
function toPublicError(thrown: unknown): PublicError {
  const error = toErrorInfo(thrown);
  const status = httpStatusOf(thrown);
  return { status, error: status >= 500 ? { ...toSafeError({ ...error, code: 'UNKNOWN' }), code: error.code } : error };
}

export interface ErrorReply {
  readonly status: number;
  readonly body: Omit<ApiError, 'requestId'> & Partial<Pick<ApiError, 'requestId'>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Converts any thrown value to the error response. Apps without a server have no `requestId`. */
export function toErrorReply(thrown: unknown, requestId?: string): ErrorReply {
  const id = requestId === undefined ? {} : { requestId };
  if (thrown instanceof Refusal) {
    const { status, code, message, hint, data, headers } = thrown;
    return { status, headers, body: { code, message, ...(hint ? { hint } : {}), ...id, ...(data ? { data } : {}) } };
  }
  const { status, error } = toPublicError(thrown);
  const { code, message, data } = error;
  const hint = requestId === undefined ? error.hint : error.hint?.replace('the log of the run', "the server's log");
  return {
    status,
    headers: retryHeaders(status),
    body: { code, message, ...(hint ? { hint } : {}), ...id, ...(data && codesWithPublicData.has(code) ? { data } : {}) },
  };
}

export function errorResponse(thrown: unknown, requestId?: string): Response {
  const { status, body, headers } = toErrorReply(thrown, requestId);
  return Response.json(body, { status, headers });
}
