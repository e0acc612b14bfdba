import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutAtSentence, sentencesOf, splitSentences } from '../../../../src/core/text/sentences.ts';

describe('splitSentences', () => {
  it.each([
    ['저장한다. 그리고 이어간다.', ['저장한다.', '그리고 이어간다.']],
    ['끝났어요.다시 시작해요.', ['끝났어요.', '다시 시작해요.']],
    ['정말? 네! 좋아요', ['정말?', '네!', '좋아요']],
    ['これはペンです。それは本です。', ['これはペンです。', 'それは本です。']],
    ['It is stored. It survives! Does it? Yes.', ['It is stored.', 'It survives!', 'Does it?', 'Yes.']],
    ['He said "stop." (Then he left.) **So.** End.', ['He said "stop."', '(Then he left.)', '**So.**', 'End.']],
    ['Really?! Wait... then go. Well... Go.', ['Really?!', 'Wait... then go.', 'Well...', 'Go.']],
  ])('ends sentences in %j', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  it.each([
    'It costs 3.14 dollars',
    'Use a map, e.g. a tree map',
    'Dr. Kim and J. Smith of the U.S. team wrote it',
    'Birds, cats etc. are animals',
    'See Fig. 3 and p. 12',
    '제5조. 목적은 다음과 같다',
    '제3조의2 (정의). 뜻은 이렇다',
    'Step 1. Do it',
    '가. 첫째 항목',
    'XState v5.33 is used',
    'See https://example.com/a.html?x=1!y for more',
    'The file package.json and the folder .git are there',
    'Write `a. b` here',
  ])('does not end a sentence inside %j', (text) => {
    expect(splitSentences(text)).toEqual([text]);
  });

  it('ends a sentence after a word that is an abbreviation only before a number', () => {
    expect(splitSentences('The answer is no. The rest follows.')).toEqual(['The answer is no.', 'The rest follows.']);
  });

  it('makes one sentence of each heading, item and cell, without their marks', () => {
    const text =
      '# Title #\n- one\n* [x] two\n1. three\n   goes on\n② four\n> - five\n\n| a | b |\n|:--|--:|\n| c | `d` |\nAfter\n=====\n> #### Six';
    expect(splitSentences(text)).toEqual([
      'Title',
      'one',
      'two',
      'three\n   goes on',
      'four',
      'five',
      'a',
      'b',
      'c',
      '`d`',
      'After',
      'Six',
    ]);
  });

  it('joins the lines of a paragraph and of a quote', () => {
    expect(splitSentences('It is\nstored. Yes\n\nNew\n> quoted\n> text\n>\n> end')).toEqual([
      'It is\nstored.',
      'Yes',
      'New',
      'quoted\n> text',
      'end',
    ]);
  });

  it('omits code blocks, rules, images, tags, link addresses and document headers', () => {
    const noise = [
      '```ts\nconst a = 1. b\n```',
      '---',
      '[![CI](a.svg)](b) ![x](y.png)',
      '<p align="center">',
      '[1]: https://a.b',
      '> [!NOTE]',
      '...',
    ];
    expect(splitSentences(`---\ntitle: x\n---\n${noise.join('\n\n')}\n\nText.`)).toEqual(['Text.']);
  });

  it('quotes verbatim, in order, without overlap', () => {
    const unit = fc.constantFrom(...'a다요1A.!?。`|#>-*_[]()<~ \n\r\t', '다. ', '. ', '\n\n', '```\n', '| ', '\n- ', 'e.g. ');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 200 }), (text) => {
        let from = 0;
        for (const sentence of splitSentences(text)) {
          const at = text.indexOf(sentence, from);
          expect(at).toBeGreaterThanOrEqual(from);
          expect(sentence.trim()).toBe(sentence);
          from = at + sentence.length;
        }
      }),
    );
  });

  it('loses no word of plain prose', () => {
    const word = fc.constantFrom('저장한다.', '그리고', 'Yes.', 'stored', 'e.g.', '3.14', '끝!', 'v5.33', '(so)');
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(splitSentences(words.join(' ')).join(' ')).toBe(words.join(' '));
      }),
    );
  });
});

describe('a date within a sentence', () => {
  it.each([
    '을은 2029. 7. 9.까지 도면을 낸다.',
    '갑은 2029. 11. 30. 까지 열쇠를 돌려준다.',
    '기간은 2029. 1. 2.부터 2030. 1. 1.까지로 한다.',
    '갑은 2029. 8. 15. 을에게 잔금을 준다.',
    "을은 '29. 4. 6.까지 보고한다.",
    '이 규정은 2029. 7. 부터 시행한다.',
    'The lamps arrive on Sept. 12, 2029 at noon.',
  ])('does not end it: %s', (text) => {
    expect(splitSentences(text)).toEqual([text]);
  });

  it.each([
    ['It opened in 2029. 3.5 million people came.', ['It opened in 2029.', '3.5 million people came.']],
    ['It closed in 2029. It was sold.', ['It closed in 2029.', 'It was sold.']],
    ['서명일: 2029. 5. 6.\n\n갑은 서명한다.', ['서명일: 2029. 5. 6.', '갑은 서명한다.']],
    ['버전은 3. 31이 아니다.', ['버전은 3.', '31이 아니다.']],
  ])('leaves other ends alone: %s', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });
});

describe('sentencesOf', () => {
  it('tells headings from sentences', () => {
    expect(sentencesOf('# A. B\nText.')).toEqual([
      { text: 'A. B', heading: true },
      { text: 'Text.', heading: false },
    ]);
  });
});

describe('cutAtSentence', () => {
  it('returns a text that fits unchanged', () => {
    expect(cutAtSentence(' a. b ', 6)).toBe(' a. b ');
  });

  it.each([
    ['First one. Second one. Third', 25, 'First one. Second one.'],
    ['Short. Then a long one without an end', 20, 'Short. Then a long'],
    ['저장한다. 이어간다. 끝', 12, '저장한다. 이어간다.'],
    ['oneverylongword', 6, 'onever'],
    ['ab😀', 3, 'ab'],
    ['a https://long.example', 10, 'a https://'],
  ])('cuts %j to %i', (text, maxChars, start) => {
    expect(cutAtSentence(text, maxChars)).toBe(start);
  });

  it('returns a prefix that fits, without a split character', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '😀', '. ', ' ', '다.', '\n'), maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (text, maxChars) => {
        const start = cutAtSentence(text, maxChars);
        expect(text.startsWith(start)).toBe(true);
        expect(start.length).toBeLessThanOrEqual(maxChars);
        expect(start).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });
});
