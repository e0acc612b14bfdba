import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchTokens } from '../../../../src/core/text/search-tokens.ts';

describe('searchTokens', () => {
  it.each([
    ['체크포인트를', ['체크', '크포', '포인', '인트', '트를']],
    ['키', ['키']],
    ['제5조', ['제', '5', '조']],
    ['interrupt를', ['interrupt', '를']],
    ['漢字 カタカナー', ['漢字', 'カタ', 'タカ', 'カナ', 'ナー']],
    ['𠮷野家', ['𠮷野', '野家']],
    ['ｖ５ ㎏', ['v5', 'kg']],
    ['search_documents', ['search', 'document']],
    ['Café', ['café']],
    ['… --- 😀', []],
  ])('splits %j', (text, tokens) => {
    expect(searchTokens(text)).toEqual(tokens);
  });

  it.each([
    ['crash crashes crashed crashing'],
    ['plan plans planned planning'],
    ['cache caches cached caching'],
    ['retry retries retried retrying'],
    ['survive survives survived surviving'],
    ['process processes processed processing'],
    ['API APIs'],
  ])('folds %j to one token', (forms) => {
    expect(new Set(searchTokens(forms)).size).toBe(1);
  });

  it.each(['status', 'string', 'need', 'bus', 'use', 'is', 'his', 'red', 'k8s'])('keeps %j unchanged', (word) => {
    expect(searchTokens(word)).toEqual([word]);
  });

  it('keeps at least three letters of an English word', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{3,12}(?:s|es|ed|ing|e|y)$/), (word) => {
        expect(searchTokens(word)[0]?.length).toBeGreaterThanOrEqual(3);
      }),
    );
  });

  it('folds composition and letter case, and returns no empty token', () => {
    const text = fc.string({ unit: fc.constantFrom(...'체크포인각힣漢カーaZé9 _-.') });
    fc.assert(
      fc.property(text, (text) => {
        const tokens = searchTokens(text);
        expect(searchTokens(text.normalize('NFD'))).toEqual(tokens);
        expect(searchTokens(text.toUpperCase())).toEqual(tokens);
        expect(tokens).not.toContain('');
      }),
    );
  });
});
