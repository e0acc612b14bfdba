import { reciprocalRankFusion, weightedFusion } from 'agent-machines/search';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const scores = fc.array(fc.constantFrom(0, 0.5, 1, 3, 40), { minLength: 3, maxLength: 3 });
const signals = fc.array(fc.record({ scores, weight: fc.constantFrom(0, 0.5, 1, 2) }), { minLength: 1, maxLength: 4 });

describe('weightedFusion', () => {
  it('divides each signal by its maximum and adds them by weight', () => {
    const fused = weightedFusion([
      { scores: [8, 4, 0], weight: 3 },
      { scores: [0, 0.5, 0], weight: 1 },
    ]);
    expect([...fused]).toEqual([0.75, 0.625, 0]);
  });

  it('gives scores from 0 to 1 that do not depend on the scale of a signal', () => {
    fc.assert(
      fc.property(signals, fc.constantFrom(0.01, 7, 1000), (signals, scale) => {
        const fused = weightedFusion(signals);
        const scaled = weightedFusion(signals.map(({ scores, weight }) => ({ scores: scores.map((score) => score * scale), weight })));
        for (const [i, score] of fused.entries()) {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1 + 1e-12);
          expect(scaled[i]).toBeCloseTo(score, 10);
        }
      }),
    );
  });

  it('ignores scores below zero, and returns nothing without signals', () => {
    expect([...weightedFusion([{ scores: [-3, 2], weight: 1 }])]).toEqual([0, 1]);
    expect([...weightedFusion([])]).toEqual([]);
    expect([...weightedFusion([{ scores: [0, 0], weight: 1 }])]).toEqual([0, 0]);
  });
});

describe('reciprocalRankFusion', () => {
  it('adds up the weights by rank', () => {
    const fused = reciprocalRankFusion([
      { scores: [1, 100, 50], weight: 1 },
      { scores: [2, 0, 1], weight: 0.5 },
    ]);
    expect([...fused]).toEqual([1 / 63 + 0.5 / 61, 1 / 61, 1 / 62 + 0.5 / 62]);
  });

  it('gives equal scores one rank', () => {
    expect([...reciprocalRankFusion([{ scores: [5, 9, 5, 1, 0], weight: 1 }], 10)]).toEqual([1 / 12, 1 / 11, 1 / 12, 1 / 14, 0]);
  });

  it('uses only the order of a signal', () => {
    fc.assert(
      fc.property(signals, (signals) => {
        const cubed = signals.map(({ scores, weight }) => ({ scores: scores.map((score) => score ** 3), weight }));
        expect(reciprocalRankFusion(cubed)).toEqual(reciprocalRankFusion(signals));
      }),
    );
  });
});
