import { checkCitations, findParts, parseContract, readLabels } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const contract = parseContract({
  name: 'boat.md',
  text: `# 보트 대여계약서

제1조(목적) 보트를 빌리는 일을 정한다.

제2조(요금) ① 요금은 하루 120,000원으로 한다.
② 빌린 사람은 제4조의 날부터 14일 이내에 낸다.

제3조(지연) 늦으면 하루마다 요금의 1,000분의 5를 더한다.

제4조(반납) 2027년 5월 31일까지 "깨끗한 상태로" 돌려준다.

제5조(보험) 빌린 사람이 보험을 든다.
`,
});
const read = contract.articles.filter(({ label }) => ['제2조', '제3조', '제4조'].includes(label));
const wrong = (answer: string, background: readonly string[] = []): string[] =>
  checkCitations(answer, { documents: [contract], read, background })
    .filter(({ status }) => status !== 'supported')
    .map(({ label, quote, status }) => [label, quote, status].filter(Boolean).join(' / '));

describe('checkCitations', () => {
  // biome-ignore format: one answer a line
  it.each([
    ['제2조에 따라 하루 120,000원입니다.', []],
    ['제99조에 따르면 1억원입니다.', ['제99조 / unknown', '1억원 / unsupported']],
    ['이 계약에는 제99조가 없습니다.', []],
    ['제99조를 찾지 못했습니다.', []],
    ['The contract has no Article 99.', []],
    ['제99조와 제44조는 없습니다.', []],
    ['There is no Article 44. Article 45 does not exist.', []],
    ['제99조는 위약금을 낼 필요가 없다고 정합니다.', ['제99조 / unknown']],
    ['Article 99 says the renter need not pay.', ['Article 99 / unknown']],
    ['Without Article 99 approval the renter may not sail.', ['Article 99 / unknown']],
    ['Neither Article 98 nor Article 99 permits it.', ['Article 98 / unknown', 'Article 99 / unknown']],
    ['There is neither an Article 98 nor an Article 99.', []],
    ['The contract has no Article 98 or Article 99, and no Article 97 about boats.', []],
    ['Article 99 is not in conflict with that.', ['Article 99 / unknown']],
    ['Article 99 is not in this contract.', []],
    ['제99조가 없으면 배상합니다.', ['제99조 / unknown']],
    ['제99조를 삭제할 수는 없습니다.', ['제99조 / unknown']],
    ['제99조는 삭제되었고, 제98조는 없으며, 제97조는 없습니다.', []],
    ['According to Article 99 it is $5,000.', ['Article 99 / unknown', '$5,000 / unsupported']],
    ['제2조 제9항에 따릅니다.', ['제2조 제9항 / unknown']],
    ['제5조가 정합니다.', ['제5조 / unread']],
    ['제2조 내지 제5조를 보세요.', ['제5조 / unread']],
    ['민법 제750조에 따라 배상합니다.', []],
    ['「상법」 제54조는 연 6%입니다.', ['6% / unsupported']],
    ['제4조는 “2027년 5월 31일까지 깨끗한 상태로 돌려준다”고 합니다.', []],
    ['제2조: “빌린 사람은 … 14일 이내에 낸다.”', []],
    ['제2조: "빌린 사람은 제4조의 날부터 30일 이내에 낸다"', ['제2조 / 빌린 사람은 제4조의 날부터 30일 이내에 낸다 / misquoted', '30일 / unsupported']],
    ['제4조: “늦으면 하루마다 요금의 1,000분의 5를 더한다.”', ['제4조 / 늦으면 하루마다 요금의 1,000분의 5를 더한다. / misquoted']],
    ['제3조\n> 늦으면 하루마다 요금의 1,000분의 5를 더한다.', []],
    ['제3조\n> 늦으면 하루마다 요금의 1,000분의 9를 더한다.', ['제3조 / 늦으면 하루마다 요금의 1,000분의 9를 더한다. / misquoted', '1,000분의 9 / unsupported']],
    ['제2조(요금)\n> ② 빌린 사람은 제4조의 날부터 14일 이내에 낸다.\n> ① 요금은 하루 120,000원으로 한다.', []],
    ['늦으면 하루 0.5%를 더합니다.', []],
    ['두 주일, 곧 2주 안에 냅니다.', []],
    ['5월 31일까지, 즉 2027년 5월까지입니다.', []],
    ['6월 30일까지입니다.', ['6월 30일 / unsupported']],
    ['12만원씩 3일이면 120,000원 × 3 = 360,000원입니다.', []],
    ['모두 400,000원입니다.', ['400,000원 / unsupported']],
    ['within two weeks, that is 14 days', []],
    ['by 31 May 2027', []],
    ['by 30 June 2027', ['30 June 2027 / unsupported']],
  ])('checks %j', (answer, expected) => {
    expect(wrong(answer, answer.includes('3일') ? ['3일 빌리면?'] : [])).toEqual(expected);
  });

  it('supports a place cited by an article that was read, and a figure of the question', () => {
    const some = contract.articles.filter(({ label }) => label === '제2조');
    const of = (answer: string, background: readonly string[]) => checkCitations(answer, { documents: [contract], read: some, background });
    expect(of('제2조는 제4조의 날을 말합니다. 45일이면 늦습니다.', ['제99조에서 45일 늦으면?']).map(({ status }) => status)).toEqual([
      'supported',
      'supported',
    ]);
    expect(of('제99조에 따라 45일입니다.', ['제99조에서 45일 늦으면?']).map(({ status }) => status)).toEqual(['unknown']);
  });

  it('separates the labels of a list when the contract has each alone and not one inside the other', () => {
    const lease = parseContract({
      name: 'lease.md',
      text: '# Lease\n\nSection 1. Rent\nThe rent is due monthly.\n\nSection 3. Term\nTwo years.\n\nExhibit A\nThe keys.\n\nExhibit B\n\nSection 1. Lights\nTen lights.\n',
    });
    const status = (answer: string): string[] =>
      checkCitations(answer, { documents: [lease], read: lease.articles }).map((one) => `${one.label} ${one.status}`);
    expect(status('See also: Exhibit A, Section 3')).toEqual(['Exhibit A supported', 'Section 3 supported']);
    expect(status('See also: Exhibit B, Section 1')).toEqual(['Exhibit B, Section 1 supported']);
    expect(status('See also: Exhibit A, Section 9')).toEqual(['Exhibit A, Section 9 unknown']);
    expect(status('Section 3 of Exhibit A says so.')).toEqual(['Exhibit A, Section 3 unknown']);
  });

  it('reads an ambiguous list in the way that was read', () => {
    const document = parseContract({
      name: 'crane.md',
      text: '# Crane Hire Agreement\n\nArticle 1. Hire\nThe crane is hired for a week.\n\nArticle 2. Fuel\nThe hirer pays.\n\nArticle 3. Return\nThe crane comes back.\n\nExhibit A. Site\n\nArticle 1. Access\nThe gate opens at six.\n\nArticle 2. Ground\nThe ground is level.\n\nExhibit B. Crew\nThe crew has two members.\n',
    });
    const statuses = (ids: readonly string[]): readonly (readonly string[])[] =>
      checkCitations('See also: Exhibit A, Article 2', {
        documents: [document],
        read: document.articles.filter(({ id }) => ids.includes(id)),
      }).map(({ label, status }) => [label, status]);
    const idOf = (text: string): string => readLabels(text).flatMap((label) => findParts(document, label).found)[0]?.id ?? '';
    expect(statuses([idOf('Exhibit A, Article 2')])).toEqual([['Exhibit A, Article 2', 'supported']]);
    expect(statuses([idOf('Article 2')])).toEqual([['Exhibit A, Article 2', 'unread']]);
    expect(statuses([idOf('Exhibit A, Article 1'), idOf('Article 2')])).toEqual([
      ['Exhibit A', 'supported'],
      ['Article 2', 'supported'],
    ]);
  });

  it('reads a title in brackets as a title, even if it looks like a step', () => {
    const document = parseContract({
      name: 'it.md',
      text: 'Article 1 (IT)\nThe firm runs the servers.\n\nArticle 2 (HR)\nThe firm hires.\n',
    });
    const cited = checkCitations('Article 1 (IT)\n> The firm runs the servers.\n\nArticle 1(b)', {
      documents: [document],
      read: document.articles,
    });
    expect(cited.map(({ status }) => status)).toEqual(['supported', 'unknown', 'supported']);
  });

  it('looks for a quote under the line before it, and not under a line inside it', () => {
    const document = parseContract({
      name: 'kiosk.md',
      text: '제1조(목적) 매점을 빌린다.\n\n제2조(기간) 기간은 1년으로 한다.\n\n별지 1 점검표\n\n제1조(검사) 매점은 달마다 한 번 살핀다.\n',
    });
    const cited = checkCitations('별지 1(점검표)\n> 제1조 검사\n> 매점은 달마다 한 번 살핀다.', {
      documents: [document],
      read: document.articles,
    });
    expect(cited.filter(({ status }) => status !== 'supported')).toEqual([]);
  });

  it('finds the quote of a heading in the contract’s own form', () => {
    const document = parseContract({
      name: 'pier.md',
      text: 'ARTICLE I USE\nThe Tenant uses the pier.\n\nARTICLE II RETURN\nThe Tenant leaves in May.\n',
    });
    const read = document.articles.map((article) => ({ ...article, text: `${article.written} ${article.title}\n${article.text}` }));
    const cited = checkCitations('Article 2 (RETURN)\n> ARTICLE II RETURN', { documents: [document], read });
    expect(cited.map(({ status }) => status)).toEqual(['supported', 'supported']);
  });

  it('finds the quote of addenda with a number in brackets', () => {
    const document = parseContract({
      name: 'rules.md',
      text: '제1조(목적) 창고를 쓰는 일을 정한다.\n\n제2조(열쇠) 열쇠는 두 개로 한다.\n\n부칙\n\n제1조(시행일) 서명한 날부터 시행한다.\n\n부칙(제2호, 2026. 5. 1.)\n\n이 규칙은 공포한 뒤 석 달이 지난 날부터 시행한다.\n',
    });
    const answer = '부칙 제1조(시행일)\n> 서명한 날\n\n부칙(제2호, 2026. 5. 1.)\n> 이 규칙은 공포한 뒤 석 달이 지난 날부터 시행한다.';
    const cited = checkCitations(answer, { documents: [document], read: document.articles });
    expect(cited.filter(({ status }) => status !== 'supported')).toEqual([]);
  });

  describe('against a contract in words', () => {
    const kiln = parseContract({
      name: 'kiln.txt',
      text: `KILN SHARING AGREEMENT

1. Use. Member may fire porcelain. Member shall not lend the kiln key to guests. Member may not sell glazes without consent.

2. Price. Member pays eighty dollars per month and four percent interest on late sums.

3. Notice. Either party may leave on one hundred and twenty days' notice.

4. Courts. The courts of Galway have jurisdiction, under the laws of Ireland.
`,
    });
    const loom = parseContract({
      name: '베틀.txt',
      text: `베틀 대여계약서

제1조(사용) 회원은 베틀을 공방 밖으로 옮길 수 없다. 회원은 손님을 두 명 부를 수 있다. 회원은 실을 태워서는 아니 된다.

제2조(요금) 요금은 석 달에 금 삼십만원으로 하고, 늦으면 100분의 9를 더한다.

제3조(관할) 관할법원은 제주지방법원으로 한다.
`,
    });
    const wrongIn = (document: typeof kiln, answer: string): string[] =>
      checkCitations(answer, { documents: [document], read: document.articles })
        .filter(({ status }) => status !== 'supported')
        .map(({ label, quote, status }) => [label, quote, status].filter(Boolean).join(' / '));

    // biome-ignore format: one answer a line
    it.each([
      ['Late sums bear 4% interest, and the fee is $80.', []],
      ['Late sums bear nine per cent.', ['nine per cent / unsupported']],
      ['You leave with 120 days notice; a year costs $80 × 12 = $960.', []],
      ['A year costs $80 × 12 = $690.', ['$690 / unsupported']],
      ['Member may lend the kiln key to guests.', ['Member may lend the kiln key to guests. / unsupported']],
      ['Member cannot fire porcelain.', ['Member cannot fire porcelain. / unsupported']],
      ['Member may not lend the kiln key to guests.', []],
      ['With consent, Member may sell glazes.', []],
      ['Owner may lend the kiln key to guests.', []],
      ['Suits go to the courts of Tralee under Welsh law.', ['courts of Tralee / unsupported', 'Welsh law / unsupported']],
      ['Suits go to the Galway courts under Irish law.', []],
      ['There isn’t a Section 44. Section 45: not found. Section 46 is nowhere in it.', []],
      ['No penalty in Section 44 stops you.', ['Section 44 / unknown']],
      ['Section 44 does not appear to limit it.', ['Section 44 / unknown']],
      ['Section 44 was deleted from the fee by the owner.', ['Section 44 / unknown']],
      ['Section 44 is not found unfair.', ['Section 44 / unknown']],
      ['Section 1, Section 4 (“The courts of Galway have jurisdiction”)', []],
      ['Section 4, Section 1 (“The courts of Galway have jurisdiction”)', ['Section 1 / The courts of Galway have jurisdiction / misquoted']],
      ['Sections 1 and 4: “The courts of Galway have jurisdiction”', []],
      ['Section 1 rules the use. “The courts of Galway have jurisdiction” (Section 4)', []],
    ])('checks %j', (answer, expected) => {
      expect(wrongIn(kiln, answer)).toEqual(expected);
    });

    // biome-ignore format: one answer a line
    it.each([
      ['요금은 3개월에 300,000원이고 연체하면 9%입니다.', []],
      ['연체하면 백분의 구, 곧 구 퍼센트입니다.', []],
      ['연체하면 100분의 8입니다.', ['100분의 8 / unsupported']],
      ['요금은 넉 달에 삼십만원입니다.', ['넉 달 / unsupported']],
      ['회원은 베틀을 공방 밖으로 옮길 수 있습니다.', ['회원은 베틀을 공방 밖으로 옮길 수 있습니다. / unsupported']],
      ['회원은 실을 태울 수 있습니다.', ['회원은 실을 태울 수 있습니다. / unsupported']],
      ['회원은 베틀을 공방 밖으로 옮길 수 없습니다.', []],
      ['베틀은 협의하면 공방 밖으로 옮길 수 있습니다.', []],
      ['소송은 제주지법에서 합니다.', []],
      ['소송은 울산지방법원에서 미국 법에 따라 합니다.', ['울산지방법원 / unsupported', '미국 / unsupported']],
      ['제44조 자체가 없습니다. 제45조는 확인되지 않습니다. 제46조라는 것은 계약서에 포함되어 있지 않습니다.', []],
      ['제44조 때문에 팔 수 없습니다.', ['제44조 / unknown']],
      ['제44조에는 위약금이 없습니다.', ['제44조 / unknown']],
    ])('checks %j', (answer, expected) => {
      expect(wrongIn(loom, answer)).toEqual(expected);
    });
  });

  it('returns every checked citation', () => {
    expect(checkCitations('제3조: “하루마다 요금의 1,000분의 5를 더한다”', { documents: [contract], read })).toEqual([
      { label: '제3조', quote: '', status: 'supported' },
      { label: '제3조', quote: '하루마다 요금의 1,000분의 5를 더한다', status: 'supported' },
    ]);
  });
});
