import type { JsonObject } from '../../core/ports/json.ts';
import type { HttpErrorCode } from '../api/http-error-code.ts';

export interface RefusalOptions {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 413 | 415 | 421 | 429 | 503;
  readonly code: HttpErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly data?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request was rejected before any work was done. */
export class Refusal extends Error {
  readonly status: RefusalOptions['status'];
  readonly code: HttpErrorCode;
  readonly hint: string | undefined;
  readonly data: JsonObject | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, message, hint, data, headers = {} }: RefusalOptions) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.data = data;
    this.headers = headers;
  }
}

export const requestInvalid = (message: string, data?: JsonObject): Refusal =>
  new Refusal({ status: 400, code: 'REQUEST_INVALID', message, ...(data ? { data } : {}) });

export const tooMany = (code: 'TOO_MANY_REQUESTS' | 'TOO_MANY_STREAMS', message: string, waitMs: number): Refusal =>
  new Refusal({ status: 429, code, message, headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) } });

export const notFound = (): Refusal => new Refusal({ status: 404, code: 'NOT_FOUND', message: 'Not found.' });

export const notAuthenticated = (): Refusal =>
  new Refusal({
    status: 401,
    code: 'NOT_AUTHENTICATED',
    message: 'The request has no valid token.',
    hint: 'Send Authorization: Bearer TOKEN, or open the address that the server printed.',
    headers: { 'www-authenticate': 'Bearer' },
  });
