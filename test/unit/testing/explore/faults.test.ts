import { node, waiting } from 'agent-machines';
import { exploreMachine } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { articlePromises } from '../../../fixtures/article-promises.ts';
import { type ArticleChanges, articleOptions, articleWorkflow } from '../../../fixtures/article-workflow.ts';

const review = (on: object, after: object = { 60000: 'dropped' }): ArticleChanges => ({
  states: { review: waiting({ APPROVE: 'publish', REVISE: 'write', DROP: 'dropped', ...on }, { after } as never) },
});
const check = (done: unknown, error = 'failed'): ArticleChanges => ({ states: { check: node('check', { done, error } as never) } });
const [good, again] = [
  { guard: 'isGood', target: 'review' },
  { guard: 'mayTry', target: 'write' },
];

/** What somebody may get wrong. */
const faults: Readonly<Record<string, ArticleChanges>> = {
  'one try too many': { mayTry: ({ tries }) => tries <= 3 },
  'one try too few': { mayTry: ({ tries }) => tries < 2 },
  'no limit': { mayTry: () => true },
  'no second try': { mayTry: () => false },
  'the wrong way round': { isGood: (state) => !state.isGood },
  'nobody looks whether it is good': { isGood: () => true },
  'edges in the wrong order': check([again, good, 'failed']),
  'a human is asked about what is not good': check([{ ...good, target: 'write' }, { ...again, target: 'review' }, 'failed']),
  'straight to the press': check([{ ...good, target: 'publish' }, again, { guard: 'isGood', target: 'review' }, 'failed']),
  'a check that fails lets it through': check([good, again, 'failed'], 'publish'),
  'silence is consent': review({}, { 60000: 'publish' }),
  'silence is a wish': review({}, { 60000: 'write' }),
  'a wish is consent': review({ REVISE: 'publish' }),
  'a wish drops it': review({ REVISE: 'dropped' }),
  'dropped, and told': review({ DROP: 'tell' }),
  'approved, and written again': review({ APPROVE: 'write', DROP: 'publish' }),
  'not checked': { states: { write: node('write', { done: 'review', error: 'check' }) } },
  'a draft that fails is checked': { states: { write: node('write', { done: 'check', error: 'check' }) } },
  'nobody is told': { states: { publish: node('publish', { done: 'done', error: 'tell' }) } },
  'published though it failed': { states: { publish: node('publish', { done: 'tell', error: 'tell' }) } },
  'told again and again': { states: { tell: node('tell', { done: [{ target: 'tell', reenter: true }], error: 'done' }) } },
  'failed, because nobody could be told': { states: { tell: node('tell', { done: 'done', error: 'failed' }) } },
};

const broken = (changes: ArticleChanges): readonly string[] => {
  const explored = exploreMachine(articleWorkflow(changes), articleOptions);
  return articlePromises.flatMap((promise) => (promise.check(explored).ok ? [] : [promise.name]));
};

describe('the promises of a workflow', () => {
  it('hold', () => {
    expect(broken({})).toEqual([]);
  });

  it.each(Object.entries(faults))('are broken by a fault: %s', (_what, changes) => {
    expect(broken(changes)).not.toEqual([]);
  });
});
