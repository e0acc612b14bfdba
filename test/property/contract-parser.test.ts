import { parseContract, printContract } from 'agent-machines/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { share } from '../fixtures/share.ts';

interface Written {
  readonly id: string;
  readonly title: string;
  readonly deleted: boolean;
}

const titles = [
  '목적',
  '계약기간',
  '대금의 지급',
  '협의',
  '해제 및 해지',
  '비밀유지의무',
  '「민법」의 준용(특례)',
  '손해배상',
  '권리ㆍ의무의 승계',
  '결과',
];

/** Lines that look like headings and are none, and others that a reader could stumble over. */
const noise = [
  '제3조에 따른 금액은 다음 달에 지급한다.',
  '제5조, 제7조 및 제9조에 따라 지급한다.',
  '제4조제2항의 경우에는 그러하지 아니하다.',
  '제8조(목적)의 규정에 따라 처리한다.',
  '제2조를 위반한 경우에는 책임을 진다.',
  '제6조부터 제8조까지의 규정을 준용한다.',
  '제3조 및 제5조는 계약이 끝나도 남는다.',
  '「민법」 제575조를 준용한다.',
  '별지 1에 따라 제출한다.',
  '부칙 제1조에 따라 적용한다.',
  '제2장에서 정한 바에 따른다.',
  '1. 첫째 서류이다.',
  '가. 둘째 서류이다.',
  '① 갑은 을에게 알린다.',
  '- 12 -',
  '3 / 24',
  '삭제된 자료는 되살리지 아니한다.',
  '| 제5조 | 대금 |',
  '',
  '\t들여 쓴 줄이다.  ',
  '「전자문서법」에 따른 문서이다. <개정 2020.1.1>',
];

const sentence = fc.constantFrom('갑과 을은 서로 협력한다.', '을은 매월 보고한다.', '비용은 갑이 부담한다.', '기간은 두 해로 한다.');
const lines = fc.array(fc.oneof(sentence, fc.constantFrom(...noise)), { maxLength: 5 });

type Style = (label: string, title: string, first: string) => string;
const styles: Readonly<Record<string, Style>> = {
  round: (label, title, first) => `${label}(${title}) ${first}`,
  roundBelow: (label, title, first) => `${label} (${title})\n${first}`,
  square: (label, title, first) => `${label} [${title}] ${first}`,
  lenticular: (label, title, first) => `${label}【${title}】\n${first}`,
  bold: (label, title, first) => `**${label} (${title})**\n\n${first}`,
  hashes: (label, title, first) => `##### ${label} (${title})\n\n${first}`,
  bare: (label, title, first) => `\n${label} ${title}\n${first}`,
  wide: (label, title, first) =>
    `${label.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))}（${title}）　${first}`,
  spaced: (label, title, first) => `${label.replace('제', '제 ').replace('조', ' 조')} (${title})\n\n${first}`,
};

