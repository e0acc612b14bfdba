import {
  type Article,
  type ArticlePair,
  type ContractComparison,
  type ContractDocument,
  compareContracts,
  contractValues,
  parseContract,
} from 'agent-machines/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestAssignment } from '../../../../src/contracts/compare/best-assignment.ts';
import { valueKey } from '../../../../src/contracts/compare/contract-values.ts';
import { printRedline } from '../../../../src/core/text/redline.ts';

type Clause = readonly [title: string, text: string];

// biome-ignore format: one article a line
const standardClauses: readonly Clause[] = [
  ['목적', '이 계약은 임대인이 공방 건물을 임차인에게 빌려주고 임차인이 그 대가를 내는 데 필요한 사항을 정한다.'],
  ['임대차 기간', '① 임대차 기간은 인도한 날부터 2년으로 한다.\n② 당사자는 기간이 끝나기 3개월 전까지 갱신을 거절할 수 있다.'],
  ['보증금', '임차인은 계약 체결과 동시에 보증금 10,000,000원을 임대인에게 지급한다.'],
  ['차임', '① 차임은 월 500,000원으로 하고 매월 말일에 지급한다.\n② 임차인이 차임을 늦게 내면 연 5%의 지연이자를 더한다.\n③ 임대인은 1년에 한 번만 차임의 증액을 청구할 수 있다.'],
  ['용도', '임차인은 건물을 도자기 공방으로만 사용하며, 용도를 바꾸려면 임대인의 서면 동의를 받는다.'],
  ['전대의 금지', '임차인은 임대인의 동의 없이 임차권을 양도하거나 건물을 다시 빌려주지 못한다.'],
  ['수선 의무', '임대인은 지붕과 벽과 배관을 고치고, 임차인은 전구처럼 작은 소모품을 바꾼다. 제4조의 차임은 수선을 이유로 줄지 않는다.'],
  ['하자의 보수', '임대인은 인도 전부터 있던 하자를 통지받은 날부터 14일 이내에 보수한다.'],
  ['해지', '임대인은 다음 각 호의 경우 계약을 해지할 수 있다.\n1. 임차인이 차임을 두 차례 넘게 내지 않은 때\n2. 임차인이 제6조를 어긴 때\n3. 건물이 불에 타 쓸 수 없게 된 때'],
  ['원상회복', '계약이 끝나면 임차인은 설치한 가마와 선반을 떼어 내고 건물을 처음의 상태로 돌려준다.'],
  ['손해배상', '당사자가 계약을 어겨 상대방이 손해를 입으면 그 손해를 배상한다.'],
  ['관할', '이 계약의 분쟁은 건물이 있는 곳의 법원이 맡는다.'],
];
const addenda: readonly Clause[] = [['시행일', '이 계약은 서명한 날부터 효력을 가진다.']];

const contract = (clauses: readonly Clause[], name = 'lease.md', end: readonly Clause[] = addenda): ContractDocument => {
  const print = ([title, text]: Clause, index: number): string =>
    title === '' ? `제${index + 1}조 ${text}` : `제${index + 1}조 (${title})\n${text}`;
  const tail = end.length === 0 ? [] : ['부칙', ...end.map(print)];
  return parseContract({ name, text: ['공방 임대차계약서', ...clauses.map(print), ...tail].join('\n\n') });
};
const standard = contract(standardClauses, 'standard.md');

/** The standard's clauses with some of them in other words; `undefined` leaves one out. */
const changed = (changes: Readonly<Record<string, Clause | undefined>>): Clause[] =>
  standardClauses.flatMap((clause) => {
    if (!Object.hasOwn(changes, clause[0])) return [clause];
    const other = changes[clause[0]];
    return other ? [other] : [];
  });

const compare = (clauses: readonly Clause[], end = addenda): ContractComparison =>
  compareContracts(contract(clauses, 'user.md', end), standard);
