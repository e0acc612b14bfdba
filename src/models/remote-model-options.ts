import type { JsonObject } from '../ports/json.ts';
import type { ReplyTimeouts } from './reply-clock.ts';

/** How much a model thinks before it answers. Which words it knows is up to the provider. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | (string & {});

/** What every model takes that is asked over a network. */
export interface RemoteModelOptions extends ReplyTimeouts {
  /** Shown in events and errors. Default: the model's id. */
  readonly name?: string;
  /** Attempts after the first when the reply does not begin; once it has begun, none. @default 2 */
  readonly maxRetries?: number;
  /** The longest pause that a server may ask for (`Retry-After`), in milliseconds; for a longer one the request fails. @default 60_000 */
  readonly maxRetryAfterMs?: number;
  /** How much the model thinks. Default: the provider's. */
  readonly reasoningEffort?: ReasoningEffort;
  /** Upper bound of each reply, in tokens, where the request says none. Default: the provider's. */
  readonly maxOutputTokens?: number;
  /** More headers of each request. Their values are taken out of errors, as the key is. */
  readonly headers?: Readonly<Record<string, string>>;
  /** More fields of each request's body, for what only this provider knows. They win over ours, but an
   * object joins an object, so `{ reasoning: { summary: 'auto' } }` leaves the effort as it is. */
  readonly extraBody?: JsonObject;
}