/** A contract, and what was written into it. */
const contract = fc
  .record({
    style: fc.constantFrom(...Object.keys(styles)),
    preamble: fc.constantFrom('', '# 용역 계약서\n\n', '용역 계약서\n\n갑과 을은 다음과 같이 계약을 체결한다.\n\n'),
    body: fc.array(
      fc.record({
        title: fc.constantFrom(...titles),
        first: sentence,
        more: lines,
        branch: fc.integer({ min: 0, max: 8 }),
        deleted: fc.integer({ min: 0, max: 9 }),
        chapter: fc.integer({ min: 0, max: 4 }),
      }),
      { minLength: 3, maxLength: 14 },
    ),
    addenda: fc.array(fc.array(sentence, { maxLength: 3 }), { maxLength: 2 }),
    exhibits: fc.integer({ min: 0, max: 2 }),
    contents: fc.boolean(),
  })
  .map(({ style, preamble, body, addenda, exhibits, contents }) => {
    const write = styles[style] ?? styles.round;
    const written: Written[] = [];
    const parts: string[] = [];
    const entries: string[] = [];
    let number = 0;
    let branch = 1;
    let chapter = 0;
    for (const one of body) {
      const isBranch = number > 0 && one.branch === 0;
      if (!isBranch && one.chapter === 0) {
        parts.push(`${style === 'hashes' ? '## ' : ''}제${++chapter}장 ${one.title}`);
      }
      branch = isBranch ? branch + 1 : 1;
      if (!isBranch) number++;
      const label = isBranch ? `제${number}조의${branch}` : `제${number}조`;
      const deleted = one.deleted === 0;
      if (deleted) parts.push(`${style === 'hashes' ? '##### ' : ''}${label}${style === 'hashes' ? '\n\n' : ' '}삭제 <2020. 1. 1.>`);
      else parts.push([write?.(label, one.title, one.first), ...one.more].join('\n'));
      entries.push(`${label} (${one.title})`);
      written.push({ id: `body/${label}`, title: deleted ? '' : one.title, deleted });
    }
    const seen = new Map<string, number>();
    for (const sentences of addenda) {
      parts.push(`부칙 <제${seen.size}호>`);
      if (sentences.length === 0) continue;
      sentences.forEach((text, i) => {
        const label = `제${i + 1}조`;
        parts.push(`${label}(시행일) ${text}`);
        const count = (seen.get(label) ?? 0) + 1;
        seen.set(label, count);
        written.push({ id: `addenda/${label}${count === 1 ? '' : `#${count}`}`, title: '시행일', deleted: false });
      });
    }
    for (let i = 1; i <= exhibits; i++) {
      parts.push(`[별지 ${i}] 서식\n적는다.`);
      written.push({ id: `exhibit/별지 ${i}`, title: '서식', deleted: false });
    }
    const table = contents ? `목차\n${entries.map((entry, i) => `${entry} ······ ${i + 1}`).join('\n')}\n\n` : '';
    return { text: `${preamble}${table}${parts.join('\n')}\n`, written };
  });

/** Each character belongs to exactly one part, in order, and so does each paragraph and item to what it stands in. */
function expectWhole(written: string): void {
  const { text, parts, articles, structure } = parseContract({ name: 'a.md', text: written });
  let at = 0;
  for (const { start, end } of parts) {
    expect(start).toBe(at);
    expect(end).toBeGreaterThan(start);
    at = end;
  }
  expect(at).toBe(text.length);
  expect(new Set(parts.map(({ id }) => id)).size).toBe(parts.length);
  expect(parts.filter(({ part }) => ['body', 'addenda', 'exhibit'].includes(part))).toEqual(articles);
  expect(structure).toBe(articles.length > 0 ? 'articles' : 'paragraphs');
  for (const article of parts) {
    expect(text.slice(article.start, article.end)).toContain(article.text);
    expect(text.slice(article.start, article.end)).toContain(article.written);
    if (structure === 'paragraphs') expect(article.end - article.start).toBeLessThanOrEqual(1_000);
    if (article.parentId !== undefined) expect(parts.map(({ id }) => id)).toContain(article.parentId);
    for (const { start, end, items, text: own, label } of article.paragraphs) {
      expect(article.text.slice(start, end)).toContain(own);
      for (const item of items) expect([item.start > start, item.end <= end, label !== '']).toEqual([true, true, true]);
    }
  }
}

describe('a contract of any style', () => {
  it('has every heading found exactly once, and none invented', () => {
    fc.assert(
      fc.property(contract, ({ text, written }) => {
        const { articles } = parseContract({ name: 'a.md', text });
        expect(articles.map(({ id, title, deleted }) => ({ id, title, deleted }))).toEqual(written);
      }),
      { numRuns: share(300) },
    );
  });

  it('loses no character: text outside an article is a heading or precedes the first one', () => {
    fc.assert(
      fc.property(contract, ({ text }) => {
        const { articles, chapters, text: whole } = parseContract({ name: 'a.md', text });
        expectWhole(text);
        let end = articles[0]?.start ?? 0;
        for (const article of articles) {
          expect(article.start).toBeGreaterThanOrEqual(end);
          for (const line of whole.slice(end, article.start).split('\n')) expect(line).toMatch(/^\s*$|^(?:## )?제\d+장 |^부칙/);
          expect(whole.slice(article.start, article.end)).toContain(article.text);
          expect(article.end).toBeGreaterThan(article.start);
          end = article.end;
        }
        for (const line of whole.slice(end).split('\n')) expect(line).toMatch(/^\s*$|^부칙/);
        for (const { start, label } of chapters) expect(whole.slice(start, start + 12)).toContain(label);
      }),
      { numRuns: share(300) },
    );
  });

  it('is unchanged after printing and parsing', () => {
    fc.assert(
      fc.property(contract, ({ text }) => {
        const first = parseContract({ name: 'a.md', text });
        const printed = printContract(first);
        const second = parseContract({ name: 'a.md', text: printed });
        const keep = (document: typeof first) =>
          document.articles.map(({ id, part, label, title, text: body, deleted, chapter }) => ({
            id,
            part,
            label,
            title,
            body,
            deleted,
            chapter,
          }));
        expect(keep(second)).toEqual(keep(first));
        expect(printContract(second)).toBe(printed);
      }),
      { numRuns: share(300) },
    );
  });
});

const korean = fc.constantFrom(
  ...noise,
  '제1조',
  '제1조(가',
  '부칙',
  '별지',
  '##',
  '제',
  '제1조의',
  '[제2조',
  '**',
  '---',
  '제1장',
  '제9조(끝)',
  '제2조 삭제',
  '(목적)',
  '제3조 (대금)',
  '제1조의2 이자',
);
const english = fc.constantFrom(
  'Article 1',
  'ARTICLE I',
  'Article 2. Term',
  'Section 2.1 Fees. They are due.',
  'TERM',
  'Exhibit A',
  'as in\nSection 5',
  '(a) one',
  '2.1 two',
  '',
  'Part I',
  'Article 7. [Deleted]',
  'Schedule 1 – Prices',
  'Article 4 shall survive.',
);
const fragments = fc
  .oneof(fc.uniqueArray(korean, { maxLength: 30 }), fc.uniqueArray(english, { maxLength: 15 }))
  .map((all) => all.join('\n'));
const marked = fc.constantFrom('## 제4조', '## Article 3', '# 제1장 총칙', '- 제5조 (기간)');
const anyText = fc.array(fc.oneof(fc.string({ maxLength: 30 }), korean, english, marked), { maxLength: 40 }).map((all) => all.join('\n'));

/** Were printed in another form each time. */
const printedOtherwise: [string][] = [
  ['Article 1\n2.1 two\nArticle 2. Term\nExhibit A\nas in\nSection 5'],
  ['Article 1\n2.1 two\nas in\nARTICLE I\nArticle 4 shall survive.\nArticle 2. Term'],
  ['부칙\n제2조 삭제\n별지\n제1조\n(목적)'],
  ['Schedule 1 – Prices\nARTICLE I\nArticle 1\n(a) one\nArticle 2. Term\nas in\nSection 5'],
];

describe('any text', () => {
  it('is parsed into disjoint, ordered, uniquely named articles', () => {
    fc.assert(
      fc.property(anyText, (any) => {
        const { articles, text, chapters } = parseContract({ name: 'a.md', text: any });
        expect(new Set(articles.map(({ id }) => id)).size).toBe(articles.length);
        let end = 0;
        for (const article of articles) {
          expect(article.start).toBeGreaterThanOrEqual(end);
          expect(article.end).toBeGreaterThan(article.start);
          expect(text.slice(article.start, article.end)).toContain(article.text);
          for (const { start, text: words } of article.references)
            expect(article.text.slice(start).trimStart().startsWith(words)).toBe(true);
          end = article.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
        expectWhole(any);
        expect(chapters.every(({ start }) => start <= text.length)).toBe(true);
      }),
      { numRuns: share(1_000) },
    );
  });

  it('has a stable printed form', () => {
    fc.assert(
      fc.property(fragments, (any) => {
        const once = printContract(parseContract({ name: 'a.md', text: any }));
        const twice = printContract(parseContract({ name: 'a.md', text: once }));
        expect(twice).toBe(once);
      }),
      { numRuns: share(1_000), examples: printedOtherwise },
    );
  });
});
