import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const parse = (text: string) => parseContract({ name: 'contracts/sample.md', text });
/** Paragraphs and items without `start` and `end`, which `document-parts.test.ts` looks at. */
const withoutPlaces = (divisions: unknown): unknown =>
  JSON.parse(JSON.stringify(divisions, (key, value: unknown) => (key === 'start' || key === 'end' ? undefined : value)));
const heads = (text: string) => parse(text).articles.map(({ id, title }) => `${id} ${title}`.trim());

describe('the heading of an article', () => {
  it.each([
    ['제5조(목적) 이 계약은 갑과 을의 뜻을 적는다.', '제5조', '목적', '이 계약은 갑과 을의 뜻을 적는다.'],
    ['제5조(목적)이 계약은 갑과 을의 뜻을 적는다.', '제5조', '목적', '이 계약은 갑과 을의 뜻을 적는다.'],
    ['제5조(의무)을은 갑에게 알린다.', '제5조', '의무', '을은 갑에게 알린다.'],
    ['제 5 조 (목적)\n\n본문이다.', '제5조', '목적', '본문이다.'],
    ['제５조（목적）　본문이다.', '제5조', '목적', '본문이다.'],
    ['제\u00a05\u00a0조\u00a0[목적]\n본문이다.', '제5조', '목적', '본문이다.'],
    ['제5조 【목적】\n본문이다.', '제5조', '목적', '본문이다.'],
    ['제5조 「목적」\n본문이다.', '제5조', '목적', '본문이다.'],
    ['제5조 [목적] ① 본문이다.', '제5조', '목적', '① 본문이다.'],
    ['제5조 계약기간\n본문이다.', '제5조', '계약기간', '본문이다.'],
    ['제5조 계약기간 ① 본문이다.', '제5조', '계약기간', '① 본문이다.'],
    ['제5조: 계약기간\n본문이다.', '제5조', '계약기간', '본문이다.'],
    ['제5조 제3자의 권리\n본문이다.', '제5조', '제3자의 권리', '본문이다.'],
    ['제5조 위반에 따른 해지\n본문이다.', '제5조', '위반에 따른 해지', '본문이다.'],
    ['제4조의2 월차임의 계산\n본문이다.', '제4조의2', '월차임의 계산', '본문이다.'],
    ['제5조(공사)이 공사는 을이 한다.', '제5조', '공사', '이 공사는 을이 한다.'],
    ['제5조(목적) : 본문이다.', '제5조', '목적', '본문이다.'],
    ['제5조. 협의\n본문이다.', '제5조', '협의', '본문이다.'],
    ['제5조\n본문이다.', '제5조', '', '본문이다.'],
    ['제5조\n(계약의 목적)\n본문이다.', '제5조', '계약의 목적', '본문이다.'],
    ['제5조(손해의 배상 및\n책임) 본문이다.', '제5조', '손해의 배상 및 책임', '본문이다.'],
    ['제5조 이 계약은 갑과 을 사이의 일을 정한다.', '제5조', '', '이 계약은 갑과 을 사이의 일을 정한다.'],
    ['제5조 ① 갑은 을에게 알린다.', '제5조', '', '① 갑은 을에게 알린다.'],
    ['##### 제5조 (목적)\n\n본문이다.', '제5조', '목적', '본문이다.'],
    ['**제5조 (목적)**\n\n본문이다.', '제5조', '목적', '본문이다.'],
    ['**제5조**(목적) 본문이다.', '제5조', '목적', '본문이다.'],
    ['> 제5조 (목적)\n> 본문이다.', '제5조', '목적', '> 본문이다.'],
    ['- 제5조 (목적)\n본문이다.', '제5조', '목적', '본문이다.'],
    ['■ 제5조 (목적)\n본문이다.', '제5조', '목적', '본문이다.'],
    ['[제5조] 목적\n본문이다.', '제5조', '목적', '본문이다.'],
    ['제5조 (목적)\n-----\n본문이다.', '제5조', '목적', '본문이다.'],
    ['第5條 (目的)\n본문이다.', '제5조', '目的', '본문이다.'],
    ['제5조의2(「민법」에 따른 효력(특례)) 본문이다.', '제5조의2', '「민법」에 따른 효력(특례)', '본문이다.'],
    ['제5조의2의3 (위임)\n본문이다.', '제5조의2의3', '위임', '본문이다.'],
    ['제 5 조 의 2 (위임)\n본문이다.', '제5조의2', '위임', '본문이다.'],
    ['제5조(해지) 제3조에 따라 해지한다.', '제5조', '해지', '제3조에 따라 해지한다.'],
    ['제5조(권리ㆍ의무의 승계) 본문이다.', '제5조', '권리ㆍ의무의 승계', '본문이다.'],
    ['\f제5조(목적) 본문이다.', '제5조', '목적', '본문이다.'],
  ])('%j', (line, label, title, text) => {
    const before = '제1조(가격) 하나다.\n제2조(나눔) 둘이다.\n제3조(다툼) 셋이다.\n제4조(라벨) 넷이다.\n';
    const { articles } = parse(`${before}${line}\n`);
    expect(articles.slice(4).map((article) => [article.label, article.title, article.text])).toEqual([[label, title, text]]);
  });

  it.each([
    '제5조에 따른 손해는 갑이 진다.',
    '제5조제2항의 경우에는 을이 진다.',
    '제5조 제2항에 따라 을이 진다.',
    '제5조 및 제7조는 계약이 끝나도 남는다.',
    '제5조, 제6조 및 제7조에 따라 지급한다.',
    '제5조ㆍ제6조에 따라 지급한다.',
    '제5조의 규정에 의하여 지급한다.',
    '제5조를 위반한 경우에는 해지한다.',
    '제5조 위반으로 생긴 손해는 을이 진다.',
    '제5조부터 제7조까지의 규정을 따른다.',
    '제5조 내지 제7조의 규정을 따른다.',
    '제5조(목적)의 규정에 따라 지급한다.',
    '제5조(목적) 및 제6조(범위)에 따라 지급한다.',
    '제5조(목적), 제6조(범위)에 따라 지급한다.',
    '제5조(목적) 제1항에 따라 지급한다.',
    '제5조(목적)이 적용되는 때에 지급한다.',
    '제5조(목적) 본문에도 불구하고 지급한다.',
    '제5조의 2년 동안 지급한다.',
    '제5조 중 "열흘"을 "보름"으로 한다.',
    '제5조 본문에도 불구하고 지급한다.',
    '제5조 각 호의 어느 하나에 해당한다.',
    '「민법」 제5조의 예에 따른다.',
    '제5조에서 정한 금액을 지급한다.',
    '제5조)에 적은 금액을 지급한다.',
    '[제5조에서 이동, 종전의 제5조는 제6조로 이동]',
    '| 제5조 | 목적 |',
  ])('is not %j', (line) => {
    const text = `제1조(가격) 하나다.\n제2조(나눔) 둘이다.\n제3조(다툼) 셋이다.\n제4조(라벨) 넷이다.\n${line}\n제5조(마감) 다섯이다.\n`;
    const { articles } = parse(text);
    expect(articles.map(({ label }) => label)).toEqual(['제1조', '제2조', '제3조', '제4조', '제5조']);
    expect(articles[3]?.text).toBe(`넷이다.\n${line}`);
  });

  it('is found without the line break above it', () => {
    const text =
      '제 1 조 (목적)\n하나다. 제 2 조 (기간)\n둘이다. 제1조(목적)에 따른다. 제9조(벌칙)\n에 따라 셋이다(끝) 제 3 조 (대금)\n셋이다. 제4조(해지) 넷이다. 제5조(통지) 다섯이다.\n';
    const { articles } = parse(text);
    expect(articles.map(({ label, title, text: body }) => `${label} ${title}: ${body}`)).toEqual([
      '제1조 목적: 하나다.',
      '제2조 기간: 둘이다. 제1조(목적)에 따른다. 제9조(벌칙)\n에 따라 셋이다(끝)',
      '제3조 대금: 셋이다.',
      '제4조 해지: 넷이다.',
      '제5조 통지: 다섯이다.',
    ]);
  });

  it('is not the end of a wrapped sentence', () => {
    const text =
      '제1조(가격) 하나다.\n제2조(나눔) 을은 이 계약 제1조 또는\n제3조 계약기간 중에 한 일을 알린다.\n\n제3조 (계약기간)\n셋이다.\n';
    expect(heads(text)).toEqual(['body/제1조 가격', 'body/제2조 나눔', 'body/제3조 계약기간']);
  });

  it('is not a quoted article of another law', () => {
    const text = '제1조(가격) 하나다.\n제2조(나눔) 둘이다.\n제17조(근로조건의 명시) 적는다.\n제3조(다툼) 셋이다.\n';
    expect(heads(text)).toEqual(['body/제1조 가격', 'body/제2조 나눔', 'body/제3조 다툼']);
  });

  it('is not a plain line if the others are headings of Markdown', () => {
    const text = '##### 제1조 (가격)\n\n하나다.\n\n##### 제2조 (나눔)\n\n둘이다.\n\n제9조(다툼) 하는 일\n\n##### 제3조 (라벨)\n\n셋이다.\n';
    expect(heads(text)).toEqual(['body/제1조 가격', 'body/제2조 나눔', 'body/제3조 라벨']);
  });
});

