import type { JsonObject } from './json.ts';

/** An error as data, as the journal, the events and a node's error edge carry it. */
export interface ErrorInfo {
  readonly name: string;
  /** Stable identifier, listed in `docs/reference/errors.md`; `NODE_FAILED` for an error without a code. */
  readonly code: string;
  readonly message: string;
  /** Advice: an imperative sentence. */
  readonly hint?: string;
  /** True when the same attempt may succeed later. */
  readonly retryable: boolean;
  /** Delay that a server requested before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly data?: JsonObject;
}
