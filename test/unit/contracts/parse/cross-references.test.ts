import { parseContract } from 'agent-machines/contracts';
import { describe, expect, it } from 'vitest';

const frame = (text: string): string =>
  [
    '제1조(목적) 하나다.',
    '제2조(뜻) 둘이다.',
    '제3조(대금) 셋이다.',
    '제3조의2(이자) 셋의 둘이다.',
    '제4조(기간) 넷이다.',
    `제5조(해지) ${text}`,
    '별지 1 (일정)',
    '일정이다.',
    '부칙',
    '제1조(시행일) 오늘부터다.',
    '제2조(경과조치) 제3조는 부칙 제1조의 날부터 쓴다.',
  ].join('\n');

const cited = (text: string, id = 'body/제5조'): string[] => {
  const { articles } = parseContract({ name: 'sample.md', text: frame(text) });
  const article = articles.find((one) => one.id === id);
  for (const { start, text: words } of article?.references ?? [])
    expect(article?.text.slice(start)).toMatch(new RegExp(`^${words.slice(0, 2)}`));
  return (article?.references ?? []).map(({ document, articleId, label, paragraph = '' }) =>
    `${document ?? articleId ?? `${label} (gone)`} ${paragraph}`.trim(),
  );
};

describe('citations', () => {
  it.each([
    ['제3조에 따라 지급한다.', ['body/제3조']],
    ['제3조 제2항과 제3조제1항제2호를 본다.', ['body/제3조 제2항', 'body/제3조 제1항']],
    ['제3조의2에 따른 이자', ['body/제3조의2']],
    ['제3조의 2년 동안', ['body/제3조']],
    ['제1조, 제2조 및 제4조를 따른다.', ['body/제1조', 'body/제2조', 'body/제4조']],
    ['제2조부터 제4조까지를 따른다.', ['body/제2조', 'body/제3조', 'body/제3조의2', 'body/제4조']],
    ['제2조 내지 제4조', ['body/제2조', 'body/제3조', 'body/제3조의2', 'body/제4조']],
    ['제２조 ~ 제3조', ['body/제2조', 'body/제3조']],
    ['전조의 기간', ['body/제4조']],
    ['제3조 제1항의 대금은 동조 제2항의 날에 지급한다.', ['body/제3조 제1항', 'body/제3조 제2항']],
    ['제3조에 따르되 같은 조 제2항은 예외다.', ['body/제3조', 'body/제3조 제2항']],
    ['이 조에서 정한 바', ['body/제5조']],
    ['이 조건, 같은 조건, 노동조합과 전조등', []],
    ['별지 1에 따른다.', ['exhibit/별지 1']],
    ['별지와 같다.', ['exhibit/별지 1']],
    ['별표와 같다.', []],
    ['별표 3과 같다.', ['별표 3 (gone)']],
    ['「민법」 제575조에 따른다.', ['민법']],
    ['「민법」 제575조제1항ㆍ제3항 및 같은 법 제578조', ['민법 제1항', '민법']],
    ['「민법」 제3조, 제5조 및 제7조', ['민법', '민법', '민법']],
    ['민법 제3조와 하도급거래 공정화에 관한 법률 시행령 제4조', ['민법', '법률 시행령']],
    ['「민법」 제3조에 따르되, 이 계약 제3조는 따르지 않는다.', ['민법', 'body/제3조']],
    ['「민법」에 따른다. 제3조도 따른다.', ['body/제3조']],
    ['이런 방법 제3조에 따른다.', ['body/제3조']],
    ['제44조에 따라 지급한다.', ['제44조 (gone)']],
    ['부칙 제2조에 따른다.', ['addenda/제2조']],
  ])('resolve %j', (text, expected) => {
    expect(cited(text)).toEqual(expected);
  });

  it('mean the body in the addenda, unless they say 부칙', () => {
    expect(cited('다섯이다.', 'addenda/제2조')).toEqual(['body/제3조', 'addenda/제1조']);
  });

  it('are reported once per article if their target does not exist', () => {
    const { warnings } = parseContract({ name: 'sample.md', text: frame('제44조와 제44조를 본다.') });
    expect(warnings).toEqual([{ code: 'REFERENCE_BROKEN', message: '제5조 cites 제44조, which does not exist.', articleId: 'body/제5조' }]);
  });

  it('are found in English', () => {
    const text =
      'Article 1. Term\n1.1 One year.\n1.2 It ends.\nArticle 2. Fees\nAs in Articles 1, 3 and 4, Section 1.2, Article 3(b), Exhibit A and Article 17 of the Civil Code.\nArticle 3. Law\nNone.\nArticle 4. Notices\nSee Articles 1 to 3 within 30 days.\nExhibit A – Fees\nTen.\n';
    const { articles, warnings } = parseContract({ name: 'a.md', text });
    const words = articles.map(({ references }) =>
      references.map(({ document, label, paragraph = '' }) => `${document ?? label} ${paragraph}`.trim()),
    );
    expect(words).toEqual([
      [],
      ['Article 1', 'Article 3', 'Article 4', 'Article 1 1.2', 'Article 3 (b)', 'Exhibit A', 'Civil Code'],
      [],
      ['Article 1', 'Article 2', 'Article 3'],
      [],
    ]);
    expect(warnings).toEqual([]);
  });
});
