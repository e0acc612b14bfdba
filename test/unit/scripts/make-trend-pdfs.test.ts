import { readFileSync } from 'node:fs';
import { loadDocument } from 'agent-machines/documents';
import { describe, expect, it } from 'vitest';
import services from '../../../machines/guide-agent/examples/ai-services.json' with { type: 'json' };
import { pdfNameOf, trendPdf, trendSources } from '../../../scripts/make-trend-pdfs.ts';

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
const names: ReadonlySet<string> = new Set(services.map(({ name }) => name));

describe.each(trendSources)('%s', (source) => {
  const markdown = readFileSync(source, 'utf8');
  const pdf = readFileSync(pdfNameOf(source));

  it('is the source of its PDF', () => {
    expect(pdf.equals(trendPdf(markdown))).toBe(true);
  });

  it('is read from its PDF word by word', async () => {
    const { text } = await loadDocument(pdfNameOf(source));
    expect(wordsOf(text)).toEqual(wordsOf(markdown.replace(/^#+ |\*\*/gm, '')));
  });

  it('names only services of the catalogue', () => {
    const named = [...markdown.matchAll(/\*\*(.+?)\*\*/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has a PDF of two pages that is smaller than 60 kB', () => {
    expect(pdf.toString('latin1').match(/\/Type \/Page /g)).toHaveLength(2);
    expect(pdf.length).toBeLessThan(60_000);
  });
});

describe('a PDF of trends', () => {
  it('continues on the next page, in order', async () => {
    const words = Array.from({ length: 900 }, (_, number) => `가나다${number}`);
    const pdf = Buffer.from(trendPdf(`# 긴 글\n\n${words.join(' ')}\n`)).toString('latin1');
    expect(pdf.match(/\/Type \/Page /g)?.length).toBeGreaterThan(2);
    expect([...pdf.matchAll(/\((\d+) ?\) Tj/g)].map(([, number]) => Number(number))).toEqual(words.map((_, number) => number));
  });

  it('rejects letters without a glyph in its fonts', () => {
    expect(() => trendPdf('# 제목\n\n값은 20€이다.\n')).toThrow('"€" is neither Hangul nor ASCII');
  });
});
