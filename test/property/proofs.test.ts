import { type Exploration, exploreMachine } from 'agent-machines/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../fixtures/share.ts';
import {
  type Concrete,
  concreteOf,
  countingMachines,
  promisePlans,
  rewritten,
  shortestBreak,
  smallMachines,
  smallPromise,
  smallWorkflow,
  waitingMachines,
} from '../fixtures/small-machines.ts';

/** Steps of a counterexample that the machine cannot make, by brute force. */
function impossible({ movesFrom, places }: Concrete, moves: Exploration['moves']): readonly string[] {
  let from = places[0];
  for (const { to, state, edges, by } of moves) {
    const [edge] = edges;
    const move =
      from &&
      movesFrom(from).find(({ to: next, moment }) => {
        return (
          next.where === to.where &&
          isSame(moment.state, state) &&
          moment.by === by &&
          moment.edges[0]?.on === edge?.on &&
          moment.edges[0]?.guard === edge?.guard
        );
      });
    if (!move)
      return [`${from?.where} ${JSON.stringify(from?.state)} --${edge?.on} ${edge?.guard ?? ''}--> ${to.where} ${JSON.stringify(state)}`];
    from = move.to;
  }
  return [];
}

const isSame = (one: object, other: object): boolean =>
  JSON.stringify(Object.entries(one).toSorted()) === JSON.stringify(Object.entries(other).toSorted());

describe.each([
  { machines: 'small machines', plans: smallMachines },
  { machines: 'counting machines', plans: countingMachines },
  { machines: 'waiting machines without a schema', plans: waitingMachines },
])('verdicts on $machines', ({ plans }) => {
  it('equal those of a search through every concrete state', () => {
    const verdicts: Record<string, number> = {};
    fc.assert(
      fc.property(plans, fc.array(promisePlans, { minLength: 5, maxLength: 5 }), (plan, promises) => {
        const explored = exploreMachine(smallWorkflow(plan)) as Exploration<never>;
        const concrete = concreteOf(plan);
        for (const one of promises) {
          const promise = smallPromise(one, plan);
          const length = shortestBreak(promise, concrete);
          const verdict = promise.check(explored);
          const truth = length === undefined ? 'holds' : 'broken';
          const key = `${truth}: ${verdict.verdict}${one.kind === 'canReach' ? ' (canReach)' : ''}`;
          verdicts[key] = (verdicts[key] ?? 0) + 1;
          if (verdict.verdict === 'undecided') continue;
          expect(verdict.verdict).toBe(truth);
          if (verdict.verdict !== 'broken') continue;
          const { moves } = verdict.counterexample;
          expect(impossible(concrete, moves as Exploration['moves'])).toEqual([]);
          if (one.kind !== 'eventually') expect(moves.length).toBe(length); // the length of a circle is not compared
        }
      }),
      { numRuns: share(600, 60) },
    );
    // whether a place is out of reach is a question about all runs, so canReach has the doubts of a proof
    const { 'broken: broken': found = 0, 'broken: undecided': missed = 0, 'holds: holds': proven = 0 } = verdicts;
    expect(found).toBeGreaterThan(30 * missed);
    expect(proven).toBeGreaterThan(0);
  }, 600_000);
});

describe('a promise that is broken', () => {
  it.each(Object.entries(rewritten))('is not proven with %s', (_, rewrite) => {
    let broken = 0;
    fc.assert(
      fc.property(smallMachines, fc.array(promisePlans, { minLength: 5, maxLength: 5 }), (plan, promises) => {
        const [other, named] = rewrite(plan);
        const [before, after] = [exploreMachine(smallWorkflow(plan)), exploreMachine(smallWorkflow(other))];
        for (const one of promises) {
          const first = smallPromise(one, plan).check(before as Exploration<never>);
          const second = smallPromise(one, named).check(after as Exploration<never>);
          if (first.verdict === 'broken') broken++;
          expect([first.verdict, second.verdict].toSorted()).not.toEqual(['broken', 'holds']);
        }
      }),
      { numRuns: share(200) },
    );
    expect(broken).toBeGreaterThan(share(200));
  });
});
