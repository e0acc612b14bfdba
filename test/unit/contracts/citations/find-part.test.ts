import { type ContractDocument, findParts, parseContract, readLabels } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const korean = parseContract({
  name: 'studio.md',
  text: `# 작업실 이용계약서

제1조(목적) 작업실의 이용을 정한다.

제2조(이용) ① 이용자는 다음 각 호의 일을 한다.
1. 청소
2. 다음 각 목의 기록
가. 출입
나. 사용 시간
② 밤에는 쓰지 않는다.

제2조의2(손님) 손님은 셋까지 부른다.

제3조(금지) 다음 각 호를 금지한다.
1. 흡연
2. 취사

부칙

제1조(시행일) 서명한 날부터 시행한다.

제2조(경과조치) 먼저 낸 돈은 그대로 둔다.

별표 1 요금표

1. 하루 1만원
`,
});

const english = parseContract({
  name: 'studio-licence.md',
  text: `# Studio Licence

ARTICLE I
USE

Section 1.01 Rooms. The Guest may use:
(a) the kiln room; and
(b) the yard, but not:
(i) at night; or
(ii) on holidays.

Section 1.02 Visitors. Three at most.

ARTICLE II
PRICE

Section 2.01 Amount. The Guest pays 10 dollars a day.

EXHIBIT B
House Rules

Be kind.
`,
});

const clauses = parseContract({
  name: 'terms.md',
  text: `# Terms

4. PAYMENT

4.1 Invoices are paid in ten days.
4.2 Late payers pay interest:
(a) at one percent; and
(b) from the first day.

5. TERM

5.1 One year.
5.2 It renews.

6. NOTICES

6.1 In writing.
6.2 In English.
`,
});

const found = (document: ContractDocument, text: string): [label: string, text: string][] =>
  readLabels(text, { numbers: true }).flatMap((label) =>
    findParts(document, label).found.map((part): [string, string] => [part.label, part.text]),
  );

describe('findParts', () => {
  it.each([
    ['제2조 제2항', '제2조 제2항', '② 밤에는 쓰지 않는다.'],
    ['2조 1항 1호', '제2조 제1항 제1호', '1. 청소'],
    ['제2조 ① 제2호 나목', '제2조 제1항 제2호 나목', '나. 사용 시간'],
    ['제2조 제2호 가목', '제2조 제2호 가목', '가. 출입'],
    ['제3조 2호', '제3조 제2호', '2. 취사'],
    ['제3조 제2항', '제3조 제2항', '2. 취사'],
    ['제2조의2', '제2조의2', '손님은 셋까지 부른다.'],
    ['부칙 제2조', '부칙 제2조', '먼저 낸 돈은 그대로 둔다.'],
    ['별표 제1호', '별표 1', '1. 하루 1만원'],
    ['별표', '별표 1', '1. 하루 1만원'],
    ['Article 1', '제1조', '작업실의 이용을 정한다.'],
  ])('finds %s in a Korean contract', (text, label, expected) => {
    expect(found(korean, text)).toEqual([[label, expected]]);
  });

  it.each([
    ['Section 1.02', 'Section 1.02', 'Three at most.'],
    ['section 1.2', 'Section 1.02', 'Three at most.'],
    ['1.02', 'Section 1.02', 'Three at most.'],
    ['Sec. 1.01(a)', 'Section 1.01(a)', '(a) the kiln room; and'],
    ['1.01 (b)(ii)', 'Section 1.01(b)(ii)', '(ii) on holidays.'],
    ['paragraph (a) of Section 1.1', 'Section 1.01(a)', '(a) the kiln room; and'],
    ['EXHIBIT b', 'Exhibit B', 'Be kind.'],
    ['Article II', 'Article 2', 'Section 2.01 Amount\nThe Guest pays 10 dollars a day.'],
    ['제2조', 'Article 2', 'Section 2.01 Amount\nThe Guest pays 10 dollars a day.'],
  ])('finds %s in an English contract', (text, label, expected) => {
    expect(found(english, text)).toEqual([[label, expected]]);
  });

  it.each([
    ['Section 4.2(a)', 'Section 4.2(a)', '(a) at one percent; and'],
    ['4.02(b)', 'Section 4.2(b)', '(b) from the first day.'],
    ['clause 5.2', 'Section 5.2', '5.2 It renews.'],
  ])('finds %s among the paragraphs of an article', (text, label, expected) => {
    expect(found(clauses, text)).toEqual([[label, expected]]);
  });

  it('returns the article if its paragraph does not exist', () => {
    const [label] = readLabels('제2조 제9항');
    expect(label && findParts(korean, label)).toMatchObject({ found: [], articles: [{ label: '제2조' }] });
    const [other] = readLabels('제9조');
    expect(other && findParts(korean, other)).toEqual({ found: [], articles: [] });
  });
});
