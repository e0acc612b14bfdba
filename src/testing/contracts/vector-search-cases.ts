import type { VectorMetadata } from '../../core/ports/vector-index.ts';
import { check, checkRefused, checkSame } from '../check.ts';
import type { Cases } from '../contract-case.ts';
import { checkHits, entryOf, expectedHits, idsOf, scatteredVectors, type VectorSubject, vectorOf } from './example-vectors.ts';

const limit = 10;
const query = vectorOf(1, 0.5);
/** Vectors in descending similarity to the query. */
const descending = [vectorOf(1, 0.5), vectorOf(1), vectorOf(0, 1), vectorOf(0, 0, 1), vectorOf(-1)].map((vector, i) =>
  entryOf(`e${i}`, vector),
);

/** Values that engines confuse. */
const kinds: readonly VectorMetadata[string][] = ['1', 1, true, 'true', '', 0, false, 'false', 'null', 1.5, -1, '1.5'];

/** Values that look like syntax of a query language. */
const awkward = ['제1조의2', '"', "'", "' OR 1=1 --", '\\', '%', '*', '$eq', '{"a":1}', 'a b', '\n', '가\u0301', 'x'.repeat(2_000)];

/** Hits of a search, and their order. */
export const vectorSearchCases: Cases<VectorSubject> = {
  'finds the nearest by cosine, best first': async ({ index }) => {
    await index.upsert([...descending].reverse());
    checkHits(await index.search(query, { limit }), expectedHits(descending, query, limit), 'the answer');
  },

  'takes no notice of the lengths of vectors': async ({ index }) => {
    const entries = descending.map(({ id, vector }, i) =>
      entryOf(
        id,
        vector.map((value) => value * 10 ** (2 * i - 4)),
      ),
    );
    await index.upsert(entries);
    const long = query.map((value) => value * 1_000);
    checkHits(await index.search(long, { limit }), expectedHits(descending, query, limit), 'the answer');
  },

  'breaks ties by id': async ({ index }) => {
    const ids = ['b', 'a10', 'a2', 'B', '가', '나', 'c', 'a1'];
    // equal directions with different numbers
    const ties = ids.map((id, i) =>
      entryOf(
        id,
        vectorOf(0.1, 0.3, 0.7).map((value) => value * (i + 1)),
      ),
    );
    await index.upsert([entryOf('0', vectorOf(0, 0, 0, 1)), ...ties]);
    checkSame(idsOf(await index.search(vectorOf(1, 1, 1), { limit })), [...ids.sort(), '0'], 'the answer');
  },

  'breaks ties by id where the limit cuts them': async ({ index }) => {
    const ids = Array.from({ length: 60 }, (_, i) => `e${String(i).padStart(2, '0')}`);
    await index.upsert([entryOf('z', query), ...[...ids].reverse().map((id) => entryOf(id, vectorOf(1)))]);
    for (const count of [1, 2, 7, 59]) {
      checkSame(idsOf(await index.search(query, { limit: count })), ['z', ...ids].slice(0, count), `the answer of ${count}`);
    }
  },

  'finds at most as many as the limit, and all with a limit above their number': async ({ index }) => {
    await index.upsert(descending);
    for (const count of [1, 3, 5, 6, 10_000]) {
      checkSame((await index.search(query, { limit: count })).length, Math.min(count, 5), `the number of hits of ${count}`);
    }
  },

  'finds nothing in an empty index': async ({ index }) => {
    checkSame(await index.search(query, { limit }), [], 'the answer');
  },

  'refuses a limit out of range': async ({ index }) => {
    await index.upsert(descending);
    for (const wrong of [0, -1, 1.5, Number.NaN, 10_001, Number.POSITIVE_INFINITY]) {
      await checkRefused(() => index.search(query, { limit: wrong }), 'OPTION_INVALID');
    }
  },

  'refuses to search for a vector of another length, and names both lengths': async ({ index }) => {
    const { message } = await checkRefused(() => index.search(new Float32Array(5), { limit }), 'VECTOR_INVALID');
    check(/\b5\b/.test(message) && /\b8\b/.test(message), `"${message}" names 5 and 8`);
    await checkRefused(() => index.search(vectorOf(Number.NaN), { limit }), 'VECTOR_INVALID');
  },

  'keeps a zero vector and never finds it': async ({ index }) => {
    await index.upsert([entryOf('zero', vectorOf(), { kind: 'x' }), entryOf('one', vectorOf(-1), { kind: 'x' })]);
    checkSame(idsOf(await index.search(query, { limit })), ['one'], 'the answer');
    checkSame(idsOf(await index.search(query, { limit, filter: { kind: 'x' } })), ['one'], 'the filtered answer');
    checkSame([await index.count(), idsOf(await index.get(['zero']))], [2, ['zero']], 'count and entry');
    await index.upsert([entryOf('zero', vectorOf(1)), entryOf('one', vectorOf())]);
    checkSame(idsOf(await index.search(query, { limit })), ['zero'], 'the answer when they have changed places');
  },

  'finds nothing for a zero vector': async ({ index }) => {
    await index.upsert(descending);
    checkSame(await index.search(vectorOf(), { limit }), [], 'the answer');
  },

  'finds only what has the values of the filter': async ({ index }) => {
    const entries = descending.map(({ id, vector }, i) => entryOf(id, vector, { even: i % 2 === 0, document: i < 3 ? 'a' : 'b', i }));
    await index.upsert(entries);
    const cases: readonly (readonly [VectorMetadata, string])[] = [
      [{}, 'e0 e1 e2 e3 e4'],
      [{ document: 'a' }, 'e0 e1 e2'],
      [{ document: 'a', even: true }, 'e0 e2'],
      [{ document: 'b', even: true, i: 4 }, 'e4'],
      [{ document: 'b', even: true, i: 3 }, ''],
      [{ document: 'c' }, ''],
      [{ Document: 'a' }, ''],
      [Object.fromEntries([['constructor', 'a']]), ''],
    ];
    for (const [filter, ids] of cases) {
      checkSame(idsOf(await index.search(query, { limit, filter })).join(' '), ids, `the answer of ${JSON.stringify(filter)}`);
    }
  },

  'tells texts, numbers and booleans of a filter apart': async ({ index }) => {
    await index.upsert(kinds.map((value, i) => entryOf(`e${i}`, query, { value })));
    for (const [i, value] of kinds.entries()) {
      checkSame(idsOf(await index.search(query, { limit, filter: { value } })), [`e${i}`], `the answer of ${JSON.stringify(value)}`);
    }
  },

  'filters by Korean, by quotes and by what looks like a query': async ({ index }) => {
    await index.upsert(awkward.map((value, i) => entryOf(`e${i}`, query, { value }, value)));
    for (const [i, value] of awkward.entries()) {
      const found = await index.search(query, { limit, filter: { value } });
      checkSame(
        found.map(({ id, text }) => [id, text]),
        [[`e${i}`, value]],
        `the answer of ${JSON.stringify(value.slice(0, 20))}`,
      );
    }
  },

  'refuses a filter that no metadata can have': async ({ index }) => {
    for (const filter of [{ 'a b': 1 }, { '': 1 }, { $or: 1 }, { a: Number.NaN }] as readonly VectorMetadata[]) {
      await checkRefused(() => index.search(query, { limit, filter }), 'VECTOR_INVALID');
    }
  },

  'finds the right ones among a thousand': async ({ index }) => {
    const entries = scatteredVectors(1_000).map((vector, i) => entryOf(`e${i}`, vector, { group: i % 100, half: i % 2 === 0 }));
    await index.upsert(entries);
    checkSame(await index.count(), 1_000, 'the count');
    for (const vector of scatteredVectors(5, 7)) {
      for (const count of [1, 10, 100]) {
        checkHits(await index.search(vector, { limit: count }), expectedHits(entries, vector, count), `the answer of ${count}`);
      }
      const group = entries.filter(({ metadata }) => metadata.group === 42);
      checkHits(await index.search(vector, { limit, filter: { group: 42, half: true } }), expectedHits(group, vector, limit), 'the group');
    }
  },
};
