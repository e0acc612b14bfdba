import { findingKinds, parseContract, type ReviewContractOptions, reviewContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import examples from './clause-examples.json' with { type: 'json' };

const contract = (text: string, name = 'contract.md') => parseContract({ name, text });
const review = (text: string, options: ReviewContractOptions = {}) => reviewContract(contract(text), options);

const english = (...articles: readonly string[]): string =>
  `AGREEMENT\n\nThis Agreement is made as of 2 March 2026 (the "Effective Date") between Alder Ltd. ("Seller") and Birch Ltd. ("Buyer").\n\n${numbered(articles, (number) => `${number}. Condition.`)}\n`;
const korean = (...articles: readonly string[]): string =>
  `매매계약서\n\n주식회사 가람(이하 "매도인"이라 한다)과 나루(이하 "매수인"이라 한다)는 다음과 같이 계약한다.\n\n${numbered(articles, (number) => `제${number}조(조건)`)}\n\n위와 같이 계약을 체결한다.\n\n2026년 3월 2일\n\n매도인: 가람 (인)\n매수인: 나루 (인)\n`;
const numbered = (articles: readonly string[], head: (number: number) => string): string =>
  [...articles, 'Notices / 통지.'].map((text, index) => `${head(index + 1)} ${text}`).join('\n');

describe('clauses', () => {
  it('have an example in both languages', () => {
    expect(Object.keys(examples).sort()).toEqual(findingKinds.map(({ kind }) => kind).sort());
  });

  const cases = Object.entries(examples).flatMap(([kind, { en, ko }]) => [
    { kind, language: 'en', ...en, wrap: english },
    { kind, language: 'ko', ...ko, wrap: korean },
  ]);

  it.each(cases)('of the kind $kind are found, harmless ones are not: $language', ({ kind, oneSided, harmless, wrap }) => {
    const kinds = (text: string) => review(wrap(text)).findings.map((finding) => finding.kind);
    expect(kinds(oneSided)).toContain(kind);
    expect(kinds(harmless)).not.toContain(kind);
  });

  it('are dropped if the other side is bound alike', () => {
    const buyer = 'The Buyer may terminate this Agreement at any time without cause.';
    const seller = 'The Seller may terminate this Agreement at any time without cause.';
    expect(review(english(buyer)).findings).toMatchObject([{ kind: 'unilateral-termination', burdens: 'Seller' }]);
    expect(review(english(buyer, seller)).findings).toEqual([]);
  });

  it('name their article and stand verbatim in the contract', () => {
    const text = english('Peace.', 'The Buyer waives all claims\nagainst the Seller.');
    expect(review(text).findings).toMatchObject([
      { passage: { label: 'Article 2', text: 'The Buyer waives all claims against the Seller.' }, from: 'rules' },
    ]);
  });

  it('put those against the chosen party first', () => {
    const text = korean(
      '매도인은 모든 항변권을 포기한다.',
      '매수인은 동의 없이 계약을 양도할 수 있다.',
      '매수인이 낸 요금은 환불하지 않는다.',
    );
    const sides = (as: string) => review(text, { as }).findings.map(({ kind, side }) => [kind, side]);
    expect(sides('매수인')[0]).toEqual(['no-refund', 'against']);
    expect(sides('매도인').slice(0, 2)).toEqual([
      ['waiver', 'against'],
      ['assignment', 'against'],
    ]);
  });
});

describe('parties', () => {
  it('are chosen by role, by name, and by a common word for the role', () => {
    const text = korean('평화.');
    for (const as of ['매수인', '나루', 'buyer']) expect(review(text, { as }).as).toBe('매수인');
    expect(review(english('Peace.'), { as: 'birch' }).as).toBe('Buyer');
    expect(review(english('Peace.'), { as: '매도인' }).as).toBe('Seller');
  });

  it('are listed by the error for an unknown one', () => {
    expect(() => review(english('Peace.'), { as: 'tenant' })).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: '"tenant" is no party of this contract.',
        hint: 'Its parties are "Seller" (Alder Ltd.), "Buyer" (Birch Ltd.).',
      }),
    );
  });

  it('are those that act, if the contract defines none', () => {
    const text = 'TERMS\n\n1. Work. Consultant shall work. Client shall pay.\n2. Time. Consultant shall be on time. Client shall wait.\n';
    expect(review(text).parties).toEqual([{ role: 'Consultant' }, { role: 'Client' }]);
  });
});

describe('what is no contract', () => {
  it.each([
    ['', 'is empty'],
    ['Bake the bread.\n\nEat it.', 'names no parties'],
    ['# 주택보호법\n\n제1조(목적) 임대인은 지킨다. 임차인은 쓴다.\n제2조(적용) 임대인은 알린다. 임차인은 낸다.', 'is a statute'],
  ])('is refused: %j', (text, reason) => {
    expect(() => review(text)).toThrow(expect.objectContaining({ code: 'DOCUMENT_INVALID', message: expect.stringContaining(reason) }));
  });

  it.each(['2026-02-30', '5 May', ''])('is refused as a date: %j', (today) => {
    expect(() => review(english('Peace.'), { today })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});

describe('money and duties', () => {
  it('have their purpose and their party', () => {
    const found = review(
      korean(
        '매매대금은 금 30,000,000원으로 하고, 계약금은 3,000,000원으로 한다.',
        '매도인은 물건을 인도하여야 한다.',
        '창고는 깨끗이 하여야 한다.',
      ),
    );
    expect(found.money).toMatchObject([
      { text: '금 30,000,000원', purpose: '매매대금' },
      { text: '3,000,000원', purpose: '계약금' },
    ]);
    expect(found.duties).toMatchObject([
      { who: '매도인', passages: [{ text: '매도인은 물건을 인도하여야 한다.', label: '제2조' }] },
      { passages: [{ text: '창고는 깨끗이 하여야 한다.' }] },
    ]);
  });

  it('of items belong to the party of their lead', () => {
    const found = review(korean('매도인은 다음 각 호의 일을 한다.\n1. 상품의 사진을 제출한다.\n2. 보험증서를 교부한다.'));
    expect(found.duties.map(({ who, passages }) => [who, passages.length])).toEqual([['매도인', 2]]);
  });
});

describe('absent points', () => {
  it('belong to the type of the contract', () => {
    const text = english('The Seller delivers the goods.', 'The price is 5 euros.').replace('AGREEMENT', 'SALE AGREEMENT');
    const found = review(text);
    expect(found.type).toBe('sale');
    expect(found.absent.map(({ point }) => point)).toContain('warranty');
    expect(found.absent.map(({ point }) => point)).not.toContain('delivery');
  });
});

describe('a standard contract', () => {
  it('shows the differences that matter', () => {
    const standard = contract(korean('매수인은 10일 이내에 대금을 지급한다.', '매도인은 하자를 고쳐 준다.'));
    const { differences } = reviewContract(contract(korean('매수인은 90일 이내에 대금을 지급한다.')), { standard });
    expect(differences).toContainEqual({ kind: 'changed', article: '제1조 조건', what: 'period', standard: '10일', user: '90일' });
    expect(differences?.some(({ kind }) => kind === 'missing')).toBe(true);
  });
});

it('writes its own sentences in the chosen language', () => {
  const text = english('The Buyer waives all claims against the Seller.');
  const reason = (options: ReviewContractOptions) => review(text, options).findings[0]?.reason;
  expect(reason({})).toMatch(/^One side gives up/);
  expect(reason({ language: 'ko' })).toMatch(/포기한다/);
});
