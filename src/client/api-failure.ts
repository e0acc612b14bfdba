import type { ApiError } from '../api/api-error.ts';

/** An answer of the server that is no success. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** Of HTTP. */
  readonly status: number;
  /** An error code of the package, or one of the server's own; `UNKNOWN` when somebody between has answered. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly data: ApiError['data'];
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, body: Partial<ApiError> | undefined, retryAfterMs: number | undefined) {
    super(body?.message ?? `The server has answered ${status}.`);
    this.status = status;
    this.code = body?.code ?? 'UNKNOWN';
    this.hint = body?.hint;
    this.requestId = body?.requestId;
    this.data = body?.data;
    this.retryAfterMs = retryAfterMs;
  }
}
