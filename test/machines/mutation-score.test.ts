import { describe, expect, it } from 'vitest';
import { provenMachines } from '../../scripts/mutation/proven-machines.ts';
import { toRow } from '../../scripts/mutation/score-table.ts';
import { isDeep } from '../fixtures/share.ts';

/** Minimum number of mutants. A workflow without a number here has at least 10. */
const fewest: Readonly<Record<string, number>> = {
  'tool-agent': 70,
  'plan-execute': 150,
  'contract-agent': 150,
  'chat-agent': 150,
  'guide-agent': 150,
};

/** Those with many places take most of the time: the deep mode has them, too. */
const large = ['plan-execute', 'guide-agent'];

const proven = await provenMachines();

describe('the invariants of the machines', () => {
  it.each(proven.filter(({ name }) => isDeep || !large.includes(name)))(
    'distinguish $name from its mutants with one wrong part',
    async ({ name, score }) => {
      const { problems, mutants } = toRow(name, await score());
      expect(problems).toEqual([]);
      expect(mutants).toBeGreaterThan(fewest[name] ?? 10);
    },
    900_000, // hundreds of machines
  );
});

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
