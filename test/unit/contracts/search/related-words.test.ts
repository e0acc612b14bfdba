import { relatedWords } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import table from '../../../../src/contracts/search/legal-words.json' with { type: 'json' };
import { tableIssues } from '../../../fixtures/table-issues.ts';

describe('relatedWords', () => {
  it.each([
    ['돈은 언제 줘?', '대금'],
    ['그만두면 어떻게 돼?', '해지'],
    ['하청을 줘도 되나요', '하도급'],
    ['태풍 때문에 늦으면?', '불가항력'],
    ['태풍 때문에 늦으면?', '지연'],
    ['비밀을 발설하면', '누설'],
    ['책임제한 조항이 있어?', '한도'],
    ['면책되는 경우는?', '책임'],
    ['면책되는 경우는?', '제한'],
    ['Who owns the code?', 'ownership'],
    ['can we quit', 'termination'],
  ])('returns for %j the words of contracts: %s', (query, word) => {
    expect(relatedWords(query)).toContain(word);
  });

  it('finds the longest entries of a compound, but not those inside them', () => {
    expect(relatedWords('지연배상금')).toContain('지체상금');
    expect(relatedWords('지연배상금')).not.toContain('손해배상');
  });

  it('reads across one space', () => {
    expect(relatedWords('다른 회사')).toContain('제3자');
  });

  it('matches only whole English words', () => {
    expect(relatedWords('suede')).toEqual(new Set());
  });

  it.each(['', ' ?!', '가나다라마바사'])('returns nothing for %j', (query) => {
    expect(relatedWords(query)).toEqual(new Set());
  });

  it('reads a table that matches the schema of sections of rows', () => {
    const words = { type: 'string', pattern: '^[a-z0-9가-힣-]+( [a-z0-9가-힣-]+)*$' };
    const row = { type: 'object', properties: { everyday: words, legal: words }, required: ['everyday', 'legal'] };
    const section = { type: 'array', items: row, minItems: 1, uniqueItems: true };
    expect(tableIssues(table, { type: 'object', additionalProperties: section })).toEqual([]);
  });

  it('has a list in one spelling (lower case, composed) without repeated words in an entry', () => {
    for (const { everyday, legal } of Object.values(table).flat()) {
      for (const words of [everyday, legal]) {
        expect(words).toBe(words.normalize('NFKC').toLowerCase().trim());
        const each = words.split(' ');
        expect(new Set(each).size).toBe(each.length);
      }
    }
  });
});
