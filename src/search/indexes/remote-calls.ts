import type { StoredEntry } from './guarded-index.ts';

/** Runs tasks one after the other, in call order. */
export function inTurn(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work); // the caller of the previous task got its error
    last = next;
    return next;
  };
}

const bytesPerNumber = 12;
const maxBytes = 8_000_000;

/** Splits entries into requests that servers accept, of about 8 MB of JSON. */
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
