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

/** Faulty changes of the workflow. */
const faults: Readonly<Record<string, ArticleChanges>> = {
  'one try too many': { mayTry: ({ tries }) => tries <= 3 },
  'one try too few': { mayTry: ({ tries }) => tries < 2 },
  'unlimited tries': { mayTry: () => true },
  'no second try': { mayTry: () => false },
  'a negated guard': { isGood: (state) => !state.isGood },
  'a guard that always passes': { isGood: () => true },
  'swapped edges': check([again, good, 'failed']),
  'a human reviews a bad draft': check([{ ...good, target: 'write' }, { ...again, target: 'review' }, 'failed']),
  'publication without review': check([{ ...good, target: 'publish' }, again, { guard: 'isGood', target: 'review' }, 'failed']),
  'publication after a failed check': check([good, again, 'failed'], 'publish'),
  'publication on time-out': review({}, { 60000: 'publish' }),
  'revision on time-out': review({}, { 60000: 'write' }),
  'publication on REVISE': review({ REVISE: 'publish' }),
  'drop on REVISE': review({ REVISE: 'dropped' }),
  'notification after DROP': review({ DROP: 'tell' }),
  'revision on APPROVE': review({ APPROVE: 'write', DROP: 'publish' }),
  'no check': { states: { write: node('write', { done: 'review', error: 'check' }) } },
  'check after a failed draft': { states: { write: node('write', { done: 'check', error: 'check' }) } },
  'no notification': { states: { publish: node('publish', { done: 'done', error: 'tell' }) } },
  'notification after a failed publication': { states: { publish: node('publish', { done: 'tell', error: 'tell' }) } },
  'endless notification': { states: { tell: node('tell', { done: [{ target: 'tell', reenter: true }], error: 'done' }) } },
  'failure after a failed notification': { states: { tell: node('tell', { done: 'done', error: 'failed' }) } },
};

const broken = (changes: ArticleChanges): readonly string[] => {
  const explored = exploreMachine(articleWorkflow(changes), articleOptions);
  return articlePromises.flatMap((promise) => (promise.check(explored).verdict === 'holds' ? [] : [promise.name]));
};

describe('the promises of a workflow', () => {
  it('hold in the original', () => {
    expect(broken({})).toEqual([]);
  });

  it.each(Object.entries(faults))('are broken by a fault: %s', (_what, changes) => {
    expect(broken(changes)).not.toEqual([]);
  });
});
