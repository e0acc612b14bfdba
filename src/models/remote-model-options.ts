import type { Clock } from '../core/ports/clock.ts';
import type { JsonObject } from '../core/ports/json.ts';
import { checkInteger } from '../core/util/check-integer.ts';
import { systemClock } from '../core/util/system-clock.ts';
import { checkReplyTimeouts, type ReplyTimeouts } from './reply-clock.ts';

/** Reasoning effort before the answer. The accepted words depend on the provider. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | (string & {});

/** Options of every remote model. */
export interface RemoteModelOptions extends ReplyTimeouts {
  /** Name in events and errors. Default: the model's id. */
  readonly name?: string;
  /**
   * Maximum number of retries before the reply begins; a reply that has begun is not retried. Waits for a busy provider (status 429 or 529)
   * do not count, but 0 disables them as well. @default 2
   */
  readonly maxRetries?: number;
  /**
   * Time limit of all waits of a request for a busy provider, in milliseconds. Waits follow the provider's request, else exponential
   * backoff. If the provider asks for more, the request fails at once. @default 60_000
   */
  readonly maxRetryAfterMs?: number;
  /** Clock for waits and limits. @default the machine's clock */
  readonly clock?: Pick<Clock, 'schedule' | 'monotonic'>;
  /** Reasoning effort of the model. Default: the provider's. */
  readonly reasoningEffort?: ReasoningEffort;
  /** Maximum number of tokens of each reply, unless the request sets it. Default: the provider's. */
  readonly maxOutputTokens?: number;
  /** Additional headers of each request. Their values are removed from errors, like the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Additional fields of each request's body, for provider-specific settings. They override ours, but objects are merged, so `{ reasoning:
   * { summary: 'auto' } }` keeps the effort.
   */
  readonly extraBody?: JsonObject;
}

/** Validated settings of a remote model. */
export interface RemoteSettings {
  readonly limits: Required<ReplyTimeouts>;
  readonly maxRetries: number;
  readonly maxRetryAfterMs: number;
  readonly clock: Pick<Clock, 'schedule' | 'monotonic'>;
  readonly headers: Readonly<Record<string, string>>;
  /** Possible secrets in the headers: their values, with and without the name of their scheme. */
  readonly secrets: readonly string[];
  /** Values of headers that hold keys, by the header's name. */
  readonly keys: readonly string[];
}

/** @throws {WorkflowError} `OPTION_INVALID` for a number out of range. */
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
