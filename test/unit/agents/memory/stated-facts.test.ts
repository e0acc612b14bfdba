import { extractFacts } from 'agent-machines/memory';
import { describe, expect, it } from 'vitest';
import { assistant, tool, user } from './helpers.ts';

const statedIn = (...texts: readonly string[]): readonly string[] =>
  extractFacts(texts.map((text, i) => user(`m${i}`, text))).map(({ text }) => text);
const keysOf = (...texts: readonly string[]): readonly string[] =>
  extractFacts(texts.map((text, i) => user(`m${i}`, text))).map(({ key }) => key);

describe('extractFacts', () => {
  it.each([
    ['내 이름은 철수야', 'name'],
    ['안녕하세요, 저는 김철수라고 합니다.', 'name'],
    ['my name is Bob', 'name'],
    ["Hi, I'm Minji.", 'name'],
    ['This is Ana López here', 'name'],
    ['철수라고 불러줘', 'call'],
    ['Call me Bob!', 'call'],
    ['프로젝트 마감일은 3월 15일이야', 'of:프로젝트마감일'],
    ['예산은 1억원', 'of:예산'],
    ['참고로 예산은 오천만 원이야', 'of:예산'],
    ['내 생일은 5월 3일이니까 기억해줘', 'of:생일'],
    ['우리 팀은 8명이야', 'of:팀'],
    ['담당자는 영희야', 'of:담당자'],
    ['회의가 3시에서 5시로 바뀌었어', 'of:회의'],
    ['The deadline is March 15, 2026.', 'of:deadline'],
    ['We moved the deadline to May 3.', 'of:deadline'],
    ["My daughter's birthday is May 3", 'of:daughtersbirthday'],
    ['땅콩 알레르기가 있어', 'allergy:땅콩'],
    ["I'm allergic to peanuts", 'allergy:peanuts'],
    ['나는 매운 음식을 싫어해', 'like:매운음식'],
    ['짧은 영상을 선호해', 'like:짧은영상'],
    ['돼지고기는 못 먹어', 'like:돼지고기'],
    ["I don't like spicy food", 'like:spicyfood'],
    ['I prefer short videos.', 'like:shortvideos'],
    ['나는 서울에 살아', 'home'],
    ['할머니는 부산에 살아', 'home:할머니'],
    ['I live in Seoul', 'home'],
    ['저는 네이버에서 일해요', 'work'],
    ['나는 35살이야', 'age'],
    ['나는 개발자야', 'self:개발자'],
  ])('finds in "%s" a fact about %s', (text, key) => {
    expect(keysOf(text)).toEqual([key]);
  });

  it.each([
    '내 이름이 뭐라고 했지?',
    '아까 말한 프로젝트 마감일이 언제라고 했지',
    '회사 휴가 정책이 뭐야?',
    '예산이 1억원이야?',
    'What is my name?',
    "I'm Korean.",
    "I'm Fine",
    "I'm sorry",
    'Is my budget 5000?',
    '123 * 456 계산해줘',
    '체크포인트를 3줄로 요약해줘',
    '보고서는 3줄로 써줘',
    '회의는 3시로 잡아 주세요',
    'Please summarize the document in 3 lines',
    "'내 이름은 철수야'를 영어로 번역해줘",
    '내 이름이 철수라면 어떻게 부를래',
    'If my name is Bob, what then',
    'My question is about cats',
    "I'd like a summary of this",
    '날씨가 좋아',
    '고마워',
    '그것은 3번이야',
    '정답은 42야',
    '질문이 있어',
    '',
    '?!',
  ])('finds nothing in "%s"', (text) => {
    expect(statedIn(text)).toEqual([]);
  });

  it('splits several facts in one sentence', () => {
    expect(statedIn('내 이름은 철수이고, 프로젝트 마감일은 3월 15일이야')).toEqual([
      '내 이름은 철수이고',
      '프로젝트 마감일은 3월 15일이야',
    ]);
    expect(statedIn('내 이름은 철수야 그리고 예산은 1억원이야')).toEqual(['내 이름은 철수야', '예산은 1억원이야']);
    expect(statedIn('My name is Kim and my budget is $5,000.')).toEqual(['My name is Kim', 'my budget is $5,000']);
  });

  it('does not split lists, dates and numbers', () => {
    expect(statedIn('나는 사과, 배, 포도를 좋아해')).toEqual(['나는 사과, 배, 포도를 좋아해']);
    expect(statedIn('My deadline is March 15, 2026, and the budget is 1,000 dollars')).toEqual([
      'My deadline is March 15, 2026',
      'the budget is 1,000 dollars',
    ]);
  });

  it('omits a request after a statement', () => {
    expect(statedIn('내 이름은 철수야, 이 문서를 영어로 번역해줘')).toEqual(['내 이름은 철수야']);
  });

  it('keeps the later of two statements about the same thing', () => {
    expect(statedIn('예산은 1억원이야', '내 이름은 철수야', '예산은 2억원으로 바뀌었어')).toEqual([
      '내 이름은 철수야',
      '예산은 2억원으로 바뀌었어',
    ]);
    expect(statedIn('I like coffee', 'I no longer like coffee')).toEqual(['I no longer like coffee']);
  });

  it('reads only messages of the user', () => {
    const text = '내 이름은 철수야';
    expect(extractFacts([assistant('a', text), tool('t', 'x', text), { id: 's', message: { role: 'system', content: text } }])).toEqual([]);
  });

  it('keeps the message id, and one line of at most 160 characters', () => {
    const text = `내 취미는 ${'아주 '.repeat(100)}긴 산책이야`;
    expect(extractFacts([user('m7', '내 이름은\u0007 철수야')])).toEqual([{ key: 'name', text: '내 이름은 철수야', messageId: 'm7' }]);
    for (const fact of statedIn(text, `my name is ${'😀'.repeat(200)}`)) {
      expect(fact.length).toBeLessThanOrEqual(160);
      expect(fact.isWellFormed()).toBe(true);
    }
  });

  it('keeps only facts about the user from a pasted text', () => {
    const pasted = Array.from({ length: 60 }, (_, i) => `갑의 보증금은 ${i}억원입니다.`).join(' ');
    expect(statedIn(`${pasted} 내 이름은 철수야.`)).toEqual(['내 이름은 철수야']);
  });
});

