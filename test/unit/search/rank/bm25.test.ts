import { type Bm25Options, createBm25Index } from 'agent-machines/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchTokens } from '../../../../src/core/text/search-tokens.ts';

interface Entry {
  readonly heading: string;
  readonly text: string;
}

const texts = (...all: string[]): Entry[] => all.map((text) => ({ heading: '', text }));

/** The formula, written down a second time without an index. */
function slowSearch(passages: readonly Entry[], query: string, { k1 = 1.2, b = 0.75, headingWeight = 2 }: Bm25Options = {}) {
  const bags = passages.map(({ heading, text }) => ({ heading: searchTokens(heading), text: searchTokens(text) }));
  const count = (bag: (typeof bags)[number], token: string) =>
    headingWeight * bag.heading.filter((each) => each === token).length + bag.text.filter((each) => each === token).length;
  const length = (bag: (typeof bags)[number]) => headingWeight * bag.heading.length + bag.text.length;
  const mean = bags.reduce((sum, bag) => sum + length(bag), 0) / bags.length;
  return bags
    .map((bag, index) => {
      let score = 0;
      for (const token of new Set(searchTokens(query))) {
        const found = bags.filter((each) => count(each, token) > 0).length;
        const rarity = Math.log(1 + (bags.length - found + 0.5) / (found + 0.5));
        const times = count(bag, token);
        if (times > 0) score += (rarity * times * (k1 + 1)) / (times + k1 * (1 - b + (b * length(bag)) / mean));
      }
      return { index, score };
    })
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || left.index - right.index);
}

const words = fc
  .array(fc.constantFrom('journal', 'plans', '계획을', '체크포인트', 'crash', '한도'), { maxLength: 8 })
  .map((all) => all.join(' '));
const entries = fc.array(fc.record({ heading: words, text: words }), { minLength: 1, maxLength: 12 });

describe('createBm25Index', () => {
  it('agrees with the formula', () => {
    const options = fc.record({ k1: fc.constantFrom(0, 1.2, 2), b: fc.constantFrom(0, 0.75, 1), headingWeight: fc.constantFrom(0, 1, 2) });
    fc.assert(
      fc.property(entries, words, options, (passages, query, options) => {
        const hits = createBm25Index(passages, options).search(query, 100);
        const expected = slowSearch(passages, query, options);
        expect(hits.map(({ index }) => index)).toEqual(expected.map(({ index }) => index));
        for (const [i, { score }] of hits.entries()) expect(score).toBeCloseTo(expected[i]?.score ?? 0, 10);
      }),
    );
  });

  it('gives every page of the same ranking', () => {
    fc.assert(
      fc.property(entries, words, fc.integer({ min: 1, max: 5 }), fc.nat(8), (passages, query, limit, skip) => {
        const index = createBm25Index(passages);
        expect(index.search(query, limit, skip)).toEqual(index.search(query, 1_000).slice(skip, skip + limit));
      }),
    );
  });

  it('ranks a rare word above a frequent one', () => {
    const index = createBm25Index(texts('plan one', 'plan two', 'plan gate', 'other'));
    expect(index.search('plan gate', 1)).toMatchObject([{ index: 2 }]);
  });

  it('scores a word in every passage above zero', () => {
    const hits = createBm25Index(texts('plan', 'plan', 'plan')).search('plan', 5);
    expect(hits).toHaveLength(3);
    for (const { score } of hits) expect(score).toBeGreaterThan(0);
  });

  it('keeps document order among equal scores', () => {
    const hits = createBm25Index(texts('other', 'plan', 'plan', 'plan')).search('plan', 5);
    expect(hits.map(({ index }) => index)).toEqual([1, 2, 3]);
  });

  it('prefers a word in the heading', () => {
    const passages = [
      { heading: 'tools', text: 'journal' },
      { heading: 'journal', text: 'tools' },
    ];
    expect(createBm25Index(passages).search('journal', 1)).toMatchObject([{ index: 1 }]);
    expect(createBm25Index(passages, { headingWeight: 0 }).search('journal', 5)).toMatchObject([{ index: 0 }]);
  });

  it('finds a Korean word with any particle', () => {
    const index = createBm25Index(texts('실행은 도구를 부른다', '체크포인트는 기록된다'));
    expect(index.search('체크포인트를', 1)).toMatchObject([{ index: 1 }]);
  });

  it.each(['', ' ', '?!', 'nowhere'])('finds nothing for %j', (query) => {
    expect(createBm25Index(texts('plan')).search(query, 5)).toEqual([]);
  });

  it('finds nothing in no passages, nor in passages without words', () => {
    expect(createBm25Index([]).search('plan', 5)).toEqual([]);
    expect(createBm25Index(texts('', '---')).search('plan', 5)).toEqual([]);
  });

  it('indexes words that are names of built-in properties', () => {
    expect(createBm25Index(texts('plan', 'constructor toString')).search('constructor', 5)).toMatchObject([{ index: 1 }]);
  });

  it.each([{ k1: -1 }, { k1: Number.NaN }, { b: 1.1 }, { b: -0.1 }, { headingWeight: -1 }, { headingWeight: Infinity }])(
    'refuses %j',
    (options) => {
      expect(() => createBm25Index([], options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
    },
  );

  it.each([
    [0, 0],
    [1.5, 0],
    [1, -1],
    [Number.NaN, 0],
  ])('refuses limit %d with skip %d', (limit, skip) => {
    expect(() => createBm25Index(texts('plan')).search('plan', limit, skip)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});
