// Makes the guide agent's PDFs of trends from the Markdown beside them; with --check it only says whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { koreanCMap } from '../src/search/documents/pdf/korean-cmaps.ts';

/** The sources, relative to the root of the repository; each PDF has the name of its own. */
export const trendSources = ['video', 'work'].map((name) => `machines/guide-agent/examples/trends-${name}-2026.md`);

export const pdfNameOf = (source: string): string => source.replace(/\.md$/, '.pdf');

// in points: A4
const sheet = { width: 595, height: 842, margin: 64, foot: 40 };

interface Style {
  readonly size: number;
  readonly indent: number;
  readonly above: number;
}

const title: Style = { size: 19, indent: 0, above: 0 };
const heading: Style = { size: 13.5, indent: 0, above: 18 };
const body: Style = { size: 11, indent: 0, above: 8 };
const item: Style = { size: 11, indent: 10, above: 4 };

interface Line {
  readonly text: string;
  readonly size: number;
  readonly x: number;
  readonly y: number;
}

/**
 * A PDF of a Markdown text in Hangul and ASCII, with its headings, paragraphs (a line each) and `-` lists; `**` is left out.
 * No font is embedded: a viewer takes a Korean font of its own. The same text always gives the same bytes.
 */
export function trendPdf(markdown: string): Uint8Array {
  const [other] = markdown.match(/[^\n\x20-\x7e가-힣]/u) ?? [];
  if (other !== undefined) throw new Error(`"${other}" is neither Hangul nor ASCII, so the fonts lack it.`);
  const blocks = markdown
    .replaceAll('**', '')
    .split('\n')
    .filter((line) => line !== '');
  const used = [...new Set(markdown.match(/[가-힣]/g) ?? [])].sort();
  const name = blocks.find((block) => block.startsWith('# '))?.slice(2) ?? '';
  return written(layOut(blocks), used, name);
}

function layOut(blocks: readonly string[]): Line[][] {
  const pages: Line[][] = [[]];
  let y = sheet.height - sheet.margin;
  for (const block of blocks) {
    const { style, text } = styled(block);
    const lines = wrapped(text, (sheet.width - 2 * sheet.margin - style.indent) / style.size);
    const height = style.size * 1.55;
    // a heading does not stand alone at the foot of a page
    const needed = style === heading ? 4 * height : height;
    y -= style.above;
    for (const [index, line] of lines.entries()) {
      if (y - needed < sheet.margin) {
        pages.push([]);
        y = sheet.height - sheet.margin;
      }
      y -= height;
      const hanging = style === item && index > 0 ? style.size * 0.62 : 0;
      pages.at(-1)?.push({ text: line, size: style.size, x: sheet.margin + style.indent + hanging, y });
    }
  }
  return pages;
}

function styled(block: string): { readonly style: Style; readonly text: string } {
  if (block.startsWith('# ')) return { style: title, text: block.slice(2) };
  if (block.startsWith('## ')) return { style: heading, text: block.slice(3) };
  return { style: block.startsWith('- ') ? item : body, text: block };
}

/** Lines of at most `width` ems, broken between words only: a word cut in two would not be found. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && emsOf(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** A little more than the text takes; letters of Latin are as wide as their mean. */
const emsOf = (text: string): number => [...text].reduce((sum, letter) => sum + (letter >= '가' ? 1 : letter === ' ' ? 0.28 : 0.56), 0);

/** The numbers that glyphs have in every Korean font of Adobe's order. */
const glyphs = new Map(
  [...(koreanCMap('UniKS-UTF16-H') ?? '').matchAll(/^<(\w{4})> (\d+)$/gm)].map(([, code = '', id]) => [
    String.fromCharCode(Number.parseInt(code, 16)),
    hex(Number(id)),
  ]),
);

function hex(number: number): string {
  return number.toString(16).padStart(4, '0');
}

const utf16 = (text: string): string => Array.from({ length: text.length }, (_, at) => hex(text.charCodeAt(at))).join('');

function glyphOf(letter: string): string {
  const id = glyphs.get(letter);
  if (id === undefined) throw new Error(`"${letter}" has no glyph in a Korean font.`);
  return id;
}

/** Hangul by the numbers of its glyphs, everything else in Helvetica. */
function shown({ text, size, x, y }: Line): string {
  const runs = (text.match(/[가-힣]+|[^가-힣]+/g) ?? []).map((run) =>
    run >= '가' ? `/K ${size} Tf <${[...run].map(glyphOf).join('')}> Tj` : `/L ${size} Tf (${run.replace(/[()\\]/g, '\\$&')}) Tj`,
  );
  return `BT ${points(x)} ${points(y)} Td\n${runs.join('\n')}\nET`;
}

const points = (length: number): string => String(Number(length.toFixed(2)));

/** What the glyphs mean, so that text can be copied and searched where no table of Korean fonts is installed. */
function toUnicode(letters: readonly string[]): string {
  const parts: string[] = [];
  for (let at = 0; at < letters.length; at += 100) {
    const part = letters.slice(at, at + 100);
    parts.push(`${part.length} beginbfchar\n${part.map((letter) => `<${glyphOf(letter)}> <${utf16(letter)}>`).join('\n')}\nendbfchar`);
  }
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def /CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <0000> <ffff> endcodespacerange
${parts.join('\n')}
endcmap CMapName currentdict /CMap defineresource pop end end`;
}

function written(pages: readonly (readonly Line[])[], used: readonly string[], name: string): Uint8Array {
  const firstPage = 8;
  const pageIds = pages.map((_, index) => firstPage + 2 * index);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (ko) /ViewerPreferences << /DisplayDocTitle true >> >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] >>`,
    `<< /Title <feff${utf16(name)}> >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    '<< /Type /Font /Subtype /Type0 /BaseFont /HYGoThic-Medium-Identity-H /Encoding /Identity-H /ToUnicode 7 0 R /DescendantFonts [6 0 R] >>',
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /HYGoThic-Medium /DW 1000 ' +
      '/CIDSystemInfo << /Registry (Adobe) /Ordering (Korea1) /Supplement 1 >> /FontDescriptor << /Type /FontDescriptor ' +
      '/FontName /HYGoThic-Medium /Flags 4 /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 720 /StemV 80 /FontBBox [-6 -145 1003 880] >> >>',
    stream(toUnicode(used)),
  ];
  for (const [index, lines] of pages.entries()) {
    const number: Line = { text: `${index + 1} / ${pages.length}`, size: 9, x: sheet.width / 2 - 10, y: sheet.foot };
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${sheet.width} ${sheet.height}] ` +
        `/Resources << /Font << /L 4 0 R /K 5 0 R >> >> /Contents ${firstPage + 2 * index + 1} 0 R >>`,
      stream([...lines, number].map(shown).join('\n')),
    );
  }
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const places = objects.map((object, index) => {
    const place = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 3 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

// not compressed: the bytes would depend on the version of zlib
const stream = (text: string): string => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;

if (import.meta.main) {
  const stale = trendSources.filter((source) => {
    const made = trendPdf(readFileSync(source, 'utf8'));
    const isCheck = process.argv.includes('--check');
    if (!isCheck) writeFileSync(pdfNameOf(source), made);
    return isCheck && !readFileSync(pdfNameOf(source)).equals(made);
  });
  if (stale.length > 0) {
    console.error(`Older than their sources: ${stale.map(pdfNameOf).join(', ')}. Run: node scripts/make-trend-pdfs.ts`);
    process.exitCode = 1;
  }
}
