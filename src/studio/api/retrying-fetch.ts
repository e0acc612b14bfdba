import { pause } from '../../core/util/pause.ts';
import { retryAfter } from '../../core/util/retry-after.ts';
import { systemClock } from '../../core/util/system-clock.ts';

/** Maximum total time that a request is held, in milliseconds. */
const longestMs = 60_000;

/**
 * Wraps `fetch` so that it retries after a 429, with the delay that the server requests. The server has not processed such a request. If
 * the total delay exceeds the maximum, the 429 is returned.
 *
 * @param onHeld Called with the end of the delay, in milliseconds since 1970.
 */
export function retryingFetch(given: typeof fetch, onHeld: (untilMs: number) => void): typeof fetch {
  return async (request, init) => {
    for (let heldMs = 0; ; ) {
      const response = await given(request, init);
      const waitMs = response.status === 429 ? (retryAfter(response.headers) ?? 0) : 0;
      if (waitMs === 0 || heldMs + waitMs > longestMs) return response;
      await response.body?.cancel();
      heldMs += waitMs;
      onHeld(Date.now() + waitMs);
      await pause(waitMs, systemClock, init?.signal ?? undefined);
    }
  };
}
