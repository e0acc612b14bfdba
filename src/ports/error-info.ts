import type { JsonObject } from './json.ts';

/** An error as data: what the journal, the events and a node's error edge carry. */
export interface ErrorInfo {
  readonly name: string;
  /** Stable identifier, listed in `docs/reference/errors.md`; `UNKNOWN` for an error that is not ours. */
  readonly code: string;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** True when the same attempt may succeed later. */
  readonly retryable: boolean;
  /** How long a server has asked to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly data?: JsonObject;
}
