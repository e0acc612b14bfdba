import { describeDatetime } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { isKorean } from '../../../../src/core/text/is-korean.ts';
import { answerSentence } from '../../../../src/models/offline/answer-sentence.ts';
import { answerSmallTalk } from '../../../../src/models/offline/answer-small-talk.ts';
import { answerUnits } from '../../../../src/models/offline/answer-units.ts';
import { asksForNow, asksForNowIn } from '../../../../src/models/offline/asks-for-now.ts';
import { coversQuestion } from '../../../../src/models/offline/covers-question.ts';
import { parseNow } from '../../../../src/models/offline/parse-now.ts';
import { readNeeds, readSentence } from '../../../../src/models/offline/read-needs.ts';
import { zoneOfPlace } from '../../../../src/models/offline/zone-of-place.ts';

const now = { currentDatetime: '2026-11-20 15:04:05 (Asia/Seoul)' };

describe('zones', () => {
  it.each([
    ['뉴욕은 지금 몇 시야?', 'America/New_York'],
    ['파리 지금 몇시', 'Europe/Paris'],
    ['한국 시간', 'Asia/Seoul'],
    ['LA 지금 몇 시임?', 'America/Los_Angeles'],
    ['what time is it in London?', 'Europe/London'],
    ["what's the local time in Sao Paulo now", 'America/Sao_Paulo'],
    ['Tokyo time', 'Asia/Tokyo'],
    ['what day is it in Sydney', 'Australia/Sydney'],
  ])('%s → %s', (sentence, zone) => {
    expect(readSentence(sentence, now)).toEqual({ kind: 'datetime', zone });
  });

  it.each([
    ['지금 미국 몇 시야?', '시간대가 여럿'],
    ['아틀란티스는 지금 몇 시야?', '“아틀란티스”의 시간대는 알 수 없습니다'],
    ['what time is it in Atlantis?', 'cannot be told'],
    ['뉴욕이랑 서울은 몇 시간 차이나?', '서울이 뉴욕보다 14시간 빠릅니다'],
    ['time difference between Seoul and Paris', 'Seoul is 8 hours ahead of Paris now.'],
    ['3시간 뒤는 몇 시야?', '2026-11-20 18:04입니다'],
    ['지금부터 10시간 30분 후 몇 시?', '2026-11-21 01:34'],
    ['what time will it be in 3 hours', '18:04 on 2026-11-20'],
    ['time difference between Delhi and London', 'Delhi is 5 hours and 30 minutes ahead of London now.'],
  ])('%s: %s', (sentence, part) => {
    expect(readSentence(sentence, now)).toMatchObject({ kind: 'known', answer: expect.stringContaining(part) });
  });

  it.each(['회의는 몇 시야?', 'what time is my meeting', 'what time is lunch', '오늘 meeting 몇 시야?', '몇 시에 출근해?'])(
    '%s has no place',
    (sentence) => {
      expect(readSentence(sentence, now)).toBeUndefined();
    },
  );

  it('knows every city that names a zone, except words with another meaning', () => {
    const cities = Intl.supportedValuesOf('timeZone').filter((zone) => /^(?:Europe|Asia|Africa)\/\w+$/.test(zone));
    expect(cities.length).toBeGreaterThan(100);
    for (const zone of cities) expect(zoneOfPlace(zone.replace(/^.*\//, '').replaceAll('_', ' '))).toHaveProperty('zone');
    expect(zoneOfPlace('christmas')).toBeUndefined();
  });

  it('maps every place of the tables to an existing zone', () => {
    for (const place of ['뉴욕', '런던', '발리', '키이우', '호치민', '괌', 'utc', 'kyiv', 'mumbai', 'buenos aires']) {
      const found = zoneOfPlace(place);
      expect(() => describeDatetime(0, found && 'zone' in found ? found.zone : '')).not.toThrow();
    }
  });
});

describe('parseNow', () => {
  it.each(['Asia/Seoul', 'America/New_York', 'Asia/Kolkata', 'UTC', 'Australia/Lord_Howe'])('reads a time written in %s', (zone) => {
    for (const epochMs of [0, Date.UTC(2026, 10, 20, 6, 4, 5), Date.UTC(2026, 2, 8, 6, 59, 59), Date.UTC(2026, 2, 8, 7, 0, 1)]) {
      expect(parseNow(describeDatetime(epochMs, zone))?.epochMs).toBe(epochMs);
    }
  });

  it.each(['', 'now', '2026-11-20'])('returns nothing for %j', (text) => {
    expect(parseNow(text)).toBeUndefined();
  });
});

describe('asksForNow', () => {
  it.each([
    '지금 몇 시야?',
    '오늘 몇일이야',
    '오늘 무슨 요일이야?',
    '시간 알려줘',
    'what time is it',
    'whats the tiem',
    'waht is teh date tody',
    "what's the date today?",
  ])('matches: %s', (text) => {
    expect(asksForNow(text)).toBe(true);
  });

  it.each([
    '연차는 며칠이야?',
    '몇 시에 출근해?',
    '회의는 몇 시야?',
    'what is the date of the contract',
    'what time is lunch',
    'dates are sweet',
    '시간은 금이다',
  ])('does not match: %s', (text) => {
    expect(asksForNow(text)).toBe(false);
  });
});

describe('asksForNowIn', () => {
  it.each(['지금 몇 시인지 알려줘', '안녕, 오늘 며칠이야?', 'hello, what time is it?'])('matches: %s', (clause) => {
    expect(asksForNowIn(clause)).toBe(true);
  });

  it.each([
    '회의는 몇 시야?',
    '오늘 meeting 몇 시야?',
    '몇 시에 출근해?',
    '지금부터 3시간 후 몇 시?',
    'what day is it in Atlantis',
    'LA 지금 몇 시에 해 떠?',
    '뉴욕 지금 몇 시쯤 됐을까나',
  ])('does not match: %s', (clause) => {
    expect(asksForNowIn(clause)).toBe(false);
  });
});

describe('answerUnits', () => {
  it.each([
    ['5km는 몇 미터야?', '5 km = 5,000 m'],
    ['convert 10 miles to km', '10 miles = 16.09344 km'],
    ['how many minutes are in 3 hours', '3 hours = 180 minutes'],
    ['하루는 몇 시간이야', '1일 = 24시간'],
    ['화씨 100도는 섭씨로 몇 도야', '100 °F = 37.78 °C'],
    ['30 celsius to fahrenheit', '30 °C = 86 °F'],
    ['100평은 몇 제곱미터야', '100평 ≈ 330.5785 m²'],
    ['how many days in a week', '1 week = 7 days'],
  ])('%s', (sentence, answer) => {
    expect(answerUnits(sentence, isKorean(sentence))).toBe(answer);
  });

  it.each(['1,5km는 몇 m', '5 dollars in won', '5kg은 몇 미터야?', 'how many people in a team', '10 miles to go', '우리 집은 몇 평이야'])(
    'leaves unanswered: %s',
    (sentence) => {
      expect(answerUnits(sentence, isKorean(sentence))).toBeUndefined();
    },
  );
});

describe('answerSmallTalk', () => {
  it.each([
    '잘 지냈어?',
    '너 사람이야?',
    '오늘 너무 우울해',
    '농담 하나 해줘',
    '멍청아',
    '음...',
    'how are you?',
    'tell me a joke',
    "I'm so tired",
    "you're stupid",
    'hmm',
    'are you there?',
    '넌 뭐 할 수 있어?',
    '???',
  ])('answers %s', (text) => {
    expect(answerSmallTalk(text)).toBeTypeOf('string');
  });

  it.each([
    '체크포인트 기능이 뭐야?',
    '내 강아지 이름이 뭐야?',
    '새끼 고양이는 뭘 먹어?',
    '시발점이 어디야?',
    'when is trash collected?',
    '우울증 진단서는 어디에 내?',
    '스트레스 해소법 알려줘',
    '재미있는 영화 추천해줘',
    '휴가 때 무엇을 할 수 있어?',
    'what are your office hours?',
    '안녕하세요',
    '연차는 며칠이야?',
    '힘든 날에 쉬는 휴가는 며칠이야?',
  ])('leaves unanswered: %s', (text) => {
    expect(answerSmallTalk(text)).toBeUndefined();
  });

  it('names a helpline to a user in danger', () => {
    expect([answerSmallTalk('죽고 싶어'), answerSmallTalk('I want to die')].join(' ')).toMatch(/109.*988/s);
  });
});

describe('coversQuestion', () => {
  it.each([
    ['출장 숙박비 한도는 얼마야?', '출장 숙박비 한도: 국내 1박 12만 원', true],
    ['What survives a crash?', 'The journal survives a crash.', true],
    ['한국의 수도는?', '한국 시간으로 정하며 지수도 적는다', false],
    ['who wrote Hamlet', 'what the model wrote', false],
    ['퇴직금은 어떻게 계산해?', '퇴직할 때 계산한다', false],
    ['what is 5!', 'Step 5 is the last.', false],
    ['how many weeks in a year', 'a week in the year', false],
    ['who won the game last night?', 'the last one that has won', false],
    ['', 'anything', false],
  ])('%s: %s', (question, text, covers) => {
    expect(coversQuestion(question, text)).toBe(covers);
  });
});

describe('readNeeds', () => {
  it.each([
    'README.md 읽고 핵심만 알려줘',
    'README.md를 읽어줘',
    'README.md을 보여줘',
    'README.md요약해줘',
    'README.md에서 내용 보여줘',
    'README.md 읽고요',
    'please read README.md',
  ])('reads the file: %s', (text) => {
    expect(readNeeds(text)[0]).toMatchObject({ kind: 'read', path: 'README.md' });
  });

  it('reads no sum from a number that continues in words', () => {
    expect(readNeeds('5천만원 + 3*2 계산해줘').some(({ kind }) => kind === 'calculate')).toBe(false);
    expect(readNeeds('3+4만원은?')).toEqual([{ kind: 'calculate', expression: '3+40000', unit: '원' }]);
  });

  it('reads each clause of a request', () => {
    expect(readNeeds('내일은 무슨 요일이야? 그리고 12의 제곱은?', now)).toEqual([
      { kind: 'known', answer: '내일: 2026-11-21 토요일입니다.' },
      { kind: 'calculate', expression: '12^2' },
    ]);
  });
});

describe('answerSentence', () => {
  it.each([
    ['12의 제곱은?', '12^2 = 144'],
    ['런던은 지금 몇 시야?', '지금은 2026-11-20 06:04:05입니다 (금요일, Europe/London).'],
    ['10을 0으로 나누면?', '10/0: 0으로 나눌 수 없습니다.'],
    ['ㅋㅋㅋ 웃기다', '하하, 저도 재미있습니다. 더 필요한 것이 있으면 말씀해 주세요.'],
  ])('%s', (sentence, answer) => {
    expect(answerSentence(sentence, now)).toBe(answer);
  });

  it('leaves questions about the world unanswered', () => {
    expect(answerSentence('한국의 수도는?', now)).toBeUndefined();
    expect(answerSentence('2의 10000승은?', now)).toBeUndefined();
  });
});
