import type { JsonObject } from '../ports/json.ts';

/** The body of every answer that is no success. */
export interface ApiError {
  /** An error code of the package, or one of the server's own. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** What the server's log calls this request. */
  readonly requestId: string;
  readonly data?: JsonObject;
}
