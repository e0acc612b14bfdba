// What the rules answer without a model: only what the contract says, and that it says nothing where it does not.
import { memoryStore } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';
import { ask, contract, english, standard } from './helpers.ts';

const responseTo = async (question: string, options?: Parameters<typeof ask>[1]): Promise<string> =>
  (await ask(question, options)).output.answer;
const inEnglish = { contracts: [{ contract: english }] };
const compared = { contracts: [{ contract, standard }] };

describe('contract-agent by rules', () => {
  it.each([
    'They never answer the phone. Do we get anything for that',
    'the boiler is dead and it is freezing!! what now',
    '비가 와서 다 젖었는데 그래도 돈을 내야 하나요ㅠㅠ',
    '토요일에는 쉬고 싶은데요',
    '창고를 비우면 안 될까요',
  ])('takes a story for a question: %s', async (input) => {
    expect((await ask(input)).output.verdict).not.toBeNull(); // it has been looked for
  });

  it.each([
    ['제5조 내용이 뭐야?', /^제5조\(지체상금\)\n> 을이 납기를 넘기면 하루마다 대금의 1,000분의 2를 낸다\./],
    ['제10조의2는?', /^제10조의2\(해지의 효과\)\n> 해지되면/],
    ['제10조는?', /^제10조\(해지\)\n> 당사자 한쪽이/],
    ['계약 기간은?', /^제2조\(계약기간\)\n> ① 계약기간은 2026년 3월 1일부터 2027년 2월 28일까지로 한다\./],
    ['손해배상은 어떻게 정해져 있어?', /^제9조\(손해배상\)\n> 계약을 어긴 당사자는/],
    ['제3조와 제4조를 보여줘', /^제3조\(대금\)[\s\S]*\n\n제4조\(검수\)/],
    ['별지 1 보여줘', /^별지 1\(납품 일정\)\n> 1\. 1차: 2026년 6월 30일/],
    ['부칙 제1조는?', /^부칙 제1조\(시행일\)\n> 이 계약은 서명한 날부터 시행한다\./],
    ['제1조는?', /^제1조\(목적\)\n> 이 계약은 한빛물산/],
    ['제6조는?', /^제6조는 삭제된 조항입니다\.$/],
    ['제99조는?', /^계약서에서 제99조를 찾지 못했습니다\. 이 계약서에는 제1조부터 제10조의2까지 있습니다\.$/],
    ['제5조와 제99조는?', /^계약서에서 제99조를 찾지 못했습니다\. 이 계약서에는 제1조부터 제10조의2까지 있습니다\.\n\n제5조\(지체상금\)/],
    ['돈은 언제 줘야 돼?', /제3조\(대금\)\n[\s\S]*14일 이내에 지급한다/],
    ['비밀은 언제까지 지켜야 해?', /제7조\(비밀유지\)\n> [\s\S]*3년/],
    ['홍수가 나서 늦어지면 책임이 있어?', /제8조\(불가항력\)/],
    ['홍수 때문에 늦으면', /제8조\(불가항력\)/],
    ['불합격하면 며칠 안에 다시 내야 하나', /^제4조\(검수\)\n/],
    ['비밀은 몇 년간 지켜야 하는지 알려주실래요', /제7조\(비밀유지\)\n/],
    ['효과는 언제 나와요', /제10조의2\(해지의 효과\)/],
    ['불합격을 받으면 다시 제출할 수 있는 건가요?', /^제4조\(검수\)\n/],
    ['계약서에 없는 내용은 어떻게 되나요?', /^(?!비교할 표준계약서)/],
    ['표준계약서를 꼭 써야 해?', /^(?!비교할 표준계약서)/],
    ['이 계약에 없는 내용은 무슨 법을 따라?', /^(?!비교할 표준계약서)/],
    ['표준계약서랑 뭐가 달라?', /^비교할 표준계약서가 주어지지 않았습니다/],
    ['고마워', /^천만에요/],
    ['안녕하세요', /^안녕하세요/],
    ['표준계약서와 비교해서 빠진 조항이 있어?', /^비교할 표준계약서가 주어지지 않았습니다/],
  ])('%s', async (question, expected) => {
    expect(await responseTo(question)).toMatch(expected);
  });

  it.each([
    ['What does Article 2 say?', /^Article 2 \(Price\)\n> The Buyer pays 40 dollars/],
    ['How long is the term?', /Article 1 \(Term\)\n> This Agreement runs for two years/],
    ['When are invoices paid?', /Article 3 \(Payment\)\n> Invoices are paid within thirty days\./],
    ['What about Article 9?', /^The contract has no Article 9\. It has Article 1 to Article 4\.$/],
    ['thanks', /^You're welcome/],
  ])('%s', async (question, expected) => {
    expect(await responseTo(question, inEnglish)).toMatch(expected);
  });

  it.each([
    ['오늘 날씨 어때?', 'out_of_scope'],
    ['tell me a joke', 'out_of_scope'],
    ['ㅁㄴㅇㄹ', 'out_of_scope'],
    ['주말에 뭐 하지', 'out_of_scope'],
    ['재미있는 얘기 해봐', 'out_of_scope'],
  ])('%s is out of scope', async (question, finalState) => {
    expect((await ask(question)).finalState).toBe(finalState);
  });

  it('reports a silent contract instead of quoting an unrelated article', async () => {
    const played = await ask('주차장은 몇 대까지 쓸 수 있어?');
    expect(played.output.answer).toMatch(/^이 계약서에는 “.*주차장.*”에 관한 내용이 없습니다\./);
    expect(played.output.answer).not.toContain('> ');
  });

  it.each([
    '원상회복 의무가 있나요?',
    '교육을 받아야 하나요?',
    '주식으로 받을 수 있나요, 계약에?',
    '경업금지 기간은 얼마인가요?',
    '퇴직금을 주나요?',
  ])('ignores common words of a question: %s', async (question) => {
    expect(await responseTo(question)).toMatch(/^이 계약서에는 “.*”에 관한 내용이 없습니다\./);
  });

  it('quotes the answer before an article whose title occurs in the question', async () => {
    const { parseContract } = await import('agent-machines/contracts');
    const delivery = parseContract({
      name: 'delivery.md',
      text: '제1조(목적) 이 계약은 물건의 공급을 정한다.\n제2조(납품) 을은 물건을 창고로 가져온다.\n제3조(납품의 지연) 을이 늦은 때에는 하루마다 대금의 1,000분의 2를 지체상금으로 낸다.\n제4조(통지) 통지는 글로 한다.\n',
    });
    const answer = await responseTo('납품이 하루 늦으면 얼마를 물어야 하나요?', { contracts: [{ contract: delivery }] });
    expect(answer).toMatch(/^제3조\(납품의 지연\)\n[\s\S]*\n\n제2조\(납품\)/);
  });

  it('reports a repeated label only when it shows every occurrence', async () => {
    const stated = (text: string) => ({ contracts: [{ contract: parseContract({ name: 'storage.md', text }) }] });
    const english = stated(
      '# Storage Agreement\n\nPART ONE\n\nArticle 1. Space\nThe Keeper rents out one hall.\n\nArticle 2. Rent\nThe rent is 300 dollars a month.\n\nPART TWO\n\nArticle 1. Heating\nThe hall is heated from October.\n\nArticle 2. Cooling\nThe hall is cooled from June.\n',
    );
    expect(await responseTo('What does Article 2 say?', english)).toMatch(
      /^Article 2 stands in the contract more than once; all are shown\.\n\nArticle 2 \(Rent\)\n> The rent[^\n]+\n(?:[^\n]+\n)*\nArticle 2 \(Cooling\)\n> The hall is cooled/,
    );
    expect(await responseTo('When is the hall heated?', english)).not.toMatch(/more than once/);
    const korean = stated(
      '# 창고 임대차계약서\n\n제1부 창고\n\n제1조(면적) 창고는 한 동으로 한다.\n\n제2조(차임) 차임은 다달이 30만원으로 한다.\n\n제2부 난방\n\n제1조(난방) 시월부터 난방을 한다.\n\n제2조(냉방) 유월부터 냉방을 한다.\n',
    );
    expect(await responseTo('제2조는?', korean)).toMatch(
      /^제2조가 두 번 이상 있어 모두 보입니다\.\n\n제2조\(차임\)\n> [\s\S]+\n\n제2조\(냉방\)\n> 유월/,
    );
    expect(await responseTo('차임에 대해 설명해줘', korean)).toMatch(/^제2조\(차임\)\n> 차임은/);
    expect(await responseTo('냉방은 언제 시작해?', korean)).not.toMatch(/두 번 이상/);
  });

  it('names the exhibit of an article, and shows the exhibit’s text or that it is empty', async () => {
    const kiosk = parseContract({
      name: 'kiosk.md',
      text: '# Kiosk Lease\n\nArticle 1. Purpose\nThe Owner lets a kiosk.\n\nArticle 2. Rent\nThe rent is 90 dollars a week.\n\nArticle 3. Repairs\n\nExhibit A. Opening\n\nArticle 1. Hours\nThe kiosk opens at seven.\n\nArticle 2. Shutters\nThe shutters are closed at night.\n',
    });
    const options = { contracts: [{ contract: kiosk }] };
    expect(await responseTo('What is in Exhibit A?', options)).toMatch(
      /^Exhibit A \(Opening\)\n> Article 1 Hours\n> The kiosk opens at seven\.\n> Article 2/,
    );
    expect(await responseTo('What does Article 3 say?', options)).toBe('Article 3 (Repairs) has a heading and no text.');
    const { output } = await ask('Are the shutters closed at night?', options);
    expect(output.answer).toMatch(/^Exhibit A, Article 2 \(Shutters\)\n> The shutters are closed at night\./);
    expect(output.sources.map(({ label }) => label)).not.toContain('Article 2');
    expect(output.citations.filter(({ status }) => status !== 'supported')).toEqual([]);
  });

  it('marks no passage that is far behind in a long article', async () => {
    const filler = Array.from({ length: 160 }, (_, day) => `The Carrier reports load number ${day + 1} to the depot on the road.`).join(
      '\n',
    );
    const text = `# Haulage Agreement\n\nArticle 1. Loads\n${filler}\nThe Carrier insures each lorry for 700,000 dollars against fire.\n\nArticle 2. Drivers\nThe Carrier pays the drivers.\n`;
    const { output } = await ask('For how much is a lorry insured against fire?', {
      contracts: [{ contract: parseContract({ name: 'haulage.md', text }) }],
    });
    expect(output.answer).toContain('> The Carrier insures each lorry for 700,000 dollars against fire.');
    expect(output.citations.filter(({ status }) => status !== 'supported')).toEqual([]);
  });

  it('marks nothing in a list of referring articles', async () => {
    const text =
      '# 배송계약서\n\n제1조(목적) 배송을 정한다.\n\n제2조(지연) 제3조의 비용을 낸다.\n\n제3조(비용) 비용은 5만원으로 한다.\n\n제4조(반품) 반품은 없다.\n\n제5조(보상) 제3조에 따라 보상한다.\n\n제6조(통지) 통지는 서면으로 한다.\n\n제7조(종료) 제3조의 비용을 내고 끝낸다.\n';
    const { output } = await ask('어느 조항이 제3조를 인용해?', {
      contracts: [{ contract: parseContract({ name: 'delivery.md', text }) }],
    });
    expect(output.answer).toBe('제3조에 대한 인용 (3개 조항):\n- 제2조(지연): 제3조\n- 제5조(보상): 제3조\n- 제7조(종료): 제3조');
  });

  it('names missing, changed and added articles against the standard contract', async () => {
    expect(await responseTo('표준계약서와 비교해서 빠진 조항이 있어?', compared)).toBe(
      '표준계약서에 있고 이 계약서에 없는 조항 (2):\n- 표준계약서의 제11조(분쟁의 해결)\n- 표준계약서의 제12조(통지)\n\n그 밖에 달라진 조항 1개, 표준계약서에 없는 조항 0개가 있습니다.',
    );
    expect(await responseTo('제5조는 표준계약서와 어떻게 달라?', compared)).toMatch(
      /달라진 조항:\n- 제5조\(지체상금\): 표준 1,000분의1 → 이 계약 1,000분의2/,
    );
    expect(await responseTo('제7조는 표준계약서와 어떻게 달라?', compared)).toMatch(/^같은 조항:\n- 제7조\(비밀유지\)/);
  });

  it('collects the articles of the last answer and their references from the contract', async () => {
    const store = memoryStore();
    await ask('제5조 내용이 뭐야?', { store, threadId: 't' });
    const played = await ask('그 참조항목들 내용 정리해서 보여줘봐', { store, threadId: 't' });
    expect([played.modelCalls, played.path.includes('execute_tools')]).toEqual([2, false]);
    expect(played.output.answer).toMatch(/제5조\(지체상금\)\n[\s\S]*제8조\(불가항력\)\n> 천재지변/);
    expect(played.output.sources.map(({ label }) => label)).toEqual(['제5조', '제8조']);
  });

  it('remembers the subject after a thank-you', async () => {
    const store = memoryStore();
    await ask('제5조 내용이 뭐야?', { store, threadId: 't' });
    await ask('고마워', { store, threadId: 't' });
    expect((await ask('그 조항 다시 보여줘', { store, threadId: 't' })).output.answer).toContain('제5조(지체상금)');
  });

  it('continues with a new subject', async () => {
    const store = memoryStore();
    await ask('제5조 내용이 뭐야?', { store, threadId: 't' });
    expect((await ask('그럼 비밀유지는?', { store, threadId: 't' })).output.answer).toMatch(/^제7조\(비밀유지\)/);
  });

  it.each(['언제까지?', '왜요?', '몇 년 동안이야?'])('continues with the last subject if a question has none: %s', async (question) => {
    const store = memoryStore();
    await ask('비밀은 누가 지켜야 해?', { store, threadId: 't' });
    expect((await ask(question, { store, threadId: 't' })).output.answer).toContain('제7조(비밀유지)\n');
  });

  it('asks for the article if there is nothing to refer to', async () => {
    expect(await responseTo('그 조항 다시 설명해줘')).toBe('앞선 대화가 없습니다. 어느 조항을 말씀하시나요?');
  });
});