const titles = (names: ContractComparison['missing']): string[] => names.map(({ title }) => title);
const changedIds = ({ pairs }: ContractComparison): string[] =>
  pairs.filter(({ difference }) => difference === 'changed').map(({ standardId }) => standardId);
const pairOf = (comparison: ContractComparison, standardId: string): ArticlePair | undefined =>
  comparison.pairs.find((pair) => pair.standardId === standardId);
const textOf = (title: string): string => standardClauses.find(([one]) => one === title)?.[1] ?? '';
/** The first article with so many items, more than a text would be given. */
const longArticle = ({ articles: [first] }: ContractDocument, count: number): Article => {
  if (!first) throw new Error('no article');
  return {
    ...first,
    items: Array.from({ length: count }, (_, i) => ({
      label: `${i}.`,
      text: `${first.text.slice(0, 9)} ${i}`,
      subItems: [],
      start: 0,
      end: 0,
    })),
  };
};
const firstLines = (title: string, count: number): string => textOf(title).split('\n').slice(0, count).join('\n');

describe('compareContracts', () => {
  it('finds no difference between a contract and itself', () => {
    const { pairs, missing, added } = compare(standardClauses);
    expect([missing, added]).toEqual([[], []]);
    expect(pairs).toHaveLength(13);
    for (const pair of pairs) {
      expect(pair).toEqual({ userId: pair.standardId, standardId: pair.standardId, similarity: 1, difference: 'same', changes: [] });
    }
  });

  it('names missing and added articles after renumbering', () => {
    const clauses = changed({ '하자의 보수': undefined });
    clauses.splice(1, 0, ['비밀 유지', '당사자는 상대방의 영업 비밀을 남에게 알리지 않는다.']);
    const comparison = compare(clauses);
    expect(comparison.missing).toEqual([{ id: 'body/제8조', label: '제8조', title: '하자의 보수' }]);
    expect(comparison.added).toEqual([{ id: 'body/제2조', label: '제2조', title: '비밀 유지' }]);
    expect(pairOf(comparison, 'body/제2조')?.userId).toBe('body/제3조');
    expect(comparison.pairs).toHaveLength(12);
  });

  it('treats references as equal if only the numbers moved', () => {
    const wrong: readonly Clause[] = [['정의', '이 계약에서 공방이란 흙을 빚고 굽는 곳을 말한다.'], ...standardClauses];
    const right = wrong.map(([title, text]): Clause => [title, text.replace('제4조', '제5조').replace('제6조', '제7조')]);
    expect(changedIds(compare(right))).toEqual([]);
    expect(changedIds(compare(wrong))).toEqual(['body/제7조', 'body/제9조']);
  });

  it('shows amounts, periods, rates and dates that differ', () => {
    const comparison = compare(
      changed({
        '임대차 기간': ['임대차 기간', textOf('임대차 기간').replace('2년', '1년').replace('3개월', '6개월')],
        보증금: ['보증금', textOf('보증금').replace('10,000,000원', '3천만 원')],
        차임: ['차임', textOf('차임').replace('5%', '12%')],
      }),
    );
    const changesOf = (id: string): unknown => pairOf(comparison, id)?.changes;
    expect(changesOf('body/제2조')).toEqual([{ kind: 'value', type: 'period', user: ['1년', '6개월'], standard: ['2년', '3개월'] }]);
    expect(changesOf('body/제3조')).toEqual([{ kind: 'value', type: 'amount', user: ['3천만원'], standard: ['10,000,000원'] }]);
    expect(changesOf('body/제4조')).toEqual([{ kind: 'value', type: 'percentage', user: ['12%'], standard: ['5%'] }]);
  });

  it('treats values in different notations as equal', () => {
    const text = '임차인은 계약 체결과 동시에 보증금 1천만 원을 임대인에게 지급한다.';
    expect(pairOf(compare(changed({ 보증금: ['보증금', text] })), 'body/제3조')?.changes).toEqual([{ kind: 'wording' }]);
  });

  it('shows paragraphs and items that are missing or added', () => {
    const comparison = compare(
      changed({
        차임: ['차임', firstLines('차임', 2)],
        해지: ['해지', `${firstLines('해지', 3)}\n3. 임차인이 가마를 밤새 켜 둔 때`],
      }),
    );
    expect(pairOf(comparison, 'body/제4조')?.changes).toContainEqual({
      kind: 'missing',
      label: '③',
      text: '임대인은 1년에 한 번만 차임의 증액을 청구할 수 있다.',
    });
    expect(pairOf(comparison, 'body/제9조')?.changes).toEqual([
      { kind: 'missing', label: '3.', text: '건물이 불에 타 쓸 수 없게 된 때' },
      { kind: 'added', label: '3.', text: '임차인이 가마를 밤새 켜 둔 때' },
    ]);
  });

  it('does not report a paragraph as missing if it was only divided differently', () => {
    const merged = textOf('차임').replace(/\n?[①②③] /g, ' ');
    expect(pairOf(compare(changed({ 차임: ['차임', `${merged.trim()} 끝.`] })), 'body/제4조')?.changes).toEqual([{ kind: 'wording' }]);
  });

  it('pairs a text under another title, and a title above another text', () => {
    const comparison = compare(
      changed({ 손해배상: ['배상 책임의 범위', textOf('손해배상')], 관할: ['관할', '모든 다툼은 서울에 있는 중재인에게 맡긴다.'] }),
    );
    expect([comparison.missing, comparison.added]).toEqual([[], []]);
    expect(pairOf(comparison, 'body/제11조')).toMatchObject({
      similarity: 1,
      difference: 'changed',
      changes: [{ kind: 'title', user: '배상 책임의 범위', standard: '손해배상' }],
    });
    expect(pairOf(comparison, 'body/제12조')).toMatchObject({ difference: 'changed', changes: [{ kind: 'material', topic: 'law' }] });
  });

  it('does not pair articles by half a title and an equal label', () => {
    const withLast = (title: string, text: string): ContractDocument => contract([...standardClauses, [title, text]]);
    const { missing, added } = compareContracts(
      withLast('계약의 변경', '당사자는 서면으로 합의하여 계약의 내용을 바꿀 수 있다.'),
      withLast('계약의 갱신', '기간이 끝나기 전에 거절이 없으면 계약은 같은 조건으로 이어진다.'),
    );
    expect([titles(missing), titles(added)]).toEqual([['계약의 갱신'], ['계약의 변경']]);
  });

  it('pairs articles by label if title and text do not decide', () => {
    const [first = ['', ''], second = ['', '']] = standardClauses;
    const { pairs } = compareContracts(
      contract([second, first, ['기타', '없음']], 'a.md', []),
      contract([['기타', '없음'], first, ['기타', '없음']], 'b.md', []),
    );
    expect(pairs.map(({ userId, standardId }) => [userId, standardId])).toEqual([
      ['body/제2조', 'body/제2조'],
      ['body/제3조', 'body/제3조'],
    ]);
  });

  it('pairs articles without titles by their text', () => {
    const untitled = standardClauses.filter(([title]) => title !== '용도').map(([, text]): Clause => ['', text]);
    const comparison = compare(untitled);
    expect(titles(comparison.missing)).toEqual(['용도']);
    expect(comparison.added).toEqual([]);
  });

  it('reports a deleted article of the user as missing, and ignores one of the standard', () => {
    const comparison = compare(changed({ '전대의 금지': ['', '삭제'] }));
    expect(titles(comparison.missing)).toEqual(['전대의 금지']);
    expect(comparison.added).toEqual([]);
    const some = standardClauses.slice(0, 5);
    expect(compareContracts(contract(some), contract([...some, ['', '삭제']])).missing).toEqual([]);
  });

  it('does not compare addenda with the body', () => {
    const comparison = compare([...standardClauses, ...addenda], []);
    expect(comparison.missing.map(({ id }) => id)).toEqual(['addenda/제1조']);
    expect(comparison.added.map(({ id }) => id)).toEqual(['body/제13조']);
  });

  it('does not report a changed place or number as a change of the text', () => {
    const [first = ['', ''], second = ['', ''], ...others] = standardClauses;
    const { pairs, missing, added } = compare(
      [second, ...others, first].map(([title, text]): Clause => [title, text.replace('제4조', '제3조').replace('제6조', '제5조')]),
    );
    expect([missing, added]).toEqual([[], []]);
    expect(pairs.every(({ difference, redline }) => difference === 'same' && redline === undefined)).toBe(true);
    expect(pairs.filter(({ moved }) => moved).map(({ standardId }) => standardId)).toEqual(['body/제1조']);
    expect(pairs.filter(({ renumbered }) => renumbered)).toHaveLength(12);
  });

  it('shows the wording of a difference', () => {
    const comparison = compare(changed({ 해지: ['해지', textOf('해지').replace('해지할 수 있다', '해지할 수 없다')] }));
    const { changes, redline: parts = [] } = pairOf(comparison, 'body/제9조') ?? { changes: [] };
    expect(changes).toEqual([{ kind: 'material', topic: 'negation', standard: ['해지할 수 있다.'], user: ['해지할 수 없다.'] }]);
    expect(printRedline(parts, { contextChars: 20 })).toBe('…각 호의 경우 계약을 해지할 수 [-있다-]{+없다+}.\n1. 임차인이 차임을 두 차례…');
  });

  it('returns plain data that is the same for each call', () => {
    const clauses = changed({ 목적: undefined, 차임: ['차임', '차임은 월 700,000원으로 한다.'] });
    const comparison = compare(clauses);
    expect(JSON.parse(JSON.stringify(comparison))).toEqual(comparison);
    expect(compare(clauses)).toEqual(comparison);
  });

  it('refuses a contract of more than a thousand articles', () => {
    const clauses = Array.from({ length: 1_001 }, (_, i): Clause => [`제목 ${i}`, '글']);
    expect(() => compare(clauses)).toThrow(expect.objectContaining({ code: 'DOCUMENT_INVALID' }));
  });

  it('compares only the words of articles with very many items', () => {
    const withItems = (text: string, count: number): ContractDocument => {
      const one = contract([['해지', text]], 'a.md', []);
      return { ...one, articles: [longArticle(one, count)] };
    };
    const long = withItems('다음의 경우 해지한다.', 700);
    const other = withItems('다음 각 호의 경우에 해지한다.', 701);
    expect(compareContracts(long, other).pairs[0]?.changes).toEqual([{ kind: 'wording' }]);
  });

  it('limits the number and length of texts', () => {
    const items = Array.from({ length: 60 }, (_, i) => `${i + 1}. ${String.fromCharCode(0xac00 + i * 50).repeat(300)}`).join('\n');
    const one = (text: string): ContractDocument => contract([['해지', text]], 'a.md', []);
    const [pair] = compareContracts(one('다음의 경우 해지한다.'), one(`다음의 경우 해지한다.\n${items}`)).pairs;
    expect(pair?.changes).toHaveLength(20);
    for (const change of pair?.changes ?? []) expect('text' in change ? change.text.length : 0).toBe(200);
  });
});

