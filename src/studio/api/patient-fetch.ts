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
      const waitMs = response.status === 429 ? 1000 * Number(response.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
      if (!(waitMs > 0 && heldMs + waitMs <= longestMs)) return response;
      await response.body?.cancel();
      heldMs += waitMs;
      onHeld(Date.now() + waitMs);
      await passed(waitMs, init?.signal);
    }
  };
}

/** @throws the signal's reason when it is aborted meanwhile. */
function passed(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
