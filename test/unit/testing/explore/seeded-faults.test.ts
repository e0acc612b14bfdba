import { describe, expect, it } from 'vitest';
import { findings, seededMachines } from '../../../fixtures/seeded-faults/seeded-machines.ts';

/** Faults that change nothing which a run can show. */
const withoutEffect = ['an incident is closed without a confirmation'];

// Of the 36 faults of the usual kind 35 are found, and all of the 20 others.
describe.each(seededMachines)('a proof of $name', (machine) => {
  it('has nothing to report on the right machine', () => {
    expect(findings(machine)).toEqual([]);
  });

  const faults = [...machine.faults, ...machine.subtleFaults].filter((fault) => !withoutEffect.includes(fault));
  it.each(faults)('finds that %s', (fault) => {
    expect(findings(machine, fault)).not.toEqual([]);
  });
});
