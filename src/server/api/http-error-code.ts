/** Codes of requests that the server rejects before it does any work; `docs/reference/errors.md` explains each. */
export const httpErrorCodes = [
  'HOST_NOT_ALLOWED',
  'ORIGIN_NOT_ALLOWED',
  'NOT_AUTHENTICATED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'MEDIA_TYPE_UNSUPPORTED',
  'BODY_TOO_LARGE',
  'BODY_TOO_SLOW',
  'REQUEST_INVALID',
  'TOO_MANY_REQUESTS',
  'TOO_MANY_STREAMS',
  'SERVER_CLOSING',
] as const;

export type HttpErrorCode = (typeof httpErrorCodes)[number];
