// What rules say of a message without asking a model, and which words do not mislead them.
import { describe, expect, it } from 'vitest';
import { readMentions } from '../../../machines/contract-agent/rules/mentions.ts';
import { isSmallTalk, refersBack, scopeByRule } from '../../../machines/contract-agent/rules/scope.ts';

const verdictOf = (text: string): 'in' | 'out' | 'model' => {
  const { inScope } = scopeByRule(text, false);
  return inScope === undefined ? 'model' : inScope ? 'in' : 'out';
};

describe('scopeByRule', () => {
  it.each([
    // articles by number
    ['제5조 내용이 뭐야?', 'in'],
    ['제10조의2는?', 'in'],
    ['5조 알려줘', 'in'],
    ['제３조', 'in'],
    ['부칙 제1조 보여줘', 'in'],
    ['별지 1 보여줘', 'in'],
    ['Article 5?', 'in'],
    ['what does section 4.2 say', 'in'],
    // numbers that are no articles
    ['예산이 5조원이야?', 'model'],
    ['5조 원이 넘어?', 'model'],
    ['3조각으로 나눠줘', 'model'],
    ['2조로 나눠서 작업하자', 'model'],
    // words of contracts
    ['계약 기간은?', 'in'],
    ['계약기간이 언제까지야?', 'in'],
    ['손해배상은 어떻게 정해져 있어?', 'in'],
    ['표준계약서와 비교해서 빠진 조항이 있어?', 'in'],
    ['그 참조항목들 내용 정리해서 보여줘봐', 'in'],
    ['돈은 언제 줘야 돼?', 'in'],
    ['갑이 해야 할 일은?', 'in'],
    ['소유권 이전은 언제 돼?', 'in'],
    ['대가는 얼마야?', 'in'],
    ['해지하면 어떻게 돼?', 'in'],
    ['지체상금률이 몇 퍼센트지?', 'in'],
    ['검수기간 알려줘', 'in'],
    ['재위탁해도 되나요?', 'in'],
    ['개인정보가 유출되면 누가 책임져?', 'in'],
    ['감사 기간은 얼마야?', 'in'],
    ['How long is the term?', 'in'],
    ['Who pays for shipping?', 'in'],
    ['can I terminate early', 'in'],
    // parts of other words
    ['조카 선물 추천해줘', 'model'],
    ['항공모함이 뭐야?', 'model'],
    ['보수적으로 봐줘', 'model'],
    ['갑자기 왜 그래?', 'model'],
    ['을지문덕이 누구야?', 'model'],
    ['프로그램 설치해줘', 'model'],
    ['그룹이 뭐야', 'model'],
    ['로그 보여줘', 'model'],
    ['그림 그려줘', 'model'],
    ['파이썬 코드 짜줘', 'model'],
    ['상대가 망하면?', 'model'],
    ['중간에 그만두면 어떻게 돼?', 'model'],
    ['what happens to data that is lost?', 'model'],
    // what no contract knows
    ['오늘 날씨 어때?', 'out'],
    ['항공권 예약해줘', 'out'],
    ['을지로 맛집 알려줘', 'out'],
    ['대가족 여행지 추천', 'out'],
    ['네이버 주가 알려줘', 'out'],
    ['로또 번호 뽑아줘', 'out'],
    ['점심 뭐 먹지', 'out'],
    ['야구 누가 이겼어?', 'out'],
    ['What is the weather like?', 'out'],
    ['tell me a joke', 'out'],
    // both: a contract may speak of anything
    ['날씨 때문에 납기가 늦으면?', 'in'],
    ['주식으로 대금을 줘도 돼?', 'in'],
    ['호텔 비용은 누가 내?', 'in'],
    ['갑자기 잘릴 수도 있나요?', 'model'],
    ['수도 요금은 누가 내?', 'model'],
    ['프랑스의 수도는?', 'out'],
    ['강아지를 키워도 되나요?', 'model'],
    ['강아지 사진 보여줘', 'out'],
    ['기본급은 얼마야', 'in'],
    ['건강 때문에 그만두면?', 'model'],
    ['작업복을 사주나요?', 'model'],
    ['어디로 가요?', 'model'],
    // greetings and thanks
    ['고마워', 'in'],
    ['감사합니다!', 'in'],
    ['안녕하세요', 'in'],
    ['ㅋㅋㅋ', 'in'],
    ['네', 'in'],
    ['thanks!', 'in'],
    ['hello', 'in'],
    ['안녕 오늘 뭐해?', 'model'],
    ['네이버가 뭐야', 'model'],
  ] as const)('%s → %s', (text, verdict) => {
    expect(verdictOf(text)).toBe(verdict);
  });

  it('counts no word of the contract as foreign', () => {
    expect(scopeByRule('영화 찍을 사람은 누구야?', false).inScope).toBe(false);
    expect(scopeByRule('영화 찍을 사람은 누구야?', false, '제10조(2차적저작물) 번역, 영화화는 따로 정한다.').inScope).toBeUndefined();
    expect(scopeByRule('날씨 어때?', false, '제10조(2차적저작물) 번역, 영화화는 따로 정한다.').inScope).toBe(false);
  });

  it('accepts a question that refers back if there is an earlier turn', () => {
    expect(scopeByRule('그건 왜 그래?', true).inScope).toBe(true);
    expect(scopeByRule('그건 왜 그래?', false).inScope).toBeUndefined();
  });
});