describe('requests with a text to work on', () => {
  const stated = (content: string) => extractFacts([{ id: 'm', message: { role: 'user', content } }]).map(({ text }) => text);

  it.each([
    'fix this: for i in range(10): print(i)',
    'Fix this: for (let i = 0; i < 3; i++) {}',
    'please debug this code: x = 5',
    'translate: my budget is 500 euros',
    'explain: x = 5',
    'shorten the following: our deadline is March 5',
    'fix my spelling: i has 2 dogs and live in Pari',
    'I need this in Japanese: I live in Kyoto',
    'Any typos in this? My meeting is on Monday at 3',
    'I love pizza. Put that into French.',
    '맞춤법 고쳐줘: 나는 서울에 살아',
    '이거 일본어로 번역: 제 생일은 5월 3일이에요',
    '아래 글을 다듬어 주세요\n우리 팀은 5명이야',
    '나는 커피를 좋아해. 이 문장 영어로 옮겨줘',
  ])('state no fact: %s', (content) => {
    expect(stated(content)).toEqual([]);
  });

  it.each([
    ['내 이름은 도윤이야. README.md 요약해줘', '내 이름은 도윤이야'],
    ['내 이름은 철수야. 번역해줘: 나는 서울에 살아', '내 이름은 철수야'],
    ['My budget is 500. Translate: I live in Rome', 'My budget is 500'],
  ])('state only the fact before the request: %s', (content, fact) => {
    expect(stated(content)).toEqual([fact]);
  });

  it.each(['기억해줘: 내 생일은 5월 5일이야', '저는 번역 회사에서 일해요', 'My English test is on May 3', 'Call me Bob in English'])(
    'do not include: %s',
    (content) => {
      expect(stated(content)).toHaveLength(1);
    },
  );

  it.each(['deadline: March 5', 'note: my budget is 500', 'check-in time: 3 pm'])('do not include a label with a value: %s', (content) => {
    expect(stated(content)).toEqual([content]);
  });
});
