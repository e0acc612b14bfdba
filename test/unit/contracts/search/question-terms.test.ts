import { describe, expect, it } from 'vitest';
import { questionTerms } from '../../../../src/contracts/search/question-terms.ts';

describe('questionTerms', () => {
  it('weighs the subject of a question, its synonyms in contracts, and the rest', () => {
    const terms = questionTerms('위약금은 어떻게 정해?');
    expect(terms.get('위약')).toBe(1);
    expect(terms.get('약벌')).toBe(0.5);
    expect(terms.get('어떻')).toBe(0.3);
  });

  it('keeps the highest weight of a token', () => {
    expect(questionTerms('위약금은 위약벌은?').get('약벌')).toBe(1);
  });

  it('adds neither related words nor the rest at weight 0', () => {
    expect([...questionTerms('위약금은 어떻게', { relatedWeight: 0, otherWeight: 0 }).keys()]).toEqual(['위약', '약금']);
  });

  it('uses the given tokenizer', () => {
    expect(questionTerms('위약금은 얼마', { tokenizer: (text) => text.split(' ') }).get('위약금')).toBe(1);
  });
});
