import { type FeatureExtraction, transformersEmbedder } from 'agent-machines/search';
import { describe, expect, it } from 'vitest';

/** Stands for the model, whose weights are not here: two numbers for each text. */
function standIn(data = (texts: readonly string[]): number[] => texts.flatMap(({ length }) => [length, 1])) {
  const asked: { readonly texts: readonly string[]; readonly options: unknown }[] = [];
  const pipeline: FeatureExtraction = async (texts, options) => {
    asked.push({ texts, options });
    return { dims: [texts.length, 2], data: Float32Array.from(data(texts)) };
  };
  return { pipeline, asked };
}

describe('transformersEmbedder', () => {
  it("returns the pipeline's vectors at length 1, mean-pooled, in batches", async () => {
    const { pipeline, asked } = standIn();
    const vectors = await transformersEmbedder({ pipeline, dimensions: 2, batchSize: 2 }).embed(['aaaa', '', 'b', 'cc']);
    expect(vectors.map((vector) => [...vector].map((value) => value.toFixed(3)))).toEqual([
      ['0.970', '0.243'],
      ['0.000', '0.000'],
      ['0.707', '0.707'],
      ['0.894', '0.447'],
    ]);
    const options = { pooling: 'mean', normalize: true };
    expect(asked).toEqual([
      { texts: ['aaaa', 'b'], options },
      { texts: ['cc'], options },
    ]);
  });

  it('has the name of its model, by default multilingual MiniLM with 384 dimensions', () => {
    expect(transformersEmbedder({})).toMatchObject({ name: 'Xenova/paraphrase-multilingual-MiniLM-L12-v2', dimensions: 384 });
  });

  it('explains how to install a missing package', async () => {
    await expect(transformersEmbedder({ modelPath: '/models' }).embed(['a'])).rejects.toMatchObject({
      code: 'ADAPTER_MISSING',
      hint: expect.stringContaining('npm install @huggingface/transformers'),
    });
  });

  it('loads nothing for texts without content', async () => {
    await expect(transformersEmbedder({}).embed(['', ' '])).resolves.toHaveLength(2);
  });

  it.each([
    ['of another width', [2, 3], 6],
    ['with fewer rows', [1, 2], 2],
    ['that does not fit its data', [2, 2], 3],
    ['of three dimensions', [2, 1, 2], 4],
  ])('refuses a tensor %s', async (_, dims, length) => {
    const pipeline: FeatureExtraction = async () => ({ dims, data: new Float32Array(length).fill(1) });
    await expect(transformersEmbedder({ pipeline, dimensions: 2 }).embed(['a', 'b'])).rejects.toMatchObject({ code: 'EMBEDDER_INVALID' });
  });

  it('refuses numbers that are not finite', async () => {
    const { pipeline } = standIn(() => [Number.NaN, 1]);
    await expect(transformersEmbedder({ pipeline, dimensions: 2 }).embed(['a'])).rejects.toMatchObject({ code: 'EMBEDDER_INVALID' });
  });

  it('reports an error of the model', async () => {
    const pipeline: FeatureExtraction = () => Promise.reject(new Error('out of memory'));
    await expect(transformersEmbedder({ pipeline, dimensions: 2 }).embed(['a'])).rejects.toMatchObject({
      code: 'EMBEDDER_UNAVAILABLE',
      message: expect.stringContaining('out of memory'),
    });
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reason = new Error('enough');
    const { pipeline, asked } = standIn();
    await expect(transformersEmbedder({ pipeline }).embed(['a'], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  it.each([{ dimensions: 0 }, { batchSize: 0 }])('refuses %j', (options) => {
    expect(() => transformersEmbedder(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
