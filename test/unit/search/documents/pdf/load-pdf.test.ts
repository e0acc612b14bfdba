import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadPdf } from '../../../../../src/search/documents/pdf/load-pdf.ts';
import { makePdf, type PdfText, utf16Hex } from '../../../../fixtures/make-pdf.ts';

const load = (bytes: Uint8Array, signal?: AbortSignal): Promise<string> =>
  loadPdf({ name: 'test.pdf', bytes, maxTextLength: 100_000, ...(signal ? { signal } : {}) });
const linesOf = async (...pages: readonly (readonly PdfText[])[]): Promise<string[]> => (await load(makePdf(pages))).split('\n');
const at = (y: number, text: string, x = 72): PdfText => ({ x, y, text });

describe('text of a PDF file', () => {
  it('has its lines by their position, in any order of the pieces', async () => {
    expect(await linesOf([at(700, 'third'), at(760, 'first'), at(720, 'two', 200), at(720.8, 'line')], [at(700, 'fourth')])).toEqual([
      'first',
      'line two',
      'third',
      'fourth',
    ]);
  });

  it('joins touching pieces, and separates others', async () => {
    const hangul = (x: number, text: string): PdfText => ({ x, y: 700, text: utf16Hex(text), font: 'unicode' });
    // ten points for a character
    expect(await linesOf([hangul(72, '제5조'), hangul(102, '의2'), hangul(126, '(목적)')])).toEqual(['제5조의2 (목적)']);
  });

  it('has the lines of a page that lies on its side', async () => {
    const lines = ['Article 1 (Purpose)', 'This is the first sentence.', 'And this the second one.'];
    for (const [angle, x, step] of [
      [90, 100, 15],
      [270, 500, -15],
    ] as const) {
      const texts = lines.map((text, index): PdfText => ({ x: x + index * step, y: angle === 90 ? 100 : 700, text, angle }));
      expect(await linesOf(texts)).toEqual(lines);
    }
  });

  it('has separate and whole lines under a watermark', async () => {
    const lines = Array.from({ length: 10 }, (_, index) => at(700 - index * 15, `line ${index + 1}`));
    const names = lines.map(({ text }) => text);
    expect(await linesOf([...lines, { x: 100, y: 500, text: 'DRAFT', size: 80, angle: 45 }])).toEqual(names);
    const found = await linesOf([...lines, { x: 300, y: 640, text: 'COPY', size: 80 }]);
    expect(found.map((line) => line.replace(' COPY', ''))).toEqual(names);
  });

  it('has the text of a skewed scan', async () => {
    expect((await linesOf([0, 1, 2].map((line): PdfText => ({ ...at(700 - line * 15, `line ${line}`), angle: 7 })))).join('\n')).toContain(
      'line 1',
    );
  });

  it('is read from a font with a ToUnicode map', async () => {
    expect(await linesOf([{ x: 72, y: 700, text: utf16Hex('제1조 (목적) 똠方'), font: 'unicode' }])).toEqual(['제1조 (목적) 똠方']);
  });

  it('is read from an old Korean font that is not embedded, with the extension of its code page', async () => {
    // CP949: 제3조 가 똠 樂 (a hanja with several codes)
    const codes = 'c1a633c1b620b0a1208c63' + '20d1e2';
    expect(await linesOf([{ x: 72, y: 700, text: codes, font: 'uhc' }])).toEqual(['제3조 가 똠 樂']);
  });

  it('is read from glyph numbers of the Korean character collection', async () => {
    expect(
      await linesOf([
        { x: 72, y: 700, text: [1086, 3435, 9333, 18154, 34].map((id) => id.toString(16).padStart(4, '0')).join(''), font: 'cid' },
      ]),
    ).toEqual(['가힝갂힣A']);
  });

  it('is refused if a font has an unknown character map', async () => {
    await expect(linesOf([{ x: 72, y: 700, text: '8abf', font: 'japanese' }])).rejects.toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: expect.stringContaining('90ms-RKSJ-H'),
    });
  });

  it('has a blank for the control character of a font', async () => {
    const text = utf16Hex('갑은\u0001을에게\u0001이\u0001값을\u0001준다');
    expect(await linesOf([{ x: 72, y: 700, text, font: 'unicode' }])).toEqual(['갑은 을에게 이 값을 준다']);
  });

  it('has a letter for the radical of a font', async () => {
    expect(await linesOf([{ x: 72, y: 700, text: utf16Hex('임차\u2f08(\u4eba)'), font: 'unicode' }])).toEqual(['임차人(人)']);
  });

  it.each([
    ['private characters', '\ue001\ue002\ue003a'],
    ['control characters', '\u0003\u0004\u0004\u0005a'],
  ])('is refused if a font has no characters: %s', async (_, text) => {
    await expect(linesOf([{ x: 72, y: 700, text: utf16Hex(text), font: 'unicode' }])).rejects.toMatchObject({
      message: expect.stringContaining('without a character map'),
    });
  });
});

