/** Batches the items that arrive within one frame, so that the page does not render for each word. */
export function createBatch<T>(take: (items: readonly T[]) => void): { add(items: readonly T[]): void; flush(): void } {
  let items: T[] = [];
  let frame: number | undefined;
  const flush = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    frame = undefined;
    if (items.length > 0) take(items);
    items = [];
  };
  return {
    add: (more) => {
      items.push(...more);
      frame ??= requestAnimationFrame(flush);
    },
    flush,
  };
}
