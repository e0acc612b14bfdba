import { expect, it } from 'vitest';
import { bestHits, candidates, toScore } from '../../../../src/search/indexes/best-hits.ts';

it('rounds to six digits, within −1 and 1', () => {
  expect([0.123_456_789, 1.000_000_1, -1.000_000_1, -1e-9, 0.5].map(toScore)).toEqual([0.123_457, 1, -1, 0, 0.5]);
});

it('sorts by rounded scores, then by id, and cuts', () => {
  const hits = [
    { id: 'b', score: 0.5 },
    { id: 'a', score: 0.500_000_000_1 },
    { id: 'c', score: 0.9 },
    { id: 'd', score: 0.499_999_999_9 },
  ];
  expect(bestHits(hits, 3)).toEqual([
    { id: 'c', score: 0.9 },
    { id: 'a', score: 0.5 },
    { id: 'b', score: 0.5 },
  ]);
});

/** An engine that has these scores, and counts what it is asked for. */
const engine = (scores: readonly number[]) => {
  const asked: number[] = [];
  const ask = (count: number) => {
    asked.push(count);
    return scores.slice(0, count).map((score, place) => ({ place, score }));
  };
  return { asked, ask };
};

it('searches once if the omitted hits are clearly worse', async () => {
  const { asked, ask } = engine(Array.from({ length: 100 }, (_, i) => 1 - i / 100));
  expect((await candidates({ limit: 5, ask })).length).toBe(21);
  expect(asked).toEqual([21]);
});

it('searches for more if omitted hits may be ties', async () => {
  const { asked, ask } = engine([1, ...Array.from({ length: 200 }, () => 0.5), 0.1]);
  expect((await candidates({ limit: 2, ask })).length).toBe(202);
  expect(asked).toEqual([18, 72, 288]);
});

it('searches for more if too few hits are accepted', async () => {
  const { asked, ask } = engine(Array.from({ length: 1_000 }, (_, i) => 1 - i / 1_000));
  const found = await candidates({ limit: 3, ask, accepts: ({ place }) => place % 100 === 0 });
  expect(found.slice(0, 3).map(({ place }) => place)).toEqual([0, 100, 200]);
  expect(asked).toEqual([19, 76, 304]);
});

it('stops at the maximum of the engine', async () => {
  const { asked, ask } = engine(Array.from({ length: 500 }, () => 0.5));
  expect((await candidates({ limit: 10, ask, most: 100 })).length).toBe(100);
  expect(asked).toEqual([26, 100]);
});

it('searches an empty engine once', async () => {
  const { asked, ask } = engine([]);
  expect(await candidates({ limit: 10, ask, most: 0 })).toEqual([]);
  expect(asked).toEqual([0]);
});