it('compares periods and words as values, and reports no change of spelling', () => {
  const changes = (user: string, standard: string) => {
    const [one, other] = [user, standard].map((text) =>
      parseContract({ name: 'a.txt', text: `제1조(기간) ${text}\n\n제2조(기타) 없음\n` }),
    );
    return one && other ? compareContracts(one, other).pairs.flatMap(({ changes }) => changes.map(({ kind }) => kind)) : [];
  };
  expect(changes('두 주 안에 연 15%를 더하여 오후 6시까지 낸다.', '2주 안에 연 십오 퍼센트를 더하여 18시까지 낸다.')).toEqual(['wording']);
  expect(changes('14일 안에 낸다.', '두 주 안에 낸다.')).toEqual(['wording']);
  expect(changes('두 주 안에 낸다.', '석 주 안에 낸다.')).toEqual(['value']);
  expect(changes('오후 6시까지 낸다.', '오후 9시까지 낸다.')).toEqual(['value']);
});

describe('contractValues', () => {
  it.each([
    ['2026년 3월 1일부터 2027. 2. 28.까지', ['date 2026-3-1', 'date 2027-2-28']],
    ['계약금의 100분의 10, 1,000분의 1.25, 연 12.5퍼센트', ['percentage 10%', 'percentage 0.125%', 'percentage 12.5%']],
    ['금 1억 2천만 원과 1,500원', ['amount 120000000원', 'amount 1500원']],
    ['USD 5,000 within thirty (30) days and 2 years', ['amount usd5000', 'period 30day', 'period 2year']],
    ['10일 이내 7영업일간 3개월', ['period 10일', 'period 7영업일', 'period 3개월']],
    ['제5조 제2항 제3호, 원칙과 1인', []],
    ['within ninety days, Sixty-Five (65) days or twenty-one business days', ['period 90day', 'period 65day', 'period 21businessday']],
    ['일금 오백만원정과 금 일억이천만원', ['amount 5000000원', 'amount 120000000원']],
    ['삼십일 이내, 육개월 전까지', ['period 30일', 'period 6개월']],
    ['계약서 2부를 만들고 3회 시정을 요구하면 2배를 문다', ['number 2부', 'number 3회', 'number 2배']],
    ['연 십오 퍼센트, 백분의 구, four percent, 12프로입니다', ['percentage 15%', 'percentage 9%', 'percentage 4%', 'percentage 12%']],
    ['one hundred and twenty days, three thousand five hundred dollars', ['period 120day', 'amount 3500dollars']],
    ['석 달 안에 두 번, 열흘마다, 다섯 날', ['period 3개월', 'number 2회', 'period 10일', 'period 5일']],
    ['차임을 3기 연체하면, 2기분', ['number 3회', 'number 2회']],
    ['오전 9시 30분부터 오후 6시까지, 9 a.m. to 18:00, 정오', ['time 9:30', 'time 18:00', 'time 9:00', 'time 18:00', 'time 12:00']],
    ['세 주인, 두 달리기, 24시간 이내, 9시점', ['period 24시']],
    ['one of the days, 일원화, 이일과 천원', ['amount 1000원']],
  ])('reads %j', (text, expected) => {
    expect(contractValues(text).map((value) => `${value.type} ${valueKey(value)}`)).toEqual(expected);
  });
});

