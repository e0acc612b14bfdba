import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseContract } from 'agent-machines/contracts';
import { loadContract } from 'agent-machines/contracts/node';
import { loadDocument } from 'agent-machines/documents';
import { describe, expect, it } from 'vitest';
import { loadHtml } from '../../../../../src/search/documents/html/load-html.ts';
import { loadHwpx } from '../../../../../src/search/documents/hwpx/load-hwpx.ts';
import { loadOdt } from '../../../../../src/search/documents/odt/load-odt.ts';
import { loadRtf } from '../../../../../src/search/documents/rtf/load-rtf.ts';
import { hangul, makeHwpx, makeOdt } from '../../../../fixtures/make-documents.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const odt = (body: string) => loadOdt({ name: 'a.odt', bytes: makeOdt(body) });
const hwpx = (...sections: string[]) => loadHwpx({ name: 'a.hwpx', bytes: makeHwpx(sections) });
const rtf = (source: string) => loadRtf({ name: 'a.rtf', bytes: new Uint8Array(Buffer.from(source, 'latin1')) });
const html = (source: string) => loadHtml({ name: 'a.html', bytes: bytesOf(source) }).text;
const accepted = [expect.stringContaining('read as accepted')];

describe('text of an OpenDocument file', () => {
  it('has a line for each paragraph, with blanks, tabs and breaks', () => {
    const { text } = odt(
      '<text:h>제1조 (목적)</text:h><text:p>하나<text:s text:c="3"/>둘<text:tab/>셋<text:line-break/>\n  넷 &amp; <text:span>다섯</text:span></text:p>',
    );
    expect(text).toBe('제1조 (목적)\n하나   둘\t셋\n 넷 & 다섯');
  });

  it('has a line with tabs for a table row, and no comments', () => {
    const cell = (inside: string): string => `<table:table-cell>${inside}</table:table-cell>`;
    const { text } = odt(
      `<table:table><table:table-row>${cell('<text:p>A</text:p>')}${cell('<text:p>B</text:p>')}</table:table-row></table:table><text:p>C<office:annotation><dc:creator>x</dc:creator><text:p>no</text:p></office:annotation></text:p>`,
    );
    expect(text).toBe('A\tB\nC');
  });

  it('includes only visible text', () => {
    const styles = '<style:style style:name="H" style:family="text"><style:text-properties text:display="none"/></style:style>';
    const body =
      '<text:p>a<text:span text:style-name="H">no</text:span><text:hidden-text text:is-hidden="true">no</text:hidden-text>b</text:p><text:section text:display="none"><text:p>no</text:p></text:section>';
    expect(loadOdt({ name: 'a.odt', bytes: makeOdt(body, {}, styles) }).text).toBe('ab');
  });

  it('has tracked changes accepted, with a notice', () => {
    const region =
      '<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>';
    expect(odt(`${region}<text:p>stays</text:p>`)).toEqual({ text: 'stays', notices: accepted });
    expect(odt('<text:p>stays</text:p>').notices).toEqual([]);
  });
});

