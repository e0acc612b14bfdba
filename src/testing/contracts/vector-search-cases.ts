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
  'finds the nearest entries by cosine, best first': async ({ index }) => {
    await index.upsert([...descending].reverse());
    checkHits(await index.search(query, { limit }), expectedHits(descending, query, limit), 'the answer');
  },

  'ignores the lengths of vectors': async ({ index }) => {
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

  'breaks ties by id at the limit': async ({ index }) => {
    const ids = Array.from({ length: 60 }, (_, i) => `e${String(i).padStart(2, '0')}`);
    await index.upsert([entryOf('z', query), ...[...ids].reverse().map((id) => entryOf(id, vectorOf(1)))]);
    for (const count of [1, 2, 7, 59]) {
      checkSame(idsOf(await index.search(query, { limit: count })), ['z', ...ids].slice(0, count), `the first ${count} hits`);
    }
  },

  'returns at most as many hits as the limit': async ({ index }) => {
    await index.upsert(descending);
    for (const count of [1, 3, 5, 6, 10_000]) {
      checkSame((await index.search(query, { limit: count })).length, Math.min(count, 5), `the number of hits for the limit ${count}`);
    }
  },

  'finds nothing if the index is empty': async ({ index }) => {
    checkSame(await index.search(query, { limit }), [], 'the answer');
  },

  'refuses a limit out of range': async ({ index }) => {
    await index.upsert(descending);
    for (const wrong of [0, -1, 1.5, Number.NaN, 10_001, Number.POSITIVE_INFINITY]) {
      await checkRefused(() => index.search(query, { limit: wrong }), 'OPTION_INVALID');
    }
  },

  'refuses a query with another number of dimensions and names both numbers': async ({ index }) => {
    const { message } = await checkRefused(() => index.search(new Float32Array(5), { limit }), 'VECTOR_INVALID');
    check(/\b5\b/.test(message) && /\b8\b/.test(message), `"${message}" names 5 and 8`);
    await checkRefused(() => index.search(vectorOf(Number.NaN), { limit }), 'VECTOR_INVALID');
  },

  'keeps a zero vector but never finds it': async ({ index }) => {
    await index.upsert([entryOf('zero', vectorOf(), { kind: 'x' }), entryOf('one', vectorOf(-1), { kind: 'x' })]);
    checkSame(idsOf(await index.search(query, { limit })), ['one'], 'the answer');
    checkSame(idsOf(await index.search(query, { limit, filter: { kind: 'x' } })), ['one'], 'the filtered hits');
    checkSame([await index.count(), idsOf(await index.get(['zero']))], [2, ['zero']], 'count and entry');
    await index.upsert([entryOf('zero', vectorOf(1)), entryOf('one', vectorOf())]);
    checkSame(idsOf(await index.search(query, { limit })), ['zero'], 'the hits after both vectors were swapped');
  },

  'finds nothing for a zero vector': async ({ index }) => {
    await index.upsert(descending);
    checkSame(await index.search(vectorOf(), { limit }), [], 'the answer');
  },

  'finds only entries that match the filter': async ({ index }) => {
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
      checkSame(idsOf(await index.search(query, { limit, filter })).join(' '), ids, `the hits for ${JSON.stringify(filter)}`);
    }
  },

  'distinguishes texts, numbers and booleans in a filter': async ({ index }) => {
    await index.upsert(kinds.map((value, i) => entryOf(`e${i}`, query, { value })));
    for (const [i, value] of kinds.entries()) {
      checkSame(idsOf(await index.search(query, { limit, filter: { value } })), [`e${i}`], `the hits for ${JSON.stringify(value)}`);
    }
  },

  'filters by Korean text, quotes and query syntax': async ({ index }) => {
    await index.upsert(awkward.map((value, i) => entryOf(`e${i}`, query, { value }, value)));
    for (const [i, value] of awkward.entries()) {
      const found = await index.search(query, { limit, filter: { value } });
      checkSame(
        found.map(({ id, text }) => [id, text]),
        [[`e${i}`, value]],
        `the hits for ${JSON.stringify(value.slice(0, 20))}`,
      );
    }
  },

  'refuses a filter with an invalid key or value': async ({ index }) => {
    for (const filter of [{ 'a b': 1 }, { '': 1 }, { $or: 1 }, { a: Number.NaN }] as readonly VectorMetadata[]) {
      await checkRefused(() => index.search(query, { limit, filter }), 'VECTOR_INVALID');
    }
  },

  'finds the right entries among a thousand': async ({ index }) => {
    const entries = scatteredVectors(1_000).map((vector, i) => entryOf(`e${i}`, vector, { group: i % 100, half: i % 2 === 0 }));
    await index.upsert(entries);
    checkSame(await index.count(), 1_000, 'the count');
    for (const vector of scatteredVectors(5, 7)) {
      for (const count of [1, 10, 100]) {
        checkHits(await index.search(vector, { limit: count }), expectedHits(entries, vector, count), `the first ${count} hits`);
      }
      const group = entries.filter(({ metadata }) => metadata.group === 42);
      checkHits(await index.search(vector, { limit, filter: { group: 42, half: true } }), expectedHits(group, vector, limit), 'the group');
    }
  },
};
