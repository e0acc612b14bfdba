import { parseContract } from 'agent-machines/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const titles = [
  'Definitions',
  'Term and Termination',
  'Fees',
  'Governing Law',
  'Limitation of Liability',
  'Notices',
  'Assignment',
  'Confidentiality',
];
const koreanTitles = ['목적', '계약기간', '대금의 지급', '비밀유지', '손해배상', '분쟁의 해결', '통지', '권리의 양도'];
const sentences = [
  'The Supplier delivers the goods within thirty (30) days of each order.',
  'As provided in Section 3 above, the Customer pays what is due under Article 2 of this Agreement.',
  'This clause survives; so do Sections 4 and 5.',
  'Each party bears its own costs, unless Section 2 says otherwise.',
  'The fee is USD 1,000.50 for 12. Further work is paid by the hour.',
  'Deliveries are listed in Exhibit A and may change.',
  'Payment is due on March 1, 2026 at 10.30 a.m. in the manner of Section 6.2.',
];
const koreanSentences = [
  '갑은 을에게 매월 말일까지 대금을 지급한다.',
  '을은 제3조에 따라 자료를 제출하여야 한다.',
  '비용은 5조원을 넘지 아니한다.',
  '이 경우 제2조 및 제4조를 준용한다.',
];

const roman = (number: number): string => ['I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII'][number - 1] ?? '';
const wideRoman = (number: number): string => 'ⅠⅡⅢⅣⅤⅥⅦⅧ'.charAt(number - 1);

interface Style {
  readonly heading: (number: number, title: string) => string;
  readonly label: (number: number, title: string) => string;
  readonly title?: (title: string) => string;
  /** It can be told from the text in front of it and behind it where all stands in one line. */
  readonly inLine: boolean;
  readonly korean?: boolean;
}

const loud = (title: string): string => title.toUpperCase();
const article = (number: number): string => `Article ${number}`;
const styles: Readonly<Record<string, Style>> = {
  loudRoman: { heading: (number, title) => `ARTICLE ${roman(number)}. ${loud(title)}`, label: article, title: loud, inLine: true },
  romanAbove: { heading: (number, title) => `ARTICLE ${roman(number)}\n${loud(title)}`, label: article, title: loud, inLine: false },
  article: { heading: (number, title) => `Article ${number}. ${title}.`, label: article, inLine: true },
  dashes: { heading: (number, title) => `Section ${number} -- ${title}`, label: (number) => `Section ${number}`, inLine: false },
  loudNumber: { heading: (number, title) => `${number}. ${loud(title)}`, label: article, title: loud, inLine: true },
  blanks: { heading: (number, title) => `${number}.            ${loud(title)}`, label: article, title: loud, inLine: true },
  decimal: { heading: (number, title) => `${number}.0 ${title}`, label: article, inLine: false },
  runIn: { heading: (number, title) => `${number}. ${title}.`, label: article, inLine: true },
  bareRoman: { heading: (number, title) => `${roman(number)}. ${loud(title)}`, label: article, title: loud, inLine: true },
  markdown: { heading: (_, title) => `## ${title}`, label: (_, title) => title, inLine: false },
  capitals: { heading: (_, title) => loud(title), label: (_, title) => loud(title), title: loud, inLine: false },
  조: { heading: (number, title) => `${number}조 ${title}`, label: (number) => `제${number}조`, inLine: false, korean: true },
  로마자: { heading: (number, title) => `${wideRoman(number)}. ${title}`, label: wideRoman, inLine: false, korean: true },
  괄호: { heading: (number, title) => `${number}조(${title})`, label: (number) => `제${number}조`, inLine: false, korean: true },
};

type Layout = 'lines' | 'wrapped' | 'pages' | 'joined';

/** Breaks the lines of a text at 66 characters, as a PDF does. */
const wrap = (text: string): string => text.replace(/(.{1,66})(?: |$)/gm, '$1\n').replace(/\n{3,}/g, '\n\n');

