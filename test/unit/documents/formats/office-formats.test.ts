import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadContract } from '../../../../src/contracts/node/load-contract.ts';
import { loadDocx } from '../../../../src/documents/docx/load-docx.ts';
import { loadHtml } from '../../../../src/documents/html/load-html.ts';
import { loadHwpx } from '../../../../src/documents/hwpx/load-hwpx.ts';
import { loadDocument } from '../../../../src/documents/load-document.ts';
import { loadOdt } from '../../../../src/documents/odt/load-odt.ts';
import { loadRtf } from '../../../../src/documents/rtf/load-rtf.ts';
import { hangul, makeHwpx, makeOdt } from '../../../fixtures/make-documents.ts';
import { makeDocx, p } from '../../../fixtures/make-docx.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const odt = (body: string) => loadOdt({ name: 'a.odt', bytes: makeOdt(body) });
const hwpx = (...sections: string[]) => loadHwpx({ name: 'a.hwpx', bytes: makeHwpx(sections) });
const rtf = (source: string) => loadRtf({ name: 'a.rtf', bytes: new Uint8Array(Buffer.from(source, 'latin1')) });
const html = (source: string) => loadHtml({ name: 'a.html', bytes: bytesOf(source) }).text;
const accepted = [expect.stringContaining('read as accepted')];

describe('an OpenDocument text', () => {
  it('is a line for each paragraph, with blanks, tabs and breaks', () => {
    const { text } = odt(
      '<text:h>제1조 (목적)</text:h><text:p>하나<text:s text:c="3"/>둘<text:tab/>셋<text:line-break/>\n  넷 &amp; <text:span>다섯</text:span></text:p>',
    );
    expect(text).toBe('제1조 (목적)\n하나   둘\t셋\n 넷 & 다섯');
  });

  it('has a row of a table as a line with tabs, and no comments', () => {
    const cell = (inside: string): string => `<table:table-cell>${inside}</table:table-cell>`;
    const { text } = odt(
      `<table:table><table:table-row>${cell('<text:p>A</text:p>')}${cell('<text:p>B</text:p>')}</table:table-row></table:table><text:p>C<office:annotation><dc:creator>x</dc:creator><text:p>no</text:p></office:annotation></text:p>`,
    );
    expect(text).toBe('A\tB\nC');
  });

  it('has tracked changes accepted, and says so', () => {
    const region =
      '<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>';
    expect(odt(`${region}<text:p>stays</text:p>`)).toEqual({ text: 'stays', notices: accepted });
    expect(odt('<text:p>stays</text:p>').notices).toEqual([]);
  });
});

it('an RTF file has the numbers of its lists', () => {
  expect(rtf('{\\rtf1 {\\pntext 1.\\tab}{\\*\\pn\\pnlvlbody}old\\par{\\listtext 2.\\tab}new\\par}').text).toBe('1.\told\n2.\tnew\n');
});

describe('a Hangul document', () => {
  it('is a line for each paragraph, its sections in their order', () => {
    const sections = Array.from({ length: 11 }, (_, i) => hangul(`<hp:t>${i}</hp:t>`));
    expect(hwpx(...sections).text).toBe(sections.map((_, i) => i).join('\n'));
    expect(hwpx(hangul('<hp:t>제1조<hp:tab/>목적<hp:lineBreak/>글<hp:nbSpace/>끝</hp:t>')).text).toBe('제1조\t목적\n글 끝');
  });

  it('has a table behind the paragraph that it stands in', () => {
    const cell = (text: string): string => `<hp:tc><hp:subList>${hangul(`<hp:t>${text}</hp:t>`)}</hp:subList></hp:tc>`;
    const table = `<hp:tbl><hp:tr>${cell('가')}${cell('나')}</hp:tr><hp:tr>${cell('다')}${cell('라')}</hp:tr></hp:tbl>`;
    expect(hwpx(hangul(`<hp:t>표</hp:t>${table}`)).text).toBe('표\n가\t나\n다\t라');
  });

  it('has tracked changes accepted, and says so', () => {
    const { text, notices } = hwpx(
      hangul('<hp:t>남는다<hp:deleteBegin Id="1"/>간다<hp:deleteEnd Id="1"/><hp:insertBegin Id="2"/> 온다<hp:insertEnd Id="2"/></hp:t>'),
    );
    expect([text, notices]).toEqual(['남는다 온다', accepted]);
  });
});

describe('an RTF file', () => {
  it.each([
    ['{\\rtf1\\ansi Term\\par One year.\\par}', 'Term\nOne year.\n'],
    ["{\\rtf1\\ansi\\ansicpg949 \\'c1\\'a61\\'c1\\'b6\\par}", '제1조\n'],
    ['{\\rtf1\\uc1 \\u51228?1\\u51312?\\par}', '제1조\n'],
    ["{\\rtf1 caf\\'e9 \\ldblquote x\\rdblquote\\par}", 'café “x”\n'],
    ['{\\rtf1{\\fonttbl{\\f0 Arial;}}{\\*\\generator X;}{\\pict 0102}A{\\b B}\\{C\\}}', 'AB{C}'],
    ['{\\rtf1 A\\cell B\\cell\\row C}', 'A\tB\nC'],
    ['{\\rtf1{\\object{\\bin5 }}{}}}}A}', 'A'],
  ])('%s', (source, text) => {
    expect(rtf(source).text).toBe(text);
  });

  it('has tracked changes accepted, and says so', () => {
    expect(rtf('{\\rtf1 stays{\\deleted gone}{\\revised  comes}}')).toEqual({ text: 'stays comes', notices: accepted });
  });
});

