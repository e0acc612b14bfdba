import { toErrorInfo, toSafeError } from '../../core/errors/errors.ts';
import { httpStatusOf, retryHeaders, toldData } from '../../core/util/http-status.ts';
import type { ApiError } from '../api/api-error.ts';
import { Refusal } from './refusal.ts';

/** 5xx errors are masked like unexpected errors: their messages may contain file paths or SQL. */
const isOwnTrouble = (status: number): boolean => status >= 500;

export interface AnsweredError {
  readonly status: number;
  readonly body: ApiError;
  readonly headers: Readonly<Record<string, string>>;
}

/** Converts any thrown value to the error response, without stack, path or SQL. */
export function toAnsweredError(thrown: unknown, requestId: string): AnsweredError {
  if (thrown instanceof Refusal) {
    const { status, code, message, hint, data, headers } = thrown;
    return { status, headers, body: { code, message, ...(hint ? { hint } : {}), requestId, ...(data ? { data } : {}) } };
  }
  const error = toErrorInfo(thrown);
  const status = httpStatusOf(thrown);
  if (isOwnTrouble(status)) {
    const { code } = error;
    const { message, hint } = toSafeError({ ...error, code: 'UNKNOWN' });
    return {
      status,
      headers: retryHeaders(status),
      body: {
        code,
        message,
        ...(hint ? { hint: hint.replace('The log of the run says what.', "The server's log says what.") } : {}),
        requestId,
      },
    };
  }
  const { code, message, hint, data } = error;
  return {
    status,
    headers: retryHeaders(status),
    body: { code, message, ...(hint ? { hint } : {}), requestId, ...(data && toldData.has(code) ? { data } : {}) },
  };
}

export const errorResponse = (thrown: unknown, requestId: string): Response => {
  const { status, body, headers } = toAnsweredError(thrown, requestId);
  return Response.json(body, { status, headers });
};
