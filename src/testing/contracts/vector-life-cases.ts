import type { VectorIndex } from '../../core/ports/vector-index.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { entryOf, exampleEmbedder, idsOf, scatteredVectors, type VectorSubject, vectorOf } from './example-vectors.ts';

const vector = vectorOf(1, 2, 3);

const calls = (index: VectorIndex, signal?: AbortSignal): readonly (() => Promise<unknown>)[] => {
  const options = signal ? { signal } : {};
  return [
    () => index.upsert([entryOf('b', vector)], options),
    () => index.upsert([], options),
    () => index.remove(['a'], options),
    () => index.search(vector, { ...options, limit: 1 }),
    () => index.get(['a'], options),
    () => index.count(options),
  ];
};

/** Opening, closing and sharing of an index. */
export const vectorLifeCases: Cases<VectorSubject> = {
  'is empty when it is new': async ({ index }) => {
    checkSame([await index.count(), index.dimensions], [0, exampleEmbedder.dimensions], 'count and dimensions');
    check(index.name.length > 0, 'it has a name');
  },

  'rejects with the reason after an abort and changes nothing': async ({ index }) => {
    await index.upsert([entryOf('a', vector)]);
    const reason = new Error('no more');
    for (const call of calls(index, AbortSignal.abort(reason))) {
      const thrown = await call().then(
        () => undefined,
        (cause: unknown) => cause,
      );
      check(thrown === reason, `a call is rejected with the reason of the abort, not with ${String(thrown)}`);
    }
    checkSame(idsOf(await index.get(['a', 'b'])), ['a'], 'the entries');
  },

  'refuses every call after it was closed and closes twice': async ({ index }) => {
    await index.upsert([entryOf('a', vector)]);
    await index.close();
    await index.close();
    for (const call of calls(index)) await checkRefused(call, 'INDEX_CLOSED');
  },

  'does not find entries of another index': async ({ index, open }) => {
    const other = await open('-other');
    await index.upsert([entryOf('a', vector)]);
    await other.upsert([entryOf('b', vector)]);
    checkSame(idsOf(await index.search(vector, { limit: 10 })), ['a'], 'the hits of the first index');
    checkSame(idsOf(await other.search(vector, { limit: 10 })), ['b'], 'the hits of the second index');
  },

  'keeps all concurrent writes': async ({ index }) => {
    const vectors = scatteredVectors(20);
    await Promise.all(vectors.map((one, i) => index.upsert([entryOf(`e${i}`, one), entryOf('same', one)])));
    await Promise.all([index.remove(['e3']), index.remove(['e4']), index.upsert([entryOf('last', vector)])]);
    checkSame(await index.count(), 20, 'the count');
    checkSame((await index.search(vector, { limit: 100 })).length, 20, 'the number of hits');
  },
};

/** Persistence of an index beyond its process. */
export const vectorReopenCases: Cases<VectorSubject> = {
  'keeps all entries when it is opened again': async ({ index, open }) => {
    const entries = scatteredVectors(30).map((one, i) => entryOf(`e${i}`, one, { i, label: `제${i}조` }));
    await index.upsert([...entries, entryOf('zero', vectorOf())]);
    await index.remove(['e7']);
    const before = await index.search(vector, { limit: 100 });
    const filtered = await index.search(vector, { limit: 100, filter: { label: '제5조' } });
    await index.close();
    const again = await open();
    checkSame(await again.count(), 30, 'the count');
    checkSame(await again.search(vector, { limit: 100 }), before, 'the answer');
    checkSame(await again.search(vector, { limit: 100, filter: { label: '제5조' } }), filtered, 'the filtered hits');
    checkSame(idsOf(await again.get(['e7', 'zero', 'e1'])), ['zero', 'e1'], 'the entries');
    await again.upsert([entryOf('e7', vector)]);
    checkSame(idsOf(await again.search(vector, { limit: 1 })), ['e7'], 'the hits after another entry');
  },

  'refuses another embedder and names both': async ({ index, open }) => {
    await index.upsert([entryOf('a', vector)]);
    await index.close();
    const { name, dimensions } = exampleEmbedder;
    for (const other of [
      { name: 'another', dimensions },
      { name, dimensions: 9 },
    ]) {
      for (const _ of ['once', 'and again']) {
        const { data } = await checkRefused(() => open('', other), 'INDEX_OF_OTHER_EMBEDDER');
        checkSame(data, { stored: { name, dimensions }, given: other }, 'the data');
      }
    }
    const again = await open();
    checkSame(idsOf(await again.search(vector, { limit: 1 })), ['a'], 'the hits for its own embedder');
  },

  'remembers its embedder even if it is empty': async ({ index, open }) => {
    await index.close();
    await checkRefused(() => open('', { name: 'another', dimensions: 3 }), 'INDEX_OF_OTHER_EMBEDDER');
  },
};
