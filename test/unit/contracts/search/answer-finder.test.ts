import { type ContractTopic, createAnswerFinder, parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const boatHire = parseContract({
  name: 'boat-hire.txt',
  text: `BOAT HIRE AGREEMENT

1. Hire. The Owner lets the sailing boat Petrel to the Hirer from 3 May 2027 until 30 September 2027.

2. Price. The Hirer shall pay €2,400 per month within ten days of each invoice. Sums paid late bear interest at 6% per annum.

3. Insurance. The Owner shall maintain hull insurance. The Hirer bears the first €1,000 of any damage.

4. Use. The boat shall not be raced, and shall not be lent to anyone else. It shall be moored at Kinsale every night.

5. Assignment. Neither party may assign this Agreement without the prior written consent of the other.

6. Ending. Either party may terminate this Agreement for any reason upon thirty (30) days' written notice.

7. Law. This Agreement shall be governed by the laws of Ireland.
`,
});
const cleaning = parseContract({
  name: '청소.txt',
  text: `청소 용역 계약서

제1조(업무) 을은 갑의 사무실을 매주 월요일과 목요일에 청소한다.

제2조(대금) 갑은 용역비 월 90만원을 다음 달 5일까지 을의 계좌로 지급한다. 지체하면 연 9퍼센트의 지연이자를 더한다.

제3조(비밀유지) 을은 사무실에서 알게 된 비밀을 제3자에게 누설하여서는 아니 된다.

제4조(해지) 갑과 을은 1개월 전에 서면으로 통지하고 언제든지 이 계약을 해지할 수 있다.

제5조(관할) 이 계약에 관한 분쟁은 대전지방법원을 관할법원으로 한다.
`,
});

describe('createAnswerFinder', () => {
  it.each([
    ['Which law governs the agreement?', 'laws of Ireland'],
    ['Can I transfer the contract to somebody else?', 'Neither party may assign'],
    ['May we walk away at any time?', 'for any reason'],
    ['What insurance is there?', 'hull insurance'],
    ['What happens if we pay late?', 'interest at 6%'],
    ['Where must the boat be moored at night?', 'moored at Kinsale'],
    ['이 계약은 어느 나라 법을 따르나요?', 'laws of Ireland'],
    ['보험은 누가 들어?', 'hull insurance'],
  ])('answers %j with the passage that settles it', async (question, wording) => {
    const { verdict, passages } = (await createAnswerFinder(boatHire)).find(question);
    expect(verdict).toBe('answer');
    expect(passages[0]?.text).toContain(wording);
  });

  it.each([
    ['돈은 언제 줘?', '월 90만원'],
    ['중간에 그만둘 수 있어?', '언제든지 이 계약을 해지'],
    ['소송은 어디서 해?', '대전지방법원'],
    ['늦게 주면 이자 붙어?', '지연이자'],
    ['Is there a confidentiality duty?', '누설하여서는'],
    ['When is payment due?', '다음 달 5일까지'],
  ])('answers %j in a Korean contract', async (question, wording) => {
    const { verdict, passages } = (await createAnswerFinder(cleaning)).find(question);
    expect(verdict).toBe('answer');
    expect(passages[0]?.text).toContain(wording);
  });

  it.each([
    [boatHire, 'Is there a source code escrow?', 'source code escrow'],
    [boatHire, 'Does the agreement renew automatically?', 'renewal'],
    [boatHire, 'Is there a non-compete clause?', 'non-compete'],
    [boatHire, '중재 조항이 있나요?', '중재'],
    [cleaning, '보험 들어야 돼?', '보험'],
    [cleaning, '중재로 해결해?', '중재'],
    [cleaning, '위약금 있어?', '위약금과 지체상금'],
    [cleaning, 'Who owns the intellectual property that is created?', 'ownership of intellectual property'],
  ])('finds in %o no answer to %j, and names the topic', async (document, question, topic) => {
    const found = (await createAnswerFinder(document)).find(question);
    expect(found).toMatchObject({ verdict: 'silent', passages: [] });
    expect(found.lookedFor).toContain(topic);
  });

  it.each([
    [boatHire, 'Is a helicopter included?'],
    [cleaning, '엘리베이터 점검도 해?'],
  ])('finds in %o no answer to a question outside the tables: %j', async (document, question) => {
    expect((await createAnswerFinder(document)).find(question).verdict).toBe('silent');
  });

  it.each(['월세는 얼마인가요?', '주차비는 누가 내는 건가?', '야근 수당은 시간당 얼마인가'])(
    'does not read the ending of %j as 인가 (authorisation)',
    async (question) => {
      const document = parseContract({
        name: 'a.txt',
        text: '제1조(법령) 당사자는 관계 법령을 준수한다.\n\n제2조(물건) 매도인은 오븐을 판다.\n',
      });
      const { verdict, topics } = (await createAnswerFinder(document)).find(question);
      expect(verdict).not.toBe('answer');
      expect(topics).not.toContain('compliance with law');
    },
  );

  it.each(['', '???', '😀'])('says nothing of a question without a word: %j', async (question) => {
    expect((await createAnswerFinder(boatHire)).find(question)).toMatchObject({ verdict: 'silent', passages: [] });
  });

  it('finds a noun with a hyphen', async () => {
    const document = parseContract({ name: 'a.txt', text: '1. Visits. A no-show costs 20 euros.\n\n2. Oven. The oven is blue.\n' });
    const { verdict, passages } = (await createAnswerFinder(document)).find('What about a no-show?');
    expect(verdict).not.toBe('silent');
    expect(passages[0]?.text).toContain('no-show');
  });

  it('does not read a dispute clause as an arbitration, or an excess as a cap', async () => {
    const document = parseContract({
      name: 'a.txt',
      text: '제1조(분쟁) 분쟁은 당사자가 협의하여 해결한다.\n\n제2조(요금) 기본 사용량을 초과하면 초과한 만큼 요금을 더 낸다.\n',
    });
    const finder = await createAnswerFinder(document);
    expect(finder.find('중재 조항이 있나요?').verdict).not.toBe('answer');
    expect(finder.find('손해배상 책임의 상한이 있나요?').verdict).not.toBe('answer');
  });

  it('returns the verdict nearest for a passage that only touches on a topic', async () => {
    const document = parseContract({
      name: 'a.txt',
      text: '1. Deliveries. Goods that compete for space in the warehouse are stored outside, whatever the business.\n\n2. Colour. It is blue.\n',
    });
    const found = (await createAnswerFinder(document)).find('Is there a competing business?');
    expect(found.verdict).toBe('nearest');
    expect(found.passages[0]?.text).toContain('compete for space');
  });

  describe('in a contract with numbered special terms', () => {
    const studio = parseContract({
      name: '작업실.txt',
      text: `작업실 임대차계약서

제1조(차임) 차임은 월 70만원으로 하며 매월 말일에 낸다.

제2조(용도) 임차인은 작업실을 도예 작업에만 쓴다.

제3조(해지) 임차인이 차임을 2기 연체하면 임대인은 계약을 해지할 수 있다.

제4조(원상회복) 계약이 끝나면 임차인은 작업실을 원상으로 회복하여 반환한다.

제5조(관할) 이 계약에 관한 분쟁은 전주지방법원을 관할법원으로 한다.

특약사항
1. 가마는 뒷마당 차양 아래에만 놓는다.
2. 찌꺼기 흙은 임차인이 월요일마다 치운다.
3. 임대인은 옥상 물탱크를 고쳐 준다.
4. 계단에는 화분을 두지 않는다.
5. 첫 보름은 차임을 받지 않는다.
`,
    });

    it.each([
      ['가마 놔도 돼?', '가마는 뒷마당'],
      ['화분 갖다 놔도 되나요?', '화분을 두지'],
      ['물탱크는 누가 고쳐?', '물탱크를 고쳐'],
    ])('shows the term that has the noun of %j', async (question, wording) => {
      const { verdict, passages } = (await createAnswerFinder(studio)).find(question);
      expect(verdict).not.toBe('silent');
      expect(passages.some(({ text }) => text.includes(wording))).toBe(true);
    });

    it('ignores function words and inflected verbs, which only the question has', async () => {
      expect((await createAnswerFinder(studio)).find('도예 작업에 굴려도 돼?')).toMatchObject({ verdict: 'answer' });
      expect((await createAnswerFinder(boatHire)).find('If she hires her out, is the boat raced?')).toMatchObject({ verdict: 'answer' });
    });

    it('takes no verb for a telling noun', async () => {
      const finder = await createAnswerFinder(boatHire);
      expect(finder.find('Is there a source code escrow to moor?').verdict).toBe('silent');
      expect(finder.find('Is there a source code escrow at Kinsale?').verdict).toBe('nearest');
    });
  });

  it('guesses the topic of a question in everyday words, without taking the guess for an answer', async () => {
    const rowing = parseContract({
      name: 'rowing.txt',
      text: 'ROWING CLUB\n\n1. Boats. Members row on Sundays.\n\n2. Assignment. Neither party may assign this Agreement without consent.\n\n3. Oars. Oars are blue.\n\n4. Pond. The pond is deep.\n',
    });
    const found = (await createAnswerFinder(rowing)).find('Could somebody step in for me and take over the deal?');
    expect(found).toMatchObject({ verdict: 'nearest', topics: [] });
    expect(found.passages.some(({ text }) => text.includes('may assign'))).toBe(true);
  });

  it('has no answer to a question of general words only', async () => {
    expect((await createAnswerFinder(boatHire)).find('When does it begin and end?').verdict).not.toBe('answer');
    expect((await createAnswerFinder(boatHire)).find('Whatever happens, is each one always the same?').verdict).not.toBe('answer');
  });

  it('is silent if there is nothing to read', async () => {
    const empty = parseContract({ name: 'a.txt', text: '' });
    for (const question of ['', '?', 'Which law governs?', 'How long is it?']) {
      expect((await createAnswerFinder(empty)).find(question)).toMatchObject({ verdict: 'silent', passages: [] });
    }
  });

  it('accepts a custom table of topics', async () => {
    const mooring: ContractTopic = {
      en: 'mooring',
      ko: '정박',
      asks: ['where … boat', '정박'],
      settles: ['moored at'],
      touches: ['harbour'],
    };
    const finder = await createAnswerFinder(boatHire, { topics: [mooring] });
    expect(finder.find('배는 어디에 정박해?')).toMatchObject({ verdict: 'answer', topics: ['mooring'], lookedFor: ['정박'] });
  });

  it('reads only the beginning of a very long question, and each word once', async () => {
    const finder = await createAnswerFinder(boatHire);
    const short = finder.find('Which law governs the boat?');
    expect(finder.find(`Which law governs the boat? ${'boat '.repeat(150)}`).passages).toEqual(short.passages);
    expect(finder.find(`Which law governs the boat? ${'why '.repeat(5_000)}`).verdict).toBe('answer');
  });

  it('returns passages verbatim, with their positions', async () => {
    const { passages } = (await createAnswerFinder(boatHire)).find('Which law governs the agreement?');
    for (const { text, start, article } of passages) {
      expect(boatHire.text.slice(start, start + text.length)).toBe(text);
      expect(boatHire.text.slice(article.start, article.end)).toContain(text);
    }
  });
});