describe('automatic numbers of an OpenDocument text', () => {
  const level = (at: number, format: string, text: string, more = ''): string =>
    `<text:list-level-style-number text:level="${at}" style:num-format="${format}" loext:num-list-format="${text}" ${more}/>`;
  const articles = level(1, '1', '제%1%조') + level(2, '①, ②, ③, ...', '%2%') + level(3, '가, 나, 다, ...', '%3%.');
  const sections = level(1, 'I', 'Article %1%.') + level(2, '1', '%1%.%2%') + level(3, 'a', '(%3%)') + level(4, '', '');
  const styles =
    `<style:style style:name="Body" style:family="paragraph" style:list-style-name="K"/>` +
    `<style:style style:name="Text" style:family="paragraph" style:parent-style-name="Body"/>` +
    `<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-prefix="제" style:num-suffix="장"/>` +
    `<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2" style:num-suffix="."/></text:outline-style>` +
    `<text:list-style style:name="K">${articles}</text:list-style><text:list-style style:name="E">${sections}</text:list-style>` +
    `<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="•"/></text:list-style>`;
  const item = (...inside: readonly string[]): string => `<text:list-item>${inside.join('')}</text:list-item>`;
  const list = (attributes: string, ...items: readonly string[]): string => `<text:list ${attributes}>${items.join('')}</text:list>`;
  const one = (text: string): string => `<text:p>${text}</text:p>`;
  const linesOf = (body: string) => loadOdt({ name: 'a.odt', bytes: makeOdt(body, {}, styles) }).text.split('\n');
  const korean = 'text:style-name="K"';

  it.each([
    [
      'one below another',
      list(korean, item(one('a'), list('', item(one('b')), item(one('c'), list('', item(one('d'))))))),
      '제1조 a|① b|② c|가. d',
    ],
    ['only before its first paragraph', list(korean, item(one('a'), one('b')), item(one('c'))), '제1조 a|b|제2조 c'],
    [
      'a list that goes on',
      list(korean, item(one('a'))) + one('x') + list(`${korean} text:continue-numbering="true"`, item(one('b'))),
      '제1조 a|x|제2조 b',
    ],
    ['a list that begins anew', list(korean, item(one('a'))) + list(korean, item(one('b'))), '제1조 a|제1조 b'],
    [
      'a list that goes on with a named one',
      list(`xml:id="l" ${korean}`, item(one('a'))) +
        list('text:style-name="E"', item(one('b'))) +
        list(`text:continue-list="l" ${korean}`, item(one('c'))),
      '제1조 a|Article I. b|제2조 c',
    ],
    [
      'numbers of all levels',
      list('text:style-name="E"', item(one('a'), list('', item(one('b'), list('', item(one('c'))))))),
      'Article I. a|I.1 b|(a) c',
    ],
    ['a level that nothing stands on', list('text:style-name="E"', item(list('', item(one('b'))))), 'I.1 b'],
    [
      'a number that is given',
      list(korean, '<text:list-item text:start-value="7"><text:p>a</text:p></text:list-item>', item(one('b'))),
      '제7조 a|제8조 b',
    ],
    [
      'another style of one item',
      list(korean, item(one('a')), '<text:list-item text:style-override="E"><text:p>b</text:p></text:list-item>'),
      '제1조 a|Article II. b',
    ],
    ['the header of a list', list(korean, '<text:list-header><text:p>h</text:p></text:list-header>', item(one('a'))), 'h|제1조 a'],
    ['bullets', list('text:style-name="B"', item(one('a'))), '- a'],
    ['the list of a paragraph style', list('', item('<text:p text:style-name="Text">a</text:p>')), '제1조 a'],
    ['a style that is not there', list('text:style-name="X"', item(one('a'))), 'a'],
    [
      'headings',
      '<text:h text:outline-level="1">a</text:h><text:h text:outline-level="2">b</text:h><text:h text:outline-level="1" text:is-list-header="true">c</text:h><text:h text:outline-level="1">d</text:h>',
      '제1장 a|1.1. b|c|제2장 d',
    ],
    [
      'a heading that begins anew',
      '<text:h text:outline-level="1" text:restart-numbering="true" text:start-value="5">a</text:h>',
      '제5장 a',
    ],
    ['what was printed last', '<text:p><text:number>9.</text:number>a</text:p>', 'a'],
    [
      'deleted items',
      `<text:tracked-changes><text:changed-region><text:deletion>${list(korean, item(one('x')))}</text:deletion></text:changed-region></text:tracked-changes>${list(korean, item(one('a')))}`,
      '제1조 a',
    ],
  ])('%s', (_, body, expected) => {
    expect(linesOf(body)).toEqual(expected.split('|'));
  });

  it('match those that LibreOffice prints', () => {
    const bytes = new Uint8Array(readFileSync(new URL('../../../../fixtures/libreoffice-numbers.odt', import.meta.url)));
    const printed =
      '용역계약서|제1조 (목적) 이 계약은 용역을 정한다.|① 갑은 용역을 맡긴다.|② 을은 용역을 한다.|가. 청소|나. 경비|사이에 낀 글|제2조 (대금) 대금은 백만원이다.|① 착수금|1. Term|1.1 Two years.|1.2 Renewal.|(a) in writing|between|2. Price|2.1 Ten dollars.|- dot|7. Seven|8. Styled heading';
    expect(loadOdt({ name: 'a.odt', bytes }).text.split('\n')).toEqual(printed.split('|'));
  });

  it('become the headings of a contract', async () => {
    const bytes = new Uint8Array(readFileSync(new URL('../../../../fixtures/libreoffice-numbers.odt', import.meta.url)));
    const { text } = loadOdt({ name: 'a.odt', bytes });
    expect(
      parseContract({ name: 'a.odt', text })
        .articles.slice(0, 2)
        .map(({ label, title }) => `${label} ${title}`),
    ).toEqual(['제1조 목적', '제2조 대금']);
  });
});

