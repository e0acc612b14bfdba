import { type ErrorCode, toErrorInfo, toSafeError, WorkflowError } from '../errors.ts';
import type { ErrorInfo } from '../ports/error-info.ts';

/** What is not here is no fault of the client: 500. */
const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  RUN_UNKNOWN: 404,
  THREAD_UNKNOWN: 404,
  WORKFLOW_UNKNOWN: 404,
  INTERRUPT_UNKNOWN: 404,
  CALL_UNKNOWN: 404,
  RUN_EXISTS: 409,
  RUN_BUSY: 409,
  RUN_ENDED: 409,
  RUN_FENCED: 409,
  RUN_POISONED: 409,
  INTERRUPT_ANSWERED: 409,
  CALL_IN_DOUBT: 409,
  THREAD_BUSY: 409,
  THREAD_MOVED_ON: 409,
  THREAD_OF_OTHER_WORKFLOW: 409,
  INPUT_INVALID: 400,
  EVENT_NOT_ACCEPTED: 400,
  EVENT_INVALID: 400,
  PATCH_INVALID: 400,
  ID_INVALID: 400,
  OPTION_INVALID: 400,
  VALUE_NOT_JSON: 400,
  OUTPUT_TOO_LARGE: 413,
  STORE_UNAVAILABLE: 503,
  RUNTIME_CLOSED: 503,
};

interface ToldError {
  readonly status: number;
  readonly error: ErrorInfo;
}

/** Anything that was thrown, as a client may be told it: no stack, no path, nothing of what nobody expected. */
export function toToldError(thrown: unknown): ToldError {
  const error = toErrorInfo(thrown);
  const status = (WorkflowError.isInstance(thrown) ? statuses[thrown.code] : undefined) ?? 500;
  return { status, error: status >= 500 ? { ...toSafeError({ ...error, code: 'UNKNOWN' }), code: error.code } : error };
}

/** In the shape of the native API. */
export function errorResponse(thrown: unknown): Response {
  const { status, error } = toToldError(thrown);
  const { code, message, hint, data } = error;
  return Response.json({ code, message, ...(hint ? { hint } : {}), ...(data ? { data } : {}) }, { status });
}
