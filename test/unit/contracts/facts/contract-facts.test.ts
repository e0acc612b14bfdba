import { contractFacts, parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const body = '\n\nArticle 1. Term\nOne year.\n\nArticle 2. Law\nDelaware.\n';
const koreanBody = '\n\n제1조(목적) 하나다.\n제2조(기간) 둘이다.\n';
const facts = (text: string) => contractFacts(parseContract({ name: 'a.txt', text }));
const parties = (text: string) => facts(text).parties.map(({ role = '', name = '?' }) => `${role}: ${name}`);
const dates = (text: string) => facts(text).dates.map(({ kind, date = '?' }) => `${kind} ${date}`);
const amounts = (text: string) => facts(text).amounts.map(({ value, currency }) => `${value} ${currency}`);

describe('contract parties', () => {
  it.each([
    [
      'This Agreement is by and between Acme Widgets, Inc., a Delaware corporation ("Company"), and Beta & Sons Ltd., a company of England (the "Customer").',
      ['Company: Acme Widgets, Inc.', 'Customer: Beta & Sons Ltd.'],
    ],
    [
      'This Lease is made between Ann Lee (hereinafter referred to as the "Landlord") and Bo Park (hereinafter "Tenant").\n\nWHEREAS, the "Act" (the "Law") applies',
      ['Landlord: Ann Lee', 'Tenant: Bo Park'],
    ],
    ['AGREEMENT (the "Agreement") among A Corp. ("A"), B Corp. ("B") and C Corp. ("C").', ['A: A Corp.', 'B: B Corp.', 'C: C Corp.']],
    ['This Agreement is between ________ ("Seller") and Acme Inc. ("Buyer").', ['Seller: ?', 'Buyer: Acme Inc.']],
    [
      'This Agreement is made by and between Orchard Foods Inc. ("Orchard") and Dawn Coffee Co. ("Dawn").',
      ['Orchard: Orchard Foods Inc.', 'Dawn: Dawn Coffee Co.'],
    ],
    ['Nothing is said of anybody.', []],
  ])('%s', (preamble, expected) => {
    expect(parties(preamble + body)).toEqual(expected);
  });

  it.each([
    [
      '주식회사 가나(이하 "갑"이라 한다)와 다라 주식회사(이하 “을”이라 한다)는 다음과 같이 계약한다.',
      ['갑: 주식회사 가나', '을: 다라 주식회사'],
    ],
    ['임대인 : 김가나\n임차인 : 이다라', ['임대인: 김가나', '임차인: 이다라']],
    ['"갑" : ________\n"을" : 주식회사 마바 (인)', ['갑: ?', '을: 주식회사 마바']],
    ['어느 계약서', []],
  ])('%s', (preamble, expected) => {
    expect(parties(preamble + koreanBody)).toEqual(expected);
  });

  it.each([
    ['이 계약은 2029년 5월 7일 주식회사 이끼(이하 “갑”이라 한다)와 고사리(이하 “을”이라 한다) 사이에 체결되었다.', ['signed 2029-05-07']],
    ['본 용역계약은 2029. 5. 7. 주식회사 이끼(이하 "갑")와 고사리(이하 "을")가 체결한다.', ['signed 2029-05-07']],
    [
      '이 계약은 2029년 5월 7일(이하 "효력발생일"이라 한다) 주식회사 이끼(이하 "갑")와 고사리(이하 "을") 사이에 체결되었다.',
      ['effective 2029-05-07', 'signed 2029-05-07'],
    ],
    ['주식회사 이끼(이하 "갑")와 고사리(이하 "을")는 2025년 3월 2일 체결한 기본계약에 따라 다음과 같이 합의한다.', []],
  ])('and the day are told apart: %s', (preamble, days) => {
    expect(parties(preamble + koreanBody)).toEqual(['갑: 주식회사 이끼', '을: 고사리']);
    expect(dates(preamble + koreanBody)).toEqual(days);
  });

  it('are also found among the signatures, with their position', () => {
    const { parties: found } = facts(`용역 계약서${koreanBody}\n2026년 1월 2일\n갑: 주식회사 가나 대표이사 김하나 (인)\n을: 이다라 (인)\n`);
    expect(found.map(({ role, name, partId }) => [role, name, partId])).toEqual([
      ['갑', '주식회사 가나', 'signatures/서명'],
      ['을', '이다라', 'signatures/서명'],
    ]);
  });
});

describe('contract dates', () => {
  it.each([
    ['This Agreement is dated as of January 5, 2026 (the "Effective Date").', ['effective 2026-01-05', 'signed 2026-01-05']],
    ['This Agreement is made this 3rd day of March, 2026.', ['signed 2026-03-03']],
    ['This Agreement is made on 02/03/2026.', ['signed ?']],
    ['This Agreement is made this ____ day of ______, 2026.', ['signed ?']],
    ['This Agreement is made on February 30, 2026.', ['signed ?']],
    ['Made on May 1, 2026.\n\nWHEREAS, an agreement dated June 1, 2020 exists', ['signed 2026-05-01']],
  ])('%s', (preamble, expected) => {
    expect(dates(preamble + body)).toEqual(expected);
  });

  it('are next to the signatures, and blank if not filled in', () => {
    expect(dates(`계약서${koreanBody}\n2026년 1월 2일\n갑: 김가나 (인)\n`)).toEqual(['signed 2026-01-02']);
    expect(dates(`계약서${koreanBody}\n20__년  월  일\n갑: (인)\n`).filter((date) => !date.endsWith('?'))).toEqual([]);
  });
});

describe('contract amounts', () => {
  it.each([
    ['제1조(대금) 총 계약금액은 금 12,000,000원으로 한다.\n제2조(기간) 1년.\n', ['12000000 KRW']],
    ['제1조(대금) 총액은 1억 2천만원으로 한다. 벌금은 5원이다.\n제2조(기간) 1년.\n', ['120000000 KRW']],
    ['Article 1. Price\nThe total price is US$1.5 million.\n\nArticle 2. Fine\nA fine is $3.\n', ['1500000 USD']],
    ['Article 1. Price\nThe purchase price is $200.\n\nArticle 2. Term\nA year.\n', ['200 undefined']],
    ['제1조(대금) 계약금액은 금 ________ 원으로 한다.\n제2조(기간) 1년.\n', ['undefined KRW']],
    ['제1조(대금) 매월 10,000원을 낸다.\n제2조(기간) 1년.\n', []],
  ])('%s', (text, expected) => {
    expect(amounts(text)).toEqual(expected);
  });
});
