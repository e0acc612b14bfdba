/** What the server refused, or why it could not be asked. */
export class ApiError extends Error {
  /** One of the package's codes, or `NOT_REACHABLE`. */
  readonly code: string;
  /** What to do about it. */
  readonly hint: string | undefined;
  /** 0 when there was no answer. */
  readonly status: number;

  constructor({ code, message, hint, status }: { code: string; message: string; hint?: string | undefined; status: number }) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.status = status;
  }
}

export const toApiError = (cause: unknown): ApiError =>
  cause instanceof ApiError
    ? cause
    : new ApiError({ code: 'NOT_REACHABLE', message: cause instanceof Error ? cause.message : String(cause), status: 0 });

/** The server has no such route: it is older than this page, or was made without it. */
export const isNotOffered = (cause: unknown): boolean =>
  cause instanceof ApiError && ((cause.status === 404 && cause.code === 'NOT_FOUND') || cause.status === 405);
