import { pause } from '../../util/pause.ts';
import { retryAfter } from '../../util/retry-after.ts';
import { systemClock } from '../../util/system-clock.ts';

/** How long a request is kept at most, in milliseconds. */
const longestMs = 60_000;

/**
 * A `fetch` that sends a request again when the server says that it was too much at once, as long after as it says: the server has done
 * nothing of it. What would take too long is answered as the server did.
 *
 * @param onHeld told until when a request is kept, in milliseconds since 1970.
 */
export function patientFetch(given: typeof fetch, onHeld: (untilMs: number) => void): typeof fetch {
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
