import type { ApiError } from '../api/api-error.ts';

/** An error response of the server. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** HTTP status. */
  readonly status: number;
  /** Error code of the package or of the server; `UNKNOWN` when a proxy has answered. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly data: ApiError['data'];
  /** Delay that the server requests before a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: Partial<ApiError> | undefined, retryAfterMs: number | undefined) {
    super(body?.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body?.code ?? 'UNKNOWN';
    this.hint = body?.hint;
    this.requestId = body?.requestId;
    this.data = body?.data;
    this.retryAfterMs = retryAfterMs;
  }
}
