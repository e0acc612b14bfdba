import type { Clock } from '../ports/clock.ts';
import type { JsonObject } from '../ports/json.ts';
import { checkInteger } from '../util/check-integer.ts';
import { systemClock } from '../util/system-clock.ts';
import { checkReplyTimeouts, type ReplyTimeouts } from './reply-clock.ts';

/** How much a model thinks before it answers. Which words it knows is up to the provider. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | (string & {});

/** What every model takes that is asked over a network. */
export interface RemoteModelOptions extends ReplyTimeouts {
  /** Shown in events and errors. Default: the model's id. */
  readonly name?: string;
  /**
   * Attempts after the first when the reply does not begin; once it has begun, none. A busy provider (status 429 or 529) is not counted but
   * waited for, unless it is 0. @default 2
   */
  readonly maxRetries?: number;
  /**
   * Longest time that a request waits for a busy provider in all, in milliseconds: as long as it asks, else exponentially. If it asks for
   * more, the request fails at once. @default 60_000
   */
  readonly maxRetryAfterMs?: number;
  /** Times waits and limits. @default the machine's clock */
  readonly clock?: Pick<Clock, 'schedule'>;
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

/** What every model needs of its options, checked. */
export interface RemoteSettings {
  readonly limits: Required<ReplyTimeouts>;
  readonly maxRetries: number;
  readonly maxRetryAfterMs: number;
  readonly clock: Pick<Clock, 'schedule'>;
  readonly headers: Readonly<Record<string, string>>;
  /** What may be secret in the headers: their values, with and without the name of their scheme. */
  readonly secrets: readonly string[];
  /** Values of headers that are keys, by their name. */
  readonly keys: readonly string[];
}

/** @throws {WorkflowError} `OPTION_INVALID` for a number that is out of its range. */
export function checkRemoteOptions(options: Omit<RemoteModelOptions, 'extraBody' | 'reasoningEffort'>): RemoteSettings {
  const { headers = {}, maxOutputTokens } = options;
  if (maxOutputTokens !== undefined) checkInteger('maxOutputTokens', maxOutputTokens, { min: 1 });
  const secretsOf = (values: readonly string[]): readonly string[] => values.flatMap((value) => [value, value.replace(/^\w+\s+/, '')]);
  const isKey = ([name]: readonly [string, string]): boolean => /auth|cookie|key|secret|token/i.test(name);
  return {
    limits: checkReplyTimeouts(options),
    maxRetries: checkInteger('maxRetries', options.maxRetries ?? 2, { min: 0 }),
    maxRetryAfterMs: checkInteger('maxRetryAfterMs', options.maxRetryAfterMs ?? 60_000, { min: 0 }),
    clock: options.clock ?? systemClock,
    headers,
    secrets: secretsOf(Object.values(headers)),
    keys: secretsOf(
      Object.entries(headers)
        .filter(isKey)
        .map(([, value]) => value),
    ),
  };
}
