import { always, canReach, describeCounterexample, eventually, exploreMachine, type Invariant, never, until } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { type ArticleState, articleOptions, articleWorkflow } from '../../../fixtures/article-workflow.ts';

const explored = exploreMachine(articleWorkflow(), articleOptions);

const wayOf = (invariant: Invariant<ArticleState>, exploration = explored): readonly string[] => {
  const verdict = invariant.check(exploration);
  return verdict.verdict === 'broken' ? describeCounterexample(verdict.counterexample) : [];
};

describe('always and never', () => {
  it('hold if the condition holds everywhere', () => {
    expect(always<ArticleState>('few tries', ({ state }) => state.tries <= 3).check(explored)).toEqual({ verdict: 'holds' });
    expect(never<ArticleState>('unapproved', ({ isIn, state }) => isIn('publish') && !state.approved).check(explored)).toEqual({
      verdict: 'holds',
    });
  });

  it('hold although no moment reads the value that would break them', () => {
    // no run goes from writing to publishing, so `approved` is not read
    const promise = never<ArticleState>('unread', ({ by, isIn, state }) => by === 'write' && isIn('publish') && state.approved);
    expect(promise.check(explored)).toEqual({ verdict: 'holds' });
  });

  it('return a shortest path to a violation', () => {
    expect(wayOf(always('few tries', ({ state }) => state.tries < 2))).toEqual([
      'start in write',
      'write: {"text":"a text"} --done--> check',
      'check: not good --done [mayTry]--> write',
      'write: {"text":"a text"} --done--> check',
      'check: not good --done [mayTry]--> write',
    ]);
    expect(wayOf(never('dropped', ({ isIn }) => isIn('dropped')))).toEqual([
      'start in write',
      'write: {"text":"a text"} --done--> check',
      'check: {"isGood":true} --done [isGood]--> review',
      'review: after 60000 --after 60000--> dropped',
    ]);
    expect(wayOf(always('never started', ({ isIn }) => !isIn('write')))).toEqual(['start in write']);
  });

  it('distinguish states by values that only they read', () => {
    // no guard asks whether it was approved
    expect(explored.abstraction.join()).not.toContain('approved');
    expect(wayOf(always('not approved', ({ state }) => !state.approved)).at(-1)).toBe('review: APPROVE --APPROVE--> publish');
  });
});

describe('eventually', () => {
  it('holds if every run reaches the condition', () => {
    expect(eventually<ArticleState>('it is checked', ({ isIn, done }) => isIn('check') || done).check(explored)).toEqual({
      verdict: 'holds',
    });
  });

  it('returns a shortest run that ends without the condition', () => {
    expect(wayOf(eventually('it is checked', ({ isIn }) => isIn('check')))).toEqual([
      'start in write',
      'write: NODE_FAILED --error--> failed',
    ]);
  });

  it('returns a shortest loop without the condition', () => {
    expect(wayOf(eventually('it ends', ({ done }) => done))).toEqual([
      'start in write',
      'write: {"text":"a text"} --done--> check',
      'check: {"isGood":true} --done [isGood]--> review',
      'review: REVISE --REVISE--> write',
      'repeats from step 1 forever',
    ]);
  });
});

describe('until', () => {
  const isApproved = until<ArticleState>(
    'nothing is published before it was approved',
    ({ isIn }) => !isIn('publish'),
    ({ took }) => took('review', 'APPROVE'),
  );

  it('holds if the release comes first', () => {
    expect(isApproved.check(explored)).toEqual({ verdict: 'holds' });
  });

  it('returns a shortest path without the release', () => {
    const hasty = {
      states: { review: { tags: 'waiting', on: { APPROVE: 'publish', REVISE: 'write', DROP: 'dropped' }, after: { 60000: 'publish' } } },
    };
    expect(wayOf(isApproved, exploreMachine(articleWorkflow(hasty), articleOptions))).toEqual([
      'start in write',
      'write: {"text":"a text"} --done--> check',
      'check: {"isGood":true} --done [isGood]--> review',
      'review: after 60000 --after 60000--> publish',
    ]);
  });
});

describe('canReach', () => {
  it('holds if the condition can be reached from everywhere', () => {
    expect(canReach<ArticleState>('it can end', ({ done }) => done).check(explored)).toEqual({ verdict: 'holds' });
    const fromWrite = canReach<ArticleState>(
      'it can be published',
      ({ isIn }) => isIn('done'),
      ({ isIn }) => isIn('review'),
    );
    expect(fromWrite.check(explored)).toEqual({ verdict: 'holds' });
  });

  it('returns a shortest path to a dead end', () => {
    expect(wayOf(canReach('it can be published', ({ isIn }) => isIn('done')))).toEqual([
      'start in write',
      'write: NODE_FAILED --error--> failed',
    ]);
  });
});