function lay(blocks: readonly (readonly [string, readonly string[]])[], layout: Layout): string {
  if (layout === 'joined') return blocks.map(([heading, body]) => `${heading} ${body.join(' ')}`).join(' ');
  const texts = blocks.map(([heading, body]) => `${heading}\n\n${layout === 'wrapped' ? wrap(body.join(' ')) : body.join('\n')}`);
  if (layout !== 'pages') return texts.join('\n\n');
  return texts
    .map((text, i) => (i % 2 === 1 ? `${text}\n\n${i}\n\nACME – Master Services\n\nSource: ACME INC, 10-K, 3/31/2026\n\n` : text))
    .join('\n\n');
}

const contract = fc
  .record({
    style: fc.constantFrom(...Object.keys(styles)),
    layout: fc.constantFrom<Layout>('lines', 'wrapped', 'pages', 'joined'),
    order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 3 }),
    bodies: fc.array(fc.array(fc.nat(), { minLength: 2, maxLength: 4 }), { minLength: 8, maxLength: 8 }),
    preamble: fc.boolean(),
    signed: fc.boolean(),
  })
  .map(({ style: name, layout: wanted, order, bodies, preamble, signed }) => {
    const style = styles[name] ?? { heading: () => '', label: () => '', inLine: false };
    const layout = wanted === 'joined' && !style.inLine ? 'lines' : wanted;
    const [names, texts] = style.korean ? [koreanTitles, koreanSentences] : [titles, sentences];
    const articles = order.map((title, i) => ({ number: i + 1, title: names[title] ?? '', body: bodies[i] ?? [] }));
    const blocks = articles.map(
      ({ number, title, body }) => [style.heading(number, title), body.map((at) => texts[at % texts.length] ?? '')] as const,
    );
    const korean = style.korean === true;
    const above = preamble
      ? korean
        ? '업무 협약서\n\n갑과 을은 다음과 같이 합의한다.\n\n'
        : 'SERVICES AGREEMENT\n\nAcme and Beta agree as follows:\n\n'
      : '';
    const below = signed
      ? korean
        ? '\n\n2026년 1월 2일\n갑 (인)\n'
        : '\n\nIN WITNESS WHEREOF, the parties have signed.\n\nBy: ____\n'
      : '\n';
    return {
      text: above + lay(blocks, layout) + below,
      written: articles.map(({ number, title }) => `${style.label(number, title)} ${(style.title ?? String)(title)}`),
      signed,
    };
  });

/** Its last line is a number that was wrapped. */
const wrappedCitation = {
  text: [
    ...['1.            ASSIGNMENT', '2.            GOVERNING LAW', '3.            LIMITATION OF LIABILITY'].flatMap((heading) => [
      heading,
      '',
      'The Supplier delivers the goods within thirty (30) days of each\norder. The Supplier delivers the goods within thirty (30) days of\neach order.',
      '',
      '',
    ]),
    '4.            TERM AND TERMINATION\n\nPayment is due on March 1, 2026 at 10.30 a.m. in the manner of\nSection 6.2. Payment is due on March 1, 2026 at 10.30 a.m. in the',
    'manner of Section 6.2. This clause survives; so do Sections 4 and\n5.\n\n',
  ].join('\n'),
  written: ['Article 1 ASSIGNMENT', 'Article 2 GOVERNING LAW', 'Article 3 LIMITATION OF LIABILITY', 'Article 4 TERM AND TERMINATION'],
  signed: false,
};

describe('a contract in any way of numbering', () => {
  it('has its articles found in order, with their titles, wherever they stand in a line', () => {
    fc.assert(
      fc.property(contract, ({ text, written }) => {
        expect(parseContract({ name: 'a.txt', text }).articles.map(({ label, title }) => `${label} ${title}`)).toEqual(written);
      }),
      { numRuns: 600, examples: [[wrappedCitation]] },
    );
  });

  it('has each character in exactly one part, with the preamble first and the signatures last', () => {
    fc.assert(
      fc.property(contract, ({ text, signed }) => {
        const { parts } = parseContract({ name: 'a.txt', text });
        expect(parts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        expect(parts.some(({ part }) => part === 'signatures')).toBe(signed);
        for (const { part } of parts.slice(1, -1)) expect(part).toBe('body');
      }),
      { numRuns: 300 },
    );
  });
});
