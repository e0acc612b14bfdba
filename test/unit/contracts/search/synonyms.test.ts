import { describe, expect, it } from 'vitest';
import groups from '../../../../src/contracts/search/synonyms.json' with { type: 'json' };
import { synonymsOf } from '../../../../src/contracts/search/synonyms.ts';
import { tableIssues } from '../../../fixtures/table-issues.ts';

describe('synonymsOf', () => {
  it('has groups of two or more words in lower case, separated by single spaces', () => {
    const group = { type: 'string', pattern: '^[a-z가-힣-]+( [a-z가-힣-]+)+$' };
    expect(tableIssues(groups, { type: 'array', items: group, uniqueItems: true })).toEqual([]);
  });

  it('returns the other words of all groups of a word, in any case', () => {
    expect(synonymsOf('Payment')).toEqual(['pay', 'payable', 'paid', 'money', 'sum', 'amount']);
    expect(synonymsOf('벌금')).toEqual(['위약금', '위약벌', '과태료']);
  });

  it('returns nothing for a word that is not in the table', () => {
    expect(synonymsOf('zeppelin')).toEqual([]);
  });

  it('leads from everyday words to those of contracts, and not back', () => {
    expect(synonymsOf('jab')).toContain('vaccination');
    expect(synonymsOf('vaccination')).toEqual([]);
  });
});
