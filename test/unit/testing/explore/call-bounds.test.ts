import { callBounds, callsWithin, describeCounterexample, exploreMachine } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { articleOptions, articleWorkflow } from '../../../fixtures/article-workflow.ts';
import { bothForms } from '../../../fixtures/both-forms.ts';
import { draftWorkflow } from '../../../fixtures/draft-workflow.ts';

const explored = exploreMachine(articleWorkflow(), articleOptions);
const calls = { write: 1, check: [1, 2], publish: 0, tell: 0 } as const;

describe('callBounds', () => {
  it('counts the calls on all paths to an end, with fewer calls in a failed node', () => {
    const bounds = callBounds(explored, { per: 'model', calls, to: 'failed', visits: { review: 0 } });
    // at once, or three rounds
    expect([bounds?.min, bounds?.max]).toEqual([0, 9]);
  });

  it('counts the calls between two places on selected paths', () => {
    const between = (visits: Readonly<Record<string, number | readonly [number, number]>>): unknown => {
      const bounds = callBounds(explored, { per: 'model', calls, from: 'check', to: 'review', visits });
      return bounds && [bounds.min, bounds.max];
    };
    expect(between({ check: 1 })).toEqual([1, 2]);
    expect(between({ check: 2 })).toEqual([3, 5]);
    expect(between({ check: [2, 3] })).toEqual([3, 8]);
    expect(between({ check: 4 })).toBeUndefined();
  });

  it('reports an unlimited number of calls with its loop', () => {
    const bounds = callBounds(explored, { per: 'model', calls, to: 'done' });
    expect([bounds?.min, bounds?.max]).toEqual([2, Number.POSITIVE_INFINITY]);
    expect(describeCounterexample(bounds?.most ?? ({} as never)).at(-1)).toMatch(/^repeats from step \d+ forever$/);
    // one round with the human, and no more
    expect(callBounds(explored, { per: 'model', calls, to: 'done', visits: { review: 1 } })?.max).toBe(9);
  });

  it('assumes any number of calls for an unspecified node', () => {
    const bounds = callBounds(explored, { per: 'tool', calls: { write: 0, check: 0, publish: 0 }, to: 'done', visits: { review: 1 } });
    expect([bounds?.min, bounds?.max]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it('prefers the number of calls of an outcome to that of its node', () => {
    const exploration = exploreMachine(articleWorkflow(), {
      ...articleOptions,
      outcomes: { ...articleOptions.outcomes, tell: [{ patch: {}, calls: { model: [2, 4] } }] },
    });
    const bounds = callBounds(exploration, { per: 'model', calls, from: 'tell' });
    expect([bounds?.min, bounds?.max]).toEqual([0, 4]); // 0: of its failure nothing is said but that of the node
  });

  it('counts the calls of interrupted nodes', () => {
    const { short } = bothForms[1] ?? bothForms[0] ?? { short: undefined };
    if (!short) throw new Error('no machine');
    const parallel = exploreMachine(draftWorkflow(short));
    const bounds = callBounds(parallel, {
      per: 'model',
      calls: { a: 1, b: 1, c: 1 },
      from: 'both',
      to: 'failed',
      visits: { 'asking.human.ask': 0 },
    });
    // both.a fails and takes both.b with it; or both end, and the timer takes c away
    expect([bounds?.min, bounds?.max]).toEqual([0, 3]);
  });
});

describe('callsWithin', () => {
  it('checks bounds and returns a path that violates them', () => {
    const options = { per: 'model', calls, from: 'check', to: 'review', visits: { check: [1, 2] } } as const;
    expect(callsWithin('few', { ...options, min: 1, max: 5 }).check(explored)).toEqual({ verdict: 'holds' });
    const verdict = callsWithin('fewer', { ...options, max: 4 }).check(explored);
    expect(verdict.verdict === 'broken' ? [verdict.why, describeCounterexample(verdict.counterexample)] : undefined).toEqual([
      'A path can make 5 calls; the maximum is 4.',
      [
        'start in check',
        'check: not good --done [mayTry]--> write',
        'write: {"text":"a text"} --done--> check',
        'check: {"isGood":true} --done [isGood]--> review',
      ],
    ]);
  });
});
