import { toErrorInfo, toSafeError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import { httpStatusOf, retryHeaders, toldData } from '../../core/util/http-status.ts';

interface ToldError {
  readonly status: number;
  readonly error: ErrorInfo;
}

/** Converts any thrown value to an error for clients: no stack, no path, no details of unexpected errors. */
export function toToldError(thrown: unknown): ToldError {
  const error = toErrorInfo(thrown);
  const status = httpStatusOf(thrown);
  return { status, error: status >= 500 ? { ...toSafeError({ ...error, code: 'UNKNOWN' }), code: error.code } : error };
}

/** Error response in the format of the native API. */
export function errorResponse(thrown: unknown): Response {
  const { status, error } = toToldError(thrown);
  const { code, message, hint, data } = error;
  const body = { code, message, ...(hint ? { hint } : {}), ...(data && toldData.has(code) ? { data } : {}) };
  return Response.json(body, { status, headers: retryHeaders(status) });
}
