import { describe, expect, it } from 'vitest';
import { toRow } from '../../scripts/mutation/score-table.ts';
import { largeMachines, testMutantsOf } from '../fixtures/mutants-found.ts';

await testMutantsOf((name) => !largeMachines.includes(name));

describe('toRow', () => {
  const score = (killed: number, ...survived: readonly string[]) => ({
    mutants: killed + survived.length,
    killed: Array(killed).fill({}),
    survived: survived.map((description) => ({ kind: 'edge dropped' as const, edge: '', description, workflow: null })),
    percent: (100 * killed) / (killed + survived.length),
  });

  it('accepts few survivors that are explained', () => {
    expect(toRow('m', score(19, 'a'), { 'm: a': 'because', 'other: b': 'because' })).toMatchObject({
      problems: [],
      survived: [{ mutant: 'm: a', why: 'because' }],
    });
  });

  it('rejects a survivor without an explanation, and an explanation without a survivor', () => {
    expect(toRow('m', score(99, 'a'), { 'm: b': 'because' }).problems).toEqual([
      'm: a survives without an explanation',
      'm: b is killed or gone. Remove its explanation',
    ]);
  });

  it('rejects less than 95 %, whatever the explanation', () => {
    expect(toRow('m', score(18, 'a'), { 'm: a': 'because' }).problems).toEqual(['m: 94.7 % is less than 95 %']);
  });
});