describe('an HTML file', () => {
  it.each([
    ['<h1>Deal</h1><p>One &amp; two<br>three</p>', 'Deal\n\nOne & two\nthree'],
    ['<head><title>x</title></head><script>alert("<p>no</p>")</script><style>p{}</style><p>yes<!-- no --></p>', 'yes'],
    ['<table><tr><td>A</td><td>B</td></tr><tr><td>C</td><td>D</td></tr></table>', 'A\tB\nC\tD'],
    ['<p>&sect; 5 &#8220;x&#x201d; &unknown; 1 < 2</p>', '§ 5 “x” &unknown; 1 < 2'],
    ['<script>never closed', ''],
    ['<p>a <b', 'a'],
  ])('%s', (source, text) => {
    expect(html(source)).toBe(text);
  });

  it('is read in the encoding that it names', () => {
    const bytes = new Uint8Array([...bytesOf('<meta charset="iso-8859-1"><p>caf'), 0xe9]);
    expect(loadHtml({ name: 'a.html', bytes }).text).toBe('café');
  });
});

describe('a Word file with tracked changes', () => {
  it('has them accepted, and says so', async () => {
    const body =
      '<w:p><w:r><w:t>stays</w:t></w:r><w:ins w:id="1"><w:r><w:t> comes</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>';
    expect(await loadDocx({ name: 'a.docx', bytes: makeDocx({ body }) })).toEqual({ text: 'stays comes', notices: accepted });
    expect((await loadDocx({ name: 'a.docx', bytes: makeDocx({ body: p('stays') }) })).notices).toEqual([]);
  });
});

describe('hostile files', () => {
  const invalid = expect.objectContaining({ code: 'DOCUMENT_INVALID' });
  it.each<readonly [string, () => unknown]>([
    ['an archive that is cut', () => loadOdt({ name: 'a.odt', bytes: makeOdt('<text:p>x</text:p>').subarray(0, 90) })],
    ['no archive', () => loadHwpx({ name: 'a.hwpx', bytes: bytesOf('x') })],
    ['an archive of something else', () => loadHwpx({ name: 'a.hwpx', bytes: makeOdt('') })],
    ['XML that does not close', () => odt('<text:p>')],
    ['an entity of its own', () => hwpx('&boom;')],
    ['an encrypted archive', () => loadOdt({ name: 'a.odt', bytes: makeOdt('', { flags: 1 }) })],
    ['RTF that is cut', () => rtf('{\\rtf1 {\\b x')],
    ['RTF in too many groups', () => rtf(`{\\rtf1 ${'{'.repeat(20_000)}`)],
    ['RTF that is none', () => rtf('PK')],
  ])('are refused: %s', (_, read) => {
    expect(read).toThrow(invalid);
  });

  it('are refused when they would grow', () => {
    const large = expect.objectContaining({ code: 'FILE_TOO_LARGE' });
    expect(() => loadOdt({ name: 'a.odt', bytes: makeOdt('', { declaredSize: 2_000_000_000 }) })).toThrow(large);
  });

  it('may be deep or long', () => {
    expect(odt(`${'<text:section>'.repeat(20_000)}<text:p>x</text:p>${'</text:section>'.repeat(20_000)}`).text).toBe('x');
    expect(html('<div>'.repeat(100_000))).toBe('');
    expect(html('<'.repeat(100_000))).toHaveLength(100_000);
  });
});

describe('files by their ending', () => {
  it('are read as any other document, and notices are warnings of a contract', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'formats-'));
    const write = (name: string, bytes: Uint8Array | string): string => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    try {
      expect((await loadDocument(write('a.hwpx', makeHwpx([hangul('<hp:t>제1조(목적) 하나다.</hp:t>')])))).text).toBe(
        '제1조(목적) 하나다.',
      );
      expect((await loadDocument(write('a.html', '<p>x</p>'))).text).toBe('x');
      expect((await loadDocument(write('a.odt', makeOdt('<text:p>x</text:p>')))).text).toBe('x');
      const { warnings } = await loadContract(write('b.rtf', '{\\rtf1 Article 1. Term\\par A year.{\\deleted x}\\par}'));
      expect(warnings).toEqual([{ code: 'DOCUMENT_NOTICE', message: expect.stringContaining('read as accepted') }]);
      await expect(loadDocument(write('a.hwp', 'x'))).rejects.toMatchObject({
        code: 'DOCUMENT_INVALID',
        hint: expect.stringContaining('.hwpx'),
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
