import { entries } from 'agent-machines/machines';
import { describeCounterexample, exploreMachine, toPromiseReport } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';

/** The shipped machines with their default limits. */
const machines = await Promise.all(
  entries.map(async ({ name, load }) => {
    const { draft, promises } = await load();
    const { exploreOptions, invariants } = (await promises?.()) ?? { exploreOptions: {}, invariants: [] };
    const exploration = exploreMachine(draft(), exploreOptions);
    toPromiseReport(exploration, invariants); // explores once for all of them
    const { complete, failures, stuck, edgesNeverTaken } = exploration;
    const checks = invariants.map((invariant) => ({
      promise: invariant.name,
      counterexample: (): readonly string[] => {
        const verdict = invariant.check(exploration);
        return verdict.verdict === 'broken'
          ? [verdict.why, ...describeCounterexample(verdict.counterexample as never)]
          : [verdict.verdict].filter((each) => each !== 'holds');
      },
    }));
    return { name, found: { complete, failures, stuck, edgesNeverTaken }, checks };
  }),
);

describe.each(machines)('promises of $name', ({ found, checks }) => {
  it('are checked in every state: every edge is taken, and every state leads to an end', () => {
    expect(found).toEqual({ complete: true, failures: [], stuck: [], edgesNeverTaken: [] });
  });

  it.each(checks)('hold: $promise', ({ counterexample }) => {
    expect(counterexample()).toEqual([]);
  });
});
