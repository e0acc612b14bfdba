import { type ErrorCode, WorkflowError } from '../errors/errors.ts';

/** Every other code is a fault of the server: 500. */
const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  RUN_UNKNOWN: 404,
  THREAD_UNKNOWN: 404,
  WORKFLOW_UNKNOWN: 404,
  INTERRUPT_UNKNOWN: 404,
  CALL_UNKNOWN: 404,
  FORK_POINT_UNKNOWN: 404,
  FILE_NOT_FOUND: 404,
  SCHEDULE_UNKNOWN: 404,
  SCHEDULE_EXISTS: 409,
  SCHEDULE_DECLARED: 409,
  RUN_EXISTS: 409,
  RUN_BUSY: 409,
  PATCH_REFUSED: 409,
  RUN_ENDED: 409,
  RUN_FENCED: 409,
  RUN_POISONED: 409,
  RUN_SUSPENDED: 409,
  INTERRUPT_ANSWERED: 409,
  INTERRUPT_EXPIRED: 409,
  INTERRUPT_MOVED: 409,
  CALL_IN_DOUBT: 409,
  FORK_REPEATS_EFFECT: 409,
  RUN_IN_THREAD: 409,
  THREAD_BUSY: 409,
  THREAD_MOVED_ON: 409,
  THREAD_OF_OTHER_WORKFLOW: 409,
  JOURNAL_OF_OTHER_MACHINE: 409,
  OFFER_CHANGED: 409,
  INPUT_INVALID: 400,
  TOOL_UNKNOWN: 400,
  EVENT_NOT_ACCEPTED: 400,
  EVENT_INVALID: 400,
  PATCH_INVALID: 400,
  STATE_KEY_UNKNOWN: 400,
  ID_INVALID: 400,
  OPTION_INVALID: 400,
  VALUE_NOT_JSON: 400,
  OUTPUT_TOO_LARGE: 413,
  FILE_TOO_LARGE: 413,
  FILE_NOT_TEXT: 422,
  DOCUMENT_INVALID: 422,
  GUARD_STOPPED: 422,
  GUARD_HELD: 422,
  MEMORY_INVALID: 400,
  MEMORY_FULL: 409,
  TOO_MANY_RUNS: 429,
  TOO_MANY_THREADS: 409,
  DOCUMENTS_FULL: 413,
  TIME_ZONE_UNKNOWN: 400,
  GUARD_FAILED: 503,
  STORE_UNAVAILABLE: 503,
  RUNTIME_CLOSED: 503,
};

/** HTTP status for a thrown value, the same in every protocol. */
export const httpStatusOf = (thrown: unknown): number => (WorkflowError.isInstance(thrown) ? statuses[thrown.code] : undefined) ?? 500;

/** Codes whose data is safe for clients: it repeats the request or lists alternatives. The data of other codes may name files or hosts. */
export const codesWithPublicData: ReadonlySet<string> = new Set<ErrorCode>([
  'INPUT_INVALID',
  'INTERRUPT_ANSWERED',
  'INTERRUPT_EXPIRED',
  'LIMIT_EXCEEDED',
  'RUN_EXISTS',
  'RUN_IN_THREAD',
  'THREAD_BUSY',
  'FORK_REPEATS_EFFECT',
  'CALL_IN_DOUBT',
  'TOO_MANY_RUNS',
  'TOO_MANY_THREADS',
  'DOCUMENTS_FULL',
]);

/** Header with the delay before a retry, for statuses that allow one. */
export const retryHeaders = (status: number): Readonly<Record<string, string>> =>
  status === 429 || status === 503 ? { 'retry-after': '1' } : {};
