import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentWords } from '../../../../src/core/text/content-words.ts';

describe('contentWords', () => {
  it.each([
    ['이 저장소의 문서에서 체크포인트를 찾아 요약해줘', '체크포인트'],
    ['docs에서 interrupt를 찾아 요약', 'interrupt'],
    ['docs에서 interrupt를 찾아 요약하고 7*6도 계산해줘', 'interrupt 7*6'],
    ['문서 안에서 재시도에 대해 설명해 주세요', '재시도'],
    ['docs 폴더에서 시간 초과를 찾아줘', '시간 초과'],
    ['README.md에 있는 설치 방법 알려줘', '설치 방법'],
    ['체크포인트 요약', '체크포인트'],
    ['요약 도구', '요약 도구'],
    ['전문가의 평가를', '전문가 평가'],
    ['별도로 서버로 파일로', '별도 서버 파일'],
    ['“실행 한도(limit)”란 무엇인가요?', '실행 한도(limit)'],
    ['"interrupt"를 찾아줘 (docs에서).', 'interrupt'],
    ["what's 'plan gate'?", 'plan gate'],
    ['(1+2)*(3) [x]', '(1+2)*(3) x'],
    ['What survives a crash?', 'survives crash'],
    ['Find what the docs say about the plan gate and summarise it.', 'plan gate'],
    ['how does search work?', 'search work'],
    ['Please look up retries', 'retries'],
    ['Give me a summary of the journal', 'journal'],
    ['a document parser', 'document parser'],
    ['.env 파일은?', '.env 파일'],
  ])('reduces %j to %j', (query, words) => {
    expect(contentWords(query)).toBe(words);
  });

  it.each(['요약해줘', '문서에서 찾아', 'What is it', 'find'])('keeps %j, which has no other words', (query) => {
    expect(contentWords(query)).toBe(query);
  });

  it.each(['', '  ', '?!'])('returns no words for %j', (query) => {
    expect(contentWords(query)).toBe('');
  });

  it('composes decomposed Hangul', () => {
    expect(contentWords('체크포인트를'.normalize('NFD'))).toBe('체크포인트');
  });

  it('finds a word in every query with a letter, and adds no word', () => {
    const word = fc.oneof(
      fc.constantFrom(
        '문서에서',
        '찾아',
        '요약',
        '요약해줘',
        '이',
        '의',
        '를',
        'the',
        'find',
        'docs',
        'in',
        '(',
        '-',
        'summary',
        'of',
        'up',
        'look',
      ),
      fc.string({ unit: fc.constantFrom(...'가나을는에서docs.?!"()') }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const query = words.join(' ');
        const content = contentWords(query);
        if (/\p{L}/u.test(query)) expect(content).toMatch(/\p{L}/u);
        let at = 0;
        for (const character of content.replaceAll(' ', '')) {
          at = query.indexOf(character, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
    );
  });
});