describe('refersBack', () => {
  it.each([
    '그 참조항목들 내용 정리해서 보여줘봐',
    '그건 왜 그래?',
    '그럼 해지는?',
    '그 조항 다시 보여줘',
    '아까 말한 거 뭐였지?',
    '방금 그거',
    '이전 답변을 요약해줘',
    '위에서 말한 내용',
    '해당 조항의 예외는?',
    '더 자세히 설명해줘',
    'explain it again',
    'and what about those articles?',
    'you mentioned a deadline',
  ])('is true for “%s”', (text) => {
    expect(refersBack(text)).toBe(true);
  });

  it.each([
    '프로그램 소스코드는 누구 거야?',
    '그룹 계열사에 양도할 수 있어?',
    '로그 기록은 얼마나 보관해?',
    '그림 파일도 산출물이야?',
    '소유권 이전은 언제?',
    '계약 이전에 쓴 비용은?',
    '위약금은?',
    '위 반 하 면?',
    '제5조 내용이 뭐야?',
    '그대로 두면?',
    'what happens to data that is lost?',
    'is it allowed to subcontract?',
  ])('is false for “%s”', (text) => {
    expect(refersBack(text)).toBe(false);
  });
});

describe('readMentions', () => {
  it.each([
    ['제5조 내용이 뭐야?', ['5'], []],
    ['제10조의2는?', ['10의2'], []],
    ['제 10 조 의 2', ['10의2'], []],
    ['제3조, 제5조 및 7조의2를 비교해줘', ['3', '5', '7의2'], []],
    ['제5조부터 제8조까지', ['5', '6', '7', '8'], []],
    ['부칙 제2조', ['부칙 2'], []],
    ['제５조', ['5'], []],
    ['별지 제1호와 별표 2', [], ['별지 1', '별표 2']],
    ['특약사항이 뭐야?', [], ['특약사항']],
    ['특약에 반려동물 얘기 있어?', [], ['특약사항']],
    ['특약점은 어디야? 암진단특약, 특약매입', [], []],
    ['예산 5조원, 3조각', [], []],
    ['Article 5 and Section 4.2', ['5', '4.2'], []],
    ['article IV, Exhibit A', ['IV'], ['Exhibit A']],
    ['제5조원칙', ['5'], []],
  ] as const)('%s', (text, articleNumbers, exhibitNumbers) => {
    expect(readMentions(text)).toEqual({ articleNumbers, exhibitNumbers });
  });
});

describe('isSmallTalk', () => {
  it('is false if the message also has a question', () => {
    expect(['고마워', '고마워요~', '안녕하세요!'].map(isSmallTalk)).toEqual([true, true, true]);
    expect(['고마워, 제5조도 보여줘', '안녕, 계약기간은?', '그래서?', '네, 해지 조항도요'].map(isSmallTalk)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});