describe('bestAssignment', () => {
  /** By trying everything. */
  const best = (scores: readonly (readonly number[])[], row = 0, taken: readonly number[] = []): number => {
    if (row === scores.length) return 0;
    const sums = (scores[row] ?? []).map((score, column) =>
      taken.includes(column) ? 0 : Math.max(0, score) + best(scores, row + 1, [...taken, column]),
    );
    return Math.max(best(scores, row + 1, taken), ...sums);
  };

  it('has the greatest sum, and assigns no column twice', () => {
    const matrices = fc.integer({ min: 0, max: 5 }).chain((columns) =>
      fc.record({
        columns: fc.constant(columns),
        scores: fc.array(fc.array(fc.integer({ min: -3, max: 20 }), { minLength: columns, maxLength: columns }), { maxLength: 5 }),
      }),
    );
    fc.assert(
      fc.property(matrices, ({ scores, columns }) => {
        const assigned = bestAssignment(scores, columns);
        const given = assigned.filter((column) => column !== undefined);
        expect(new Set(given).size).toBe(given.length);
        const sum = assigned.reduce<number>((sum, column, row) => sum + (column === undefined ? 0 : (scores[row]?.[column] ?? 0)), 0);
        expect(sum).toBe(best(scores));
      }),
    );
  });
});