describe('lines on every page', () => {
  const pages = (count: number, lines: (page: number) => PdfText[]): PdfText[][] => Array.from({ length: count }, (_, i) => lines(i + 1));

  it('are left out with page numbers, without loss of the body', async () => {
    const text = await linesOf(
      ...pages(4, (page) => [
        at(800, 'Standard Contract'),
        at(700, `Article ${page}`),
        at(680, 'the same on each page'),
        at(40, `- ${page} -`),
      ]),
    );
    expect(text).toEqual([1, 2, 3, 4].flatMap((page) => [`Article ${page}`, 'the same on each page']));
  });

  it.each([(n: number) => `${n}`, (n: number) => `${n + 6}`, (n: number) => `Lease 2026 v3 ${n} / 3`, (n: number) => `Page ${n} of 3`])(
    'are left out if they have page numbers',
    async (print) => {
      expect(await linesOf(...pages(3, (page) => [at(700, 'body'), at(30, print(page))]))).toEqual(['body', 'body', 'body']);
    },
  );

  it('stay if they are only similar', async () => {
    const kept = pages(3, (page) => [at(800, `Article ${page} Term`), at(780, `${page}. item`), at(30, `USD ${page * 1000}`)]);
    expect(await linesOf(...kept)).toEqual(kept.flat().map(({ text }) => text));
  });

  it('stay if they are on few pages', async () => {
    const kept = pages(6, (page) => [at(800, page < 3 ? 'Exhibit' : `text ${'abcdef'[page - 1]}`)]);
    expect(await linesOf(...kept)).toEqual(kept.flat().map(({ text }) => text));
  });

  it('are found by their form on a single page', async () => {
    expect(await linesOf([at(800, 'Title'), at(700, 'body'), at(30, '- 1 -')])).toEqual(['Title', 'body']);
    expect(await linesOf([at(700, 'body'), at(30, '12')])).toEqual(['body', '12']);
  });
});

describe('PDF files with problems', () => {
  it('are refused if they have only pictures', async () => {
    await expect(linesOf([], [])).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', message: expect.stringContaining('scanned') });
  });

  it('are refused if they are encrypted', async () => {
    const trailer =
      `/ID [<${'00'.repeat(16)}> <${'00'.repeat(16)}>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 ` +
      `/O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`;
    await expect(load(makePdf([[at(700, 'secret')]], { trailer }))).rejects.toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: '"test.pdf" is encrypted.',
    });
  });

  it.each([
    ['no PDF', Buffer.from('hello')],
    ['cut off', makePdf([[at(700, 'text')]]).subarray(0, 60)],
  ])('are refused as damaged: %s', async (_, bytes) => {
    await expect(load(bytes)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', message: '"test.pdf" is not a PDF file, or is damaged.' });
  });

  it('are refused if their text is too long', async () => {
    const page = Array.from({ length: 800 }, (_, line) => at(line + 1, 'x'.repeat(80)));
    const bytes = makePdf([page, page]);
    await expect(load(bytes)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it.each([1, 2])('are refused if a part packed %i times unpacks to too much', async (layers) => {
    let packed: Buffer = Buffer.alloc(130_000_000, ' ');
    for (let layer = 0; layer < layers; layer++) packed = deflateSync(packed, { level: 1 });
    const filters = Array(layers).fill('/FlateDecode').join(' ');
    const head = `%PDF-1.4\n1 0 obj\n<< /Length ${packed.length} /Filter [${filters}] >>\nstream\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream\nendobj\n')]);
    await expect(load(bytes)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE', message: expect.stringContaining('unpacks') });
  });

  it('are read if their text mentions streams', async () => {
    expect(await linesOf(Array.from({ length: 40 }, (_, line) => at(750 - line * 15, 'a stream')))).toHaveLength(40);
  });

  it('stop with the reason of an aborted signal, and do not transfer the bytes', async () => {
    const bytes = makePdf([[at(700, 'text')]]);
    const reason = new Error('enough');
    await expect(load(bytes, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(await load(bytes)).toBe('text');
    expect(bytes.length).toBeGreaterThan(0);
  });
});
