import type { ApiError } from '../api/api-error.ts';
import { type ErrorCode, toErrorInfo, toSafeError, WorkflowError } from '../errors.ts';
import { Refusal } from './refusal.ts';

/** What is not here is the server's own trouble: 500. */
const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  RUN_UNKNOWN: 404,
  THREAD_UNKNOWN: 404,
  WORKFLOW_UNKNOWN: 404,
  INTERRUPT_UNKNOWN: 404,
  CALL_UNKNOWN: 404,
  FORK_POINT_UNKNOWN: 404,
  FILE_NOT_FOUND: 404,
  RUN_EXISTS: 409,
  RUN_BUSY: 409,
  RUN_ENDED: 409,
  RUN_FENCED: 409,
  RUN_POISONED: 409,
  RUN_SUSPENDED: 409,
  INTERRUPT_ANSWERED: 409,
  CALL_IN_DOUBT: 409,
  FORK_REPEATS_EFFECT: 409,
  THREAD_BUSY: 409,
  THREAD_MOVED_ON: 409,
  THREAD_OF_OTHER_WORKFLOW: 409,
  JOURNAL_OF_OTHER_MACHINE: 409,
  INPUT_INVALID: 400,
  EVENT_NOT_ACCEPTED: 400,
  EVENT_INVALID: 400,
  PATCH_INVALID: 400,
  STATE_KEY_UNKNOWN: 400,
  ID_INVALID: 400,
  OPTION_INVALID: 400,
  VALUE_NOT_JSON: 400,
  OUTPUT_TOO_LARGE: 413,
  FILE_TOO_LARGE: 413,
  DOCUMENT_INVALID: 422,
  MEMORY_INVALID: 400,
  MEMORY_FULL: 409,
  TIME_ZONE_UNKNOWN: 400,
  STORE_UNAVAILABLE: 503,
  RUNTIME_CLOSED: 503,
};

/** The data of these may be told: it names what the caller asked for, or what it may ask for next. Of others it may name files or hosts. */
const toldData: ReadonlySet<string> = new Set<ErrorCode>([
  'INTERRUPT_ANSWERED',
  'LIMIT_EXCEEDED',
  'RUN_EXISTS',
  'THREAD_BUSY',
  'FORK_REPEATS_EFFECT',
  'CALL_IN_DOUBT',
]);

/** What is told of these is what is told of anything that nobody expected: they speak of files and rows. */
const isOwnTrouble = (status: number): boolean => status >= 500;

export interface AnsweredError {
  readonly status: number;
  readonly body: ApiError;
  readonly headers: Readonly<Record<string, string>>;
}

/** Anything that was thrown, as it is answered: no stack, no path, no SQL. */
export function toAnsweredError(thrown: unknown, requestId: string): AnsweredError {
  if (thrown instanceof Refusal) {
    const { status, code, message, hint, data, headers } = thrown;
    return { status, headers, body: { code, message, ...(hint ? { hint } : {}), requestId, ...(data ? { data } : {}) } };
  }
  const error = toErrorInfo(thrown);
  const status = (WorkflowError.isInstance(thrown) ? statuses[thrown.code] : undefined) ?? 500;
  if (isOwnTrouble(status)) {
    const { code } = error;
    const { message, hint } = toSafeError({ ...error, code: 'UNKNOWN' });
    return {
      status,
      headers: status === 503 ? { 'retry-after': '1' } : {},
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
    headers: {},
    body: { code, message, ...(hint ? { hint } : {}), requestId, ...(data && toldData.has(code) ? { data } : {}) },
  };
}

export const errorResponse = (thrown: unknown, requestId: string): Response => {
  const { status, body, headers } = toAnsweredError(thrown, requestId);
  return Response.json(body, { status, headers });
};
