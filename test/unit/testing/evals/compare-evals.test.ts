import { compareEvals, type EvalReport } from 'agent-machines/evals';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../fixtures/seeded.ts';
import { share } from '../../../fixtures/share.ts';

const report = (scores: readonly (readonly number[])[], names = scores[0]?.map((_, index) => `g${index}`) ?? []): EvalReport => ({
  eval: 'simulated',
  workflow: 'w',
  version: '1',
  repeats: 1,
  ok: true,
  graders: names.map((name) => ({ name, mean: 0, passed: 0, runs: 0, threshold: 0, ok: true })),
  rows: scores.map((row, index) => ({
    case: `case ${index}`,
    repeat: 0,
    status: 'done',
    path: [],
    calls: [],
    modelCalls: 0,
    toolCalls: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
    durationMs: 0,
    scores: Object.fromEntries(names.map((name, at) => [name, { score: row[at] ?? 0 }])),
  })),
});

describe('compareEvals', () => {
  it.each([
    { cases: 30, rate: 0.8, graders: 1 },
    { cases: 50, rate: 0.5, graders: 1 },
    { cases: 40, rate: 0.8, graders: 3 },
  ])('says better or worse of equal versions in at most 5 % of 1,000 draws: $cases cases, $graders graders', ({ cases, rate, graders }) => {
    const random = seeded(7);
    const draws = share(1_000, 40);
    const draw = (): EvalReport =>
      report(Array.from({ length: cases }, () => Array.from({ length: graders }, () => (random() < rate ? 1 : 0))));
    let wrong = 0;
    for (let at = 0; at < draws; at++) {
      const verdicts = compareEvals(draw(), draw()).graders.map(({ verdict }) => verdict);
      if (verdicts.some((verdict) => verdict === 'better' || verdict === 'worse')) wrong++;
    }
    expect(wrong / draws).toBeLessThanOrEqual(0.05);
  });

  it('finds a large difference in either direction', () => {
    const random = seeded(3);
    const [weak, strong] = [0.6, 0.95].map((rate) => report(Array.from({ length: 100 }, () => [random() < rate ? 1 : 0])));
    if (!weak || !strong) throw new Error('no reports');
    const [better] = compareEvals(weak, strong).graders;
    const [worse] = compareEvals(strong, weak).graders;
    expect([better?.verdict, worse?.verdict]).toEqual(['better', 'worse']);
    expect(better?.interval[0]).toBeGreaterThan(0);
    expect(better?.interval).toEqual(compareEvals(weak, strong).graders[0]?.interval);
  });

  it('says that fewer than 30 cases are too few, however large the difference', () => {
    const verdictOf = (count: number) =>
      compareEvals(report(Array.from({ length: count }, () => [0])), report(Array.from({ length: count }, () => [1]))).graders[0]?.verdict;
    expect([verdictOf(29), verdictOf(30)]).toEqual(['too few cases', 'better']);
  });

  it('says same only when no case has changed', () => {
    const scores = Array.from({ length: 40 }, (_, index) => [index % 2]);
    const swapped = scores.with(0, [1]).with(1, [0]);
    expect(compareEvals(report(scores), report(scores)).graders[0]?.verdict).toBe('same');
    const comparison = compareEvals(report(scores), report(swapped));
    expect(comparison.graders[0]).toMatchObject({ verdict: 'no difference found', difference: 0, wins: 1, losses: 1, p: 1 });
    expect(comparison.changed.map(({ case: name, before, after }) => [name, before, after])).toEqual([
      ['case 0', 0, 1],
      ['case 1', 1, 0],
    ]);
  });

  it('averages the repeats of a case, which is one unit', () => {
    const once = report([[1], [0]]);
    const rows = [1, 0].map((score, repeat) => ({ ...once.rows[0], case: 'case 0', repeat, scores: { g0: { score } } }));
    const comparison = compareEvals(once, { ...once, repeats: 2, rows: rows as EvalReport['rows'] });
    expect(comparison).toMatchObject({ cases: 1, onlyBefore: ['case case 1'], graders: [{ before: 1, after: 0.5, losses: 1 }] });
  });

  it('corrects for several graders', () => {
    const random = seeded(5);
    const draw = (rate: number) => Array.from({ length: 40 }, () => [random() < rate ? 1 : 0, 1, 1, 1]);
    const { graders } = compareEvals(report(draw(0.5)), report(draw(0.7)));
    expect(graders[0]?.adjustedP).toBeCloseTo(Math.min(1, 4 * (graders[0]?.p ?? 0)), 10);
  });
});

describe('the sign test', () => {
  it.each([
    [[1, 1, 1, 1, 1], 0.0625],
    [[1, 1, 1, 1, 1, 1], 0.03125],
    [[1, -1], 1],
    [[0, 0], 1],
    [[1, 1, 1, 1, 1, 1, 1, 1, 1, -1], 0.021484375],
  ])('of %j has p %d', (differences, p) => {
    const before = report(differences.map((difference) => [difference < 0 ? 1 : 0]));
    const after = report(differences.map((difference) => [difference > 0 ? 1 : 0]));
    expect(compareEvals(before, after).graders[0]?.p).toBeCloseTo(p, 12);
  });

  it('is corrected in the order of the p-values', () => {
    const [first, second, third] = [6, 8, 7].map((wins) => Array.from({ length: 40 }, (_, index) => (index < wins ? 1 : 0)));
    const rows = Array.from({ length: 40 }, (_, at) => [first?.[at] ?? 0, second?.[at] ?? 0, third?.[at] ?? 0]);
    const { graders } = compareEvals(report(rows.map(() => [0, 0, 0])), report(rows));
    expect(graders.map(({ p }) => p)).toEqual([2 / 64, 2 / 256, 2 / 128].map((p) => expect.closeTo(p, 12)));
    expect(graders.map(({ adjustedP }) => adjustedP)).toEqual([2 / 64, 6 / 256, 4 / 128].map((p) => expect.closeTo(p, 12)));
  });
});