describe('automatic numbers of a Hangul document', () => {
  const head = (level: number, format: string, text: string, start = 1): string =>
    `<hh:paraHead start="${start}" level="${level}" numFormat="${format}">${text}</hh:paraHead>`;
  const paragraph = (id: number, type: string, numbering: number, level = 0): string =>
    `<hh:paraPr id="${id}"><hh:align/><hh:heading type="${type}" idRef="${numbering}" level="${level}"/></hh:paraPr>`;
  const header =
    `<hh:numberings><hh:numbering id="1" start="0">${head(1, 'DIGIT', '제^1조')}${head(2, 'CIRCLED_DIGIT', '^2')}${head(3, 'HANGUL_SYLLABLE', '^3.')}</hh:numbering>` +
    `<hh:numbering id="2" start="0">${head(1, 'ROMAN_CAPITAL', '^1.', 3)}${head(2, 'DIGIT', '^n')}${head(3, 'LATIN_SMALL', '^N')}${head(4, 'DIGIT', '')}</hh:numbering></hh:numberings>` +
    `<hh:paraProperties>${paragraph(0, 'NONE', 0)}${[0, 1, 2].map((level) => paragraph(1 + level, 'NUMBER', 1, level)).join('')}` +
    `${[0, 1, 2, 3].map((level) => paragraph(11 + level, 'NUMBER', 2, level)).join('')}${paragraph(20, 'OUTLINE', 0)}${paragraph(30, 'BULLET', 1)}${paragraph(40, 'NUMBER', 9)}</hh:paraProperties>`;
  const linesOf = (...paragraphs: readonly (readonly [id: number, text: string])[]) => {
    const section = paragraphs.map(([id, text]) => hangul(`<hp:t>${text}</hp:t>`, String(id))).join('');
    return loadHwpx({ name: 'a.hwpx', bytes: makeHwpx([section], {}, header) }).text.split('\n');
  };

  it('count at each level, and start again below another', () => {
    expect(linesOf([0, '계약'], [1, '(목적) 글'], [2, '가'], [2, '나'], [3, '다'], [0, '글'], [1, '(대금) 글'], [2, '라'])).toEqual(
      '계약|제1조 (목적) 글|① 가|② 나|가. 다|글|제2조 (대금) 글|① 라'.split('|'),
    );
  });

  it('start at the number of the level, include the levels above, and are empty without a label', () => {
    expect(linesOf([11, 'a'], [12, 'b'], [13, 'c'], [14, 'd'], [11, 'e'])).toEqual(['III. a', 'III.1 b', 'III.1.a. c', 'd', 'IV. e']);
  });

  it('are bullets for bullet lists, and empty for an unknown numbering', () => {
    expect(linesOf([30, 'a'], [40, 'b'], [77, 'c'])).toEqual(['- a', 'b', 'c']);
  });

  it('use the outline of the section', () => {
    const section = `<hp:p id="0" paraPrIDRef="20"><hp:run><hp:secPr id="" outlineShapeIDRef="1"/><hp:t>(목적) 글</hp:t></hp:run></hp:p>${hangul('<hp:t>(대금) 글</hp:t>', '20')}`;
    const { text } = loadHwpx({ name: 'a.hwpx', bytes: makeHwpx([section, hangul('<hp:t>(기간) 글</hp:t>', '20')], {}, header) });
    expect(text).toBe('제1조 (목적) 글\n제2조 (대금) 글\n제3조 (기간) 글');
    expect(parseContract({ name: 'a.hwpx', text }).articles.map(({ label }) => label)).toEqual(['제1조', '제2조', '제3조']);
  });
});

it('an RTF file has its list numbers in the text', () => {
  expect(rtf('{\\rtf1 {\\pntext 1.\\tab}{\\*\\pn\\pnlvlbody}old\\par{\\listtext 2.\\tab}new\\par}').text).toBe('1.\told\n2.\tnew\n');
});

