import type OpenAI from 'openai';
import { pause } from '../../core/util/pause.ts';
import type { RemoteSettings } from '../remote-model-options.ts';
import type { ReplyClock } from '../reply-clock.ts';
import { retryPauses } from '../retry-pauses.ts';
import { type ErrorContext, forbidsRetry, fromClientError, type Refusal, refusalOf } from './openai-error.ts';
import { patientFetchOptions } from './patient-fetch.ts';

export interface RequestCompletionOptions<TBody> {
  /**
   * Sends the request once, and returns the raw response. The client's own readers hide comments, a stream's finish reason, and ends that
   * are aborts.
   */
  readonly send: (body: TBody, options: OpenAI.RequestOptions) => Promise<Response>;
  /** Builds the body without the features that the server is known to reject. */
  readonly bodyOf: () => TBody;
  readonly attempt: {
    /** True: a further feature can be left out, so retry. */
    readonly concede: (body: TBody, refusal: Refusal) => boolean;
    readonly learn: () => void;
  };
  readonly clock: ReplyClock;
  readonly context: ErrorContext;
  readonly settings: RemoteSettings;
}

/** Disables the client's timeout. The reply clock enforces the limits; the client's error would hide which one was hit. */
const noTimeout = 2 ** 31 - 1;

/**
 * Sends a request until a response begins. Retries after transient failures, and without the features that the server rejects.
 *
 * @throws {WorkflowError} `MODEL_UNAVAILABLE`, `MODEL_REQUEST_REFUSED`; the clock's abort reason.
 */
export async function requestCompletion<TBody>(options: RequestCompletionOptions<TBody>): Promise<Response> {
  const { send, bodyOf, attempt, clock, context, settings } = options;
  const { signal } = clock;
  const pauseAfter = retryPauses(settings);
  for (let attempts = 1; ; ) {
    const body = bodyOf();
    signal.throwIfAborted();
    clock.attempt();
    try {
      const response = await send(body, {
        // the client's own retries ignore a `Retry-After` of more than a minute, and cannot be observed
        ...{ signal, timeout: noTimeout, maxRetries: 0, fetchOptions: patientFetchOptions() },
        headers: { ...settings.headers, 'x-stainless-retry-count': String(attempts - 1) },
      });
      attempt.learn();
      return response;
    } catch (error) {
      signal.throwIfAborted();
      if (attempt.concede(body, refusalOf(error))) continue;
      const failure = fromClientError(error, context, attempts);
      if (forbidsRetry(error)) throw failure;
      const delayMs = pauseAfter(failure);
      clock.rest();
      await pause(delayMs, settings.clock, signal);
      attempts += 1;
    }
  }
}