describe('a contract', () => {
  it('keeps repeated labels and reports them', () => {
    const { articles, warnings } = parse('제1조(가격) 하나다.\n제2조(나눔) 둘이다.\n제2조(다툼) 또 둘이다.\n제3조(라벨) 셋이다.\n');
    expect(articles.map(({ id }) => id)).toEqual(['body/제1조', 'body/제2조', 'body/제2조#2', 'body/제3조']);
    expect(warnings).toEqual([{ code: 'LABEL_REPEATED', message: '제2조 occurs more than once.', articleId: 'body/제2조#2' }]);
  });

  it('reports a gap once, and none for a late number or one deleted together with others', () => {
    const gap = parse('제1조(가격) 하나다.\n제2조(나눔) 둘이다.\n제5조(다툼) 다섯이다.\n제6조(라벨) 여섯이다.\n');
    expect(gap.warnings).toEqual([{ code: 'LABEL_MISSING', message: '제3조 to 제4조 are missing before 제5조.', articleId: 'body/제5조' }]);
    const late = parse('제1조(가격) 하나다.\n제3조(다툼) 셋이다.\n제2조(나눔) 둘이다.\n제4조(라벨) 넷이다.\n');
    expect([late.articles.length, late.warnings]).toEqual([4, []]);
    const range = parse('제1조(가격) 하나다.\n제2조 내지 제4조 삭제 <2020. 1. 1.>\n제5조(라벨) 다섯이다.\n');
    expect(range.articles.map(({ label, deleted }) => [label, deleted])).toEqual([
      ['제1조', false],
      ['제2조', true],
      ['제5조', false],
    ]);
    expect(range.warnings).toEqual([]);
  });

  it('distinguishes 제10조의2 from 제10조', () => {
    const { articles, warnings } = parse(
      '제10조(가격) 열이다.\n제10조의2(나눔) 열둘이다.\n제10조의4(다툼) 열넷이다.\n제11조(라벨) 열하나다.\n',
    );
    expect(articles.map(({ label }) => label)).toEqual(['제10조', '제10조의2', '제10조의4', '제11조']);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['제5조 삭제', true],
    ['제5조 삭제 <1989.12.30.>', true],
    ['제5조(목적) 삭제 <1989.12.30>', true],
    ['제5조\n삭제 <1989. 12. 30.>', true],
    ['제5조(삭제)', true],
    ['제5조 [삭제]', true],
    ['제5조 <삭제>', true],
    ['제5조 (삭제 2020. 1. 1.)', true],
    ['##### 제5조\n\n**삭제** <2020.1.1>\n[본조신설 1999.1.1]', true],
    ['제5조 삭제 <2008.2.29 제8852호(정부조직법)>', true],
    ['##### 제5조 (목적)\n\n삭제 <2016.1.6>\n\n[종전 제5조는 제6조로 이동 <2016.1.6>]', true],
    ['##### 제5조\n\n삭제 \\<2012.2.1\\>', true],
    ['제5조(삭제, 2020. 1. 1.)', true],
    ['제5조 [2020. 1. 1. 삭제]', true],
    ['제5조\n삭제 <2020. 1. 1.>\n① 다만 남은 일은 마친다.', false],
    ['제5조(자료의 삭제) 을은 자료를 지운다.', false],
    ['제5조(자료의 삭제)\n삭제한 자료는 되살리지 않는다.', false],
    ['제5조 자료의 삭제\n을은 자료를 지운다.', false],
    ['제5조 삭제한 자료는 되살리지 않는다.', false],
  ])('detects a deleted article: %j', (text, deleted) => {
    const { articles } = parse(`제4조(가격) 넷이다.\n\n${text}\n\n제6조(나눔) 여섯이다.\n`);
    expect(articles.map((article) => [article.label, article.deleted])).toEqual([
      ['제4조', false],
      ['제5조', deleted],
      ['제6조', false],
    ]);
  });

  it('assigns chapters to articles, and ignores cited and repeated chapters', () => {
    const text =
      '제1장 총칙\n제1조(가격) 하나다.\n제1장 총칙\n- 2 -\n제2조(나눔) 둘이다.\n제2장에 따라 지급한다.\n\n## 제 2 장  계약의 이행\n### 제1절 대금 <개정 2020.1.1>\n제3조(다툼) 셋이다.\n제3장 보칙\n제4조(라벨) 넷이다.\n';
    const { articles, chapters } = parse(text);
    expect(articles.map(({ chapter }) => chapter)).toEqual([
      '제1장 총칙',
      '제1장 총칙',
      '제2장 계약의 이행 › 제1절 대금 <개정 2020.1.1>',
      '제3장 보칙',
    ]);
    expect(chapters.map(({ label, title }) => `${label} ${title}`)).toEqual([
      '제1장 총칙',
      '제2장 계약의 이행',
      '제1절 대금 <개정 2020.1.1>',
      '제3장 보칙',
    ]);
    expect(text.slice(chapters[1]?.start)).toMatch(/^## 제 2 장/);
  });

  it('recognises a table of contents, page numbers and signatures', () => {
    const text = [
      '업무 위탁 계약서',
      '목 차',
      '제1장 총칙',
      '제1조 (목적) ........ 1',
      '제2조 (기간) ········ 2',
      '제3조 대금\t3',
      '부칙',
      '갑 주식회사와 을 주식회사는 다음과 같이 계약한다.',
      '제1장 총칙',
      '제1조 (목적)',
      '하나다.',
      '- 1 -',
      '제2조 (기간)',
      '둘은',
      '2 / 3',
      '이어진다.',
      '제3조 대금',
      '셋이다.',
      '부칙',
      '이 계약은 서명한 날부터 효력이 있다.',
      '',
      '2026년 3월 2일',
      '갑: 주식회사 (인)',
      '',
    ].join('\n');
    const { articles, title } = parse(text);
    expect(title).toBe('업무 위탁 계약서');
    expect(articles.map(({ id, text: body }) => [id, body])).toEqual([
      ['body/제1조', '하나다.\n- 1 -'],
      ['body/제2조', '둘은\n2 / 3\n이어진다.'],
      ['body/제3조', '셋이다.'],
      ['addenda/부칙', '이 계약은 서명한 날부터 효력이 있다.'],
    ]);
  });

  it('separates the addenda from the body, even if there are several', () => {
    const text =
      '제1조(목적) 하나다.\n제2조(기간) 둘이다.\n부 칙\n제1조(시행일) 오늘부터다.\n제2조(경과조치) 제1조에 따른다.\n부칙 <제12호, 2020. 1. 1.>\n이 규정은 곧 시행한다.\n부칙(다른 법) <제13호, 2021.1.1>\n앞선 말이다.\n제1조(시행일) 내일부터다.\n제2조 생략\n제3조(개정) 어떤 법을 다음과 같이 개정한다.\n제2조의2(신설) 새로 둔다.\n제7조 중 "가"를 "나"로 한다.\n제4조 생략\n';
    expect(heads(text)).toEqual([
      'body/제1조 목적',
      'body/제2조 기간',
      'addenda/제1조 시행일',
      'addenda/제2조 경과조치',
      'addenda/부칙 제12호, 2020. 1. 1.',
      'addenda/부칙#2 (다른 법) <제13호, 2021.1.1>',
      'addenda/제1조#2 시행일',
      'addenda/제2조#2',
      'addenda/제3조 개정',
      'addenda/제4조',
    ]);
  });

  it('reads addenda on the line of their heading, but not cited ones', () => {
    const text =
      '제1조(목적) 하나다.\n부칙 제1조(시행일)에 따른다.\n제2조(기간) 둘이다.\n부칙 제1조(시행일) 오늘부터다.\n제2조(경과) 그대로다.\n';
    expect(heads(text)).toEqual(['body/제1조 목적', 'body/제2조 기간', 'addenda/제1조 시행일', 'addenda/제2조 경과']);
  });

  it('has numbered headings as articles if there are no others', () => {
    const text = '근로계약서\n\n1. 근로계약기간 : 2026년 1월 1일부터\n2. 근무 장소 : 본사\n3. 임금\n - 월급 : 백만원\n';
    expect(parse(text).articles.map(({ label, title, text: body }) => [label, title, body])).toEqual([
      ['1', '근로계약기간', '2026년 1월 1일부터'],
      ['2', '근무 장소', '본사'],
      ['3', '임금', '- 월급 : 백만원'],
    ]);
  });

  it('reads exhibits, and returns to the body after a form between articles', () => {
    const text =
      '[별지 제1호 서식]\n위탁 계약서\n제1조(목적) 하나다.\n별지 1에 따라 지급한다.\n별표 2 참조\n제2조(대금) 둘이다.\n<별표 1>\n단가는 다음과 같다.\n제3조(기간) 셋이다.\n제4조(끝) 넷이다.\n별지 1. 대금 지급 일정\n첫째 줄이다.\n[별지 제2호의2 서식] (확인서)\n확인한다.\n붙임: 과업지시서\n과업이다.\n별지\n끝이다.\n';
    expect(heads(text)).toEqual([
      'body/제1조 목적',
      'body/제2조 대금',
      'exhibit/별표 1',
      'body/제3조 기간',
      'body/제4조 끝',
      'exhibit/별지 1 대금 지급 일정',
      'exhibit/별지 2의2 확인서',
      'exhibit/붙임 과업지시서',
      'exhibit/별지',
    ]);
  });

  it.each([
    ['[별표 1] 과태료의 부과기준(제2조 관련)', '별표 1 과태료의 부과기준(제2조 관련)'],
    ['별표 2 은행 계좌의 목록', '별표 2 은행 계좌의 목록'],
    ['[별지 1 과업내용서]', '별지 1 과업내용서'],
    ['별지 제3호서식 의료기관 신고서', '별지 3 의료기관 신고서'],
  ])('reads %j as an exhibit, although its title starts like a particle', (line, heading) => {
    expect(heads(`제1조(목적) 하나다.\n제2조(기간) 둘이다.\n${line}\n표가 있다.\n`)[2]).toBe(`exhibit/${heading}`);
  });

  it.each([
    '[별표 1] 과 같다',
    '별지 1 에 적는다',
    '별지 1의 과업',
    '[별지 1] 에서 정한 금액',
    '별첨 2 중 제3항을 고친다',
    '별지 1 기재의 장소',
  ])('reads %j as a citation', (line) => {
    expect(heads(`제1조(목적) 하나다.\n제2조(기간) 둘이다.\n\n${line}\n셋이다.\n`)).toEqual(['body/제1조 목적', 'body/제2조 기간']);
  });

  it.each(['특약사항', '[특약 사항]', '■ 특약사항', '<특약조항>', '특약사항 (일반사항에 우선한다)', '특약사항:'])(
    'reads %j as special terms that end at the signatures',
    (line) => {
      const terms = '1. 반려동물은 한 마리까지 기를 수 있다.\n2. 보일러의 수리비는 임대인이 부담한다.';
      const { articles } = parse(
        `제1조(목적) 하나다.\n제2조(기간) 둘이다.\n\n${line}\n${terms}\n\n본 계약을 증명하기 위하여 각각 서명 날인한다.\n2026년 2월 1일\n`,
      );
      expect(articles.map(({ id }) => id)).toEqual(['body/제1조', 'body/제2조', 'exhibit/특약사항']);
      expect(articles.map(({ text }) => text)).toEqual(['하나다.', '둘이다.', terms]);
    },
  );

  it.each(['특약사항은 별지에 적는다.', '특약사항의 변경은 서면으로 한다', '제2조에 따른 특약사항'])('reads %j as a sentence', (line) => {
    expect(heads(`제1조(목적) 하나다.\n제2조(기간) 둘이다.\n${line}\n셋이다.\n`)).toHaveLength(2);
  });

  it('keeps the first article if the chapters above it are repeated below', () => {
    const text =
      '## 제1편 총칙\n### 제1장 통칙\n#### 제1절 일반\n##### 제1조 (목적)\n하나다.\n##### 제2조 (기간)\n둘이다.\n## 제2편 거래\n### 제1장 통칙\n#### 제1절 일반\n##### 제3조 (대금)\n셋이다.\n## 부칙\n제1조(시행일) 오늘부터다.\n';
    const { articles, chapters } = parse(text);
    expect(articles.map(({ id, chapter }) => `${id} ${chapter}`)).toEqual([
      'body/제1조 제1편 총칙 › 제1장 통칙 › 제1절 일반',
      'body/제2조 제1편 총칙 › 제1장 통칙 › 제1절 일반',
      'body/제3조 제2편 거래 › 제1장 통칙 › 제1절 일반',
      'addenda/제1조 부칙',
    ]);
    expect(chapters).toHaveLength(6);
  });

  it('reads the articles of an exhibit', () => {
    const text = '제1조(목적) 하나다.\n제2조(기간) 둘이다.\n별지 1 개인정보 위탁 약정\n제1조(위탁) 맡긴다.\n제2조(금지) 하지 않는다.\n';
    expect(heads(text)).toEqual([
      'body/제1조 목적',
      'body/제2조 기간',
      'exhibit/별지 1 개인정보 위탁 약정',
      'exhibit/제1조 위탁',
      'exhibit/제2조 금지',
    ]);
  });

  it('divides an article into paragraphs, items and sub-items', () => {
    const { articles } = parse(
      '제1조(목적) ① 첫째다. ② 둘째는 다음과 같다.\n 1. 하나\n   가. 하나의 가\n   나. 하나의 나\n 2\\. 둘\n**③** ①항에 따른다.\n제2조(정의) 뜻은 다음과 같다.\n1. "가"란 하나다.\n1의2. "나"란 둘이다.\n3. "다"란 셋이다.\n제3조(기타)\n(1) 하나\n(2) 둘\n',
    );
    expect(withoutPlaces(articles[0]?.paragraphs)).toEqual([
      { label: '①', text: '첫째다.', items: [] },
      {
        label: '②',
        text: '둘째는 다음과 같다.',
        items: [
          {
            label: '1.',
            text: '하나',
            subItems: [
              { label: '가.', text: '하나의 가', subItems: [] },
              { label: '나.', text: '하나의 나', subItems: [] },
            ],
          },
          { label: '2.', text: '둘', subItems: [] },
        ],
      },
      { label: '③', text: '①항에 따른다.', items: [] },
    ]);
    expect(articles[1]?.paragraphs).toEqual([]);
    expect(articles[1]?.items.map(({ label, text }) => `${label} ${text}`)).toEqual([
      '1. "가"란 하나다.',
      '1의2. "나"란 둘이다.',
      '3. "다"란 셋이다.',
    ]);
    expect(articles[2]?.paragraphs.map(({ label, text }) => `${label} ${text}`)).toEqual(['(1) 하나', '(2) 둘']);
  });

  it('takes its name from its header, its first heading, its first line or its file', () => {
    expect(parse('---\n제목: 가나법\n---\n\n# 다른 이름\n\n##### 제1조 (가격)\n\n하나다.\n').title).toBe('가나법');
    expect(parse('# 임대차 계약서\n\n제1조(가격) 하나다.\n').title).toBe('임대차 계약서');
    expect(parse('\n물품 공급 계약서\n\n제1조(가격) 하나다.\n').title).toBe('물품 공급 계약서');
    expect(parse('갑과 을은 다음과 같이 계약을 체결한다.\n\n제1조(가격) 하나다.\n').title).toBe('sample');
  });

  it('warns if it has no article', () => {
    expect(parse('아무 조항도 없는 글이다.\n').warnings.map(({ code }) => code)).toEqual(['NO_ARTICLES']);
    expect(parse('').articles).toEqual([]);
  });

  it('keeps the text except for its line ends', () => {
    const { text, articles } = parse('\ufeff제1조(가격) 하나다.\r\n둘째 줄이다.\r제2조(나눔) 둘이다.');
    expect(text).toBe('\ufeff제1조(가격) 하나다.\n둘째 줄이다.\n제2조(나눔) 둘이다.');
    expect(articles.map(({ text: body }) => body)).toEqual(['하나다.\n둘째 줄이다.', '둘이다.']);
  });
});

describe('an English contract', () => {
  it('has articles, sections and exhibits', () => {
    const text =
      'SERVICES AGREEMENT\n\nARTICLE I – DEFINITIONS\n\nSection 1.1 Terms. The following terms apply.\nSection 1.2 Order of Precedence\nThis Agreement prevails.\n\nARTICLE II\nTERM AND TERMINATION\n\nSection 2.1 Term\nIt runs for a year under\nSection 5.1 of the Lease.\nSection 2.2 shall survive.\nArticle 3. Fees\nAs in Exhibit A.\nArticle 4. [Deleted]\n\nEXHIBIT A – FEES\nTen.\nExhibit A sets out the fees.\n';
    expect(heads(text)).toEqual([
      'body/Article 1 DEFINITIONS',
      'body/Section 1.1 Terms',
      'body/Section 1.2 Order of Precedence',
      'body/Article 2 TERM AND TERMINATION',
      'body/Section 2.1 Term',
      'body/Article 3 Fees',
      'body/Article 4',
      'exhibit/Exhibit A FEES',
    ]);
    expect(
      parse(text)
        .articles.filter(({ deleted }) => deleted)
        .map(({ label }) => label),
    ).toEqual(['Article 4']);
  });

  it('has numbered headings as articles if there are no others', () => {
    const text =
      'Lease Agreement\n\n1. Definitions\n1.1 "Flat" means the flat.\n1.2 "Rent" means the rent.\n\n2. Rent and Deposit\n2.1 The rent is due monthly.\n(a) in cash; or\n(b) by transfer.\n\n3. Term. It runs for a year.\n';
    const { articles } = parse(text);
    expect(articles.map(({ label, title }) => `${label} ${title}`)).toEqual([
      'Article 1 Definitions',
      'Article 2 Rent and Deposit',
      'Article 3 Term',
    ]);
    expect(withoutPlaces(articles[1]?.paragraphs)).toEqual([
      {
        label: '2.1',
        text: 'The rent is due monthly.',
        items: [
          { label: '(a)', text: 'in cash; or', subItems: [] },
          { label: '(b)', text: 'by transfer.', subItems: [] },
        ],
      },
    ]);
  });
});
