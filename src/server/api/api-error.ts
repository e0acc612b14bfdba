import type { JsonObject } from '../../core/ports/json.ts';

/** Body of every error response. */
export interface ApiError {
  /** Error code of the package or of the server. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** Id of this request in the server's log. */
  readonly requestId: string;
  readonly data?: JsonObject;
}
