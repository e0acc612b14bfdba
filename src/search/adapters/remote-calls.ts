import type { StoredEntry } from './guarded-index.ts';

/** Waits for a request, but not longer than until the abort; `cancel` then ends it, where it can be ended. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, cancel: () => void = () => {}): Promise<T> {
  if (!signal) return work;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(signal.reason as Error);
      cancel();
    };
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Runs one piece of work after the other, in the order in which they came. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work); // who asked for the last one was told how it ended
    last = next;
    return next;
  };
}

const bytesPerNumber = 12;
const maxBytes = 8_000_000;

/** Cuts entries into requests that servers accept, of about 8 MB of JSON. */
export function inBatches(
  entries: readonly StoredEntry[],
  dimensions: number,
  maxEntries: number = Number.POSITIVE_INFINITY,
): StoredEntry[][] {
  const batches: StoredEntry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const more = dimensions * bytesPerNumber + entry.text.length * 3;
    const last = batches.at(-1);
    if (last && bytes + more <= maxBytes && last.length < maxEntries) {
      last.push(entry);
      bytes += more;
    } else {
      batches.push([entry]);
      bytes = more;
    }
  }
  return batches;
}