describe('text of a Hangul document', () => {
  it('has a line for each paragraph, with sections in order', () => {
    const sections = Array.from({ length: 11 }, (_, i) => hangul(`<hp:t>${i}</hp:t>`));
    expect(hwpx(...sections).text).toBe(sections.map((_, i) => i).join('\n'));
    expect(hwpx(hangul('<hp:t>제1조<hp:tab/>목적<hp:lineBreak/>글<hp:nbSpace/>끝</hp:t>')).text).toBe('제1조\t목적\n글 끝');
  });

  it('has a table after its paragraph', () => {
    const cell = (text: string): string => `<hp:tc><hp:subList>${hangul(`<hp:t>${text}</hp:t>`)}</hp:subList></hp:tc>`;
    const table = `<hp:tbl><hp:tr>${cell('가')}${cell('나')}</hp:tr><hp:tr>${cell('다')}${cell('라')}</hp:tr></hp:tbl>`;
    expect(hwpx(hangul(`<hp:t>표</hp:t>${table}`)).text).toBe('표\n가\t나\n다\t라');
  });

  it('has tracked changes accepted, with a notice', () => {
    const { text, notices } = hwpx(
      hangul('<hp:t>남는다<hp:deleteBegin Id="1"/>간다<hp:deleteEnd Id="1"/><hp:insertBegin Id="2"/> 온다<hp:insertEnd Id="2"/></hp:t>'),
    );
    expect([text, notices]).toEqual(['남는다 온다', accepted]);
  });
});

describe('text of an RTF file', () => {
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

  it('has tracked changes accepted, with a notice', () => {
    expect(rtf('{\\rtf1 stays{\\deleted gone}{\\revised  comes}}')).toEqual({ text: 'stays comes', notices: accepted });
  });
});

describe('text of an HTML file', () => {
  it.each([
    ['<h1>Deal</h1><p>One &amp; two<br>three</p>', 'Deal\n\nOne & two\nthree'],
    ['<head><title>x</title></head><script>alert("<p>no</p>")</script><style>p{}</style><p>yes<!-- no --></p>', 'yes'],
    ['<table><tr><td>A</td><td>B</td></tr><tr><td>C</td><td>D</td></tr></table>', 'A\tB\nC\tD'],
    ['<p>&sect; 5 &#8220;x&#x201d; &unknown; 1 < 2</p>', '§ 5 “x” &unknown; 1 < 2'],
    ['<script>never closed', ''],
    ['<p>a <b', 'a'],
    ['<p title="a > b" lang=\'x>y\'>c</p>', 'c'],
    ["<p it's>a</p><p>b</p>", 'a\n\nb'],
    ['<img alt="never closed><p>x', ''],
    ['<p>a</p><div hidden>no<div>no</div>no</div><p>b</p>', 'a\n\nb'],
    ['a<span style="display: none">no</span><span style=\'visibility:hidden\'>no</span><i style="color:red;font-size:0px">no</i>b', 'ab'],
    ['a<i style="font-size:0.9em">b</i><b class="hidden">c</b><br hidden>d<p hiddenly>e</p>', 'abc\nd\ne'],
    ['<div hidden>never closed', ''],
    ['a<SPAN STYLE=display:none>no</SPAN>b', 'ab'],
    ['<head><title>no</title><body><p>yes</p>', 'yes'],
    ['<pre>a  \n  b</pre>', 'a\nb'],
  ])('%s', (source, text) => {
    expect(html(source)).toBe(text);
  });

  it('is decoded with the declared encoding', () => {
    const bytes = new Uint8Array([...bytesOf('<meta charset="iso-8859-1"><p>caf'), 0xe9]);
    expect(loadHtml({ name: 'a.html', bytes }).text).toBe('café');
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
    ['XML that is deeper than any', () => odt('<text:section>'.repeat(60_000))],
    ['HTML that is RTF', () => html('{\\rtf1 x}')],
    ['HTML that is PDF', () => html('%PDF-1.7 x')],
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
    expect(html('<b></b> '.repeat(200_000))).toBe('');
    expect(html(`a${'<p title="x>'.repeat(100_000)}`)).toMatch(/^a/);
    expect(html(`<pre>${' '.repeat(500_000)}a`)).toBe('a');
    expect(rtf(`{\\rtf1 ${'\\tab '.repeat(200_000)}a}`).text).toHaveLength(200_001);
    expect(rtf(`{\\rtf1 ${'{\\b x}'.repeat(300_000)}}`).text).toHaveLength(300_000);
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
