import type { EmbedOptions } from '../../core/ports/embedder.ts';

/** Returns the vectors of some texts, none of them blank. */
export type EmbedBatch = (texts: readonly string[], options: EmbedOptions) => Promise<readonly Float32Array[]>;

export interface EmbedBatchesOptions extends EmbedOptions {
  readonly dimensions: number;
  readonly batchSize: number;
}

/** Sends texts in batches, one after the other. Blank texts get the zero vector and are not sent, because services reject them. */
export async function embedBatches(
  texts: readonly string[],
  embed: EmbedBatch,
  { dimensions, batchSize, ...options }: EmbedBatchesOptions,
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions));
  const places = [...texts.keys()].filter((i) => texts[i]?.trim() !== '');
  for (let start = 0; start < places.length; start += batchSize) {
    options.signal?.throwIfAborted();
    const batch = places.slice(start, start + batchSize);
    const embedded = await embed(
      batch.map((place) => texts[place] ?? ''),
      options,
    );
    for (const [i, place] of batch.entries()) vectors[place] = embedded[i] ?? new Float32Array(dimensions);
  }
  return vectors;
}
