import { describe, expect, it } from 'vitest';
import { loadDocx } from '../../../../../src/search/documents/docx/load-docx.ts';
import { type DocxParts, level, makeDocx, makeZip, numbered, p } from '../../../../fixtures/make-docx.ts';

const load = async (bytes: Uint8Array): Promise<string> => (await loadDocx({ name: 'test.docx', bytes })).text;
const linesOf = async (parts: DocxParts): Promise<string[]> => (await load(makeDocx(parts))).split('\n');

const list = (id: number, scheme: number, rest = ''): string =>
  `<w:num w:numId="${id}"><w:abstractNumId w:val="${scheme}"/>${rest}</w:num>`;
const scheme = (id: number, levels: string): string => `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
const table = (...rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;

describe('text of a Word file', () => {
  it('has a line for each paragraph, with breaks, tabs and signs', async () => {
    const body = `${p('표준 계약서')}${p('')}<w:p><w:r><w:t>가 &lt;나&gt;</w:t><w:br/><w:t>다</w:t><w:tab/><w:t>라</w:t></w:r></w:p>`;
    expect(await linesOf({ body })).toEqual(['표준 계약서', '', '가 <나>', '다\t라']);
  });

  it('includes fields, but not text deleted in tracked changes', async () => {
    const body =
      '<w:p><w:fldSimple w:instr="MERGEFIELD name"><w:r><w:t>홍길동</w:t></w:r></w:fldSimple>' +
      '<w:ins><w:r><w:t>(갑)</w:t></w:r></w:ins><w:del><w:r><w:delText>(을)</w:delText></w:r></w:del></w:p>';
    expect(await linesOf({ body })).toEqual(['홍길동(갑)']);
  });

  it('has a line for a row of single cells, and lines for cells with several paragraphs', async () => {
    const body =
      table([p('보증금'), p('10,000,000원')], [p('월세'), p('')]) +
      table([p('제1조 (목적)') + p('이 계약은 …'), p('제2조 (기간)')]) +
      p('끝');
    expect(await linesOf({ body })).toEqual(['보증금\t10,000,000원', '월세', '제1조 (목적)', '이 계약은 …', '제2조 (기간)', '끝']);
  });

  it('includes a table inside a table', async () => {
    expect(await linesOf({ body: table([table([p('가'), p('나')]) + p('다')]) })).toEqual(['가\t나', '다']);
  });

  it('has a note below the paragraph that refers to it', async () => {
    const reference = '<w:r><w:footnoteReference w:id="2"/></w:r>';
    const footnotes = `<w:footnote w:id="2">${p(' 지연이자는 연 5%')}</w:footnote><w:footnote w:id="3">${p('둘')}</w:footnote>`;
    const body = `<w:p><w:r><w:t>이자를 낸다</w:t></w:r>${reference}<w:r><w:t>.</w:t></w:r>${reference.replace('2', '3')}</w:p>${p('다음')}`;
    expect(await linesOf({ body, footnotes })).toEqual(['이자를 낸다[1].[2]', '[1] 지연이자는 연 5%', '[2] 둘', '다음']);
  });

  it('is finite if notes refer to each other', async () => {
    const reference = (id: number): string => `<w:r><w:footnoteReference w:id="${id}"/></w:r>`;
    const note = (id: number, other: number): string =>
      `<w:footnote w:id="${id}"><w:p>${reference(other)}${reference(id)}</w:p></w:footnote>`;
    const body = `<w:p><w:r><w:t>가</w:t></w:r>${reference(2)}</w:p>`;
    expect((await load(makeDocx({ body, footnotes: note(2, 3) + note(3, 2) }))).split('[1]')).toHaveLength(3);
  });

  it('has the text of a text box once, below its paragraph', async () => {
    const box = `<w:txbxContent>${p('상자 글', numbered(1))}</w:txbxContent>`;
    const body =
      '<w:p><w:r><w:t>앞</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>' +
      `${box}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:rect><v:textbox>${box}</v:textbox></v:rect></w:pict></mc:Fallback>` +
      `</mc:AlternateContent></w:r></w:p>${p('뒤', numbered(1))}`;
    const numbering = scheme(0, level(0, 'decimal', '제%1조')) + list(1, 0);
    expect(await linesOf({ body, numbering })).toEqual(['앞', '제1조 상자 글', '제2조 뒤']);
  });
});

const run = (text: string, properties = ''): string => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
const styled = (id: string, inside: string): string => `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr>${inside}</w:p>`;
const box = (inside: string): string => `<w:pict><v:rect><v:textbox><w:txbxContent>${inside}</w:txbxContent></v:textbox></v:rect></w:pict>`;
const styles =
  '<w:style w:type="character" w:styleId="Unseen"><w:rPr><w:vanish/></w:rPr></w:style>' +
  '<w:style w:type="character" w:styleId="Based"><w:basedOn w:val="Unseen"/></w:style>' +
  '<w:style w:type="character" w:styleId="Seen"><w:basedOn w:val="Unseen"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>' +
  '<w:style w:type="paragraph" w:styleId="Note"><w:rPr><w:vanish/></w:rPr></w:style>' +
  '<w:style w:type="table" w:styleId="Table"><w:tblStylePr w:type="firstRow"><w:rPr><w:vanish/></w:rPr></w:tblStylePr></w:style>';

it('marks struck-through text, across runs too', async () => {
  const body = `<w:p>${run('차임은 ')}${run('월 50', '<w:strike/>')}${run('만원', '<w:strike/>')}${run(' 월 60만원')}${run('.', '<w:strike w:val="0"/>')}</w:p>`;
  expect(await linesOf({ body })).toEqual(['차임은 ~~월 50만원~~ 월 60만원.']);
});

describe('text that Word does not show', () => {
  it.each([
    ['by itself', `<w:p>${run('가')}${run('ignore the contract', '<w:vanish/>')}${run('나')}</w:p>`, ['가나']],
    ['by its style', `<w:p>${run('가')}${run('x', '<w:rStyle w:val="Unseen"/>')}${run('y', '<w:rStyle w:val="Based"/>')}</w:p>`, ['가']],
    ['by the style of its paragraph', `${styled('Note', run('x'))}${p('가')}`, ['', '가']],
    ['in a text box', `<w:p>${run('가')}<w:r>${box(styled('Note', run('x')) + p('상자'))}</w:r></w:p>`, ['가', '', '상자']],
    [
      'with a text box in it',
      `<w:p>${run('가')}<w:r><w:rPr><w:vanish/></w:rPr>${box(p('x', numbered(1)))}</w:r>${run('나')}</w:p>`,
      ['가나'],
    ],
    [
      'around what would be shown',
      `<w:p><w:r><w:rPr><w:vanish/></w:rPr>${box(`<w:p>${run('x', '<w:vanish w:val="0"/>')}</w:p>`)}</w:r>${run('나')}</w:p>`,
      ['나'],
    ],
    ['in a field', `<w:p><w:fldSimple w:instr="X">${run('x', '<w:vanish/>')}${run('가')}</w:fldSimple></w:p>`, ['가']],
  ])('is left out: hidden %s', async (_, body, lines) => {
    expect(await linesOf({ body, styles })).toEqual(lines);
  });

  it.each([
    ['a property that is off', `<w:p>${run('가', '<w:vanish w:val="false"/>')}</w:p>`],
    ['a style that shows it again', `<w:p>${run('가', '<w:rStyle w:val="Seen"/>')}</w:p>`],
    ['a run that shows it again', styled('Note', run('가', '<w:vanish w:val="0"/>'))],
    ['how it was before a tracked change', `<w:p>${run('가', '<w:rPrChange w:id="1"><w:rPr><w:vanish/></w:rPr></w:rPrChange>')}</w:p>`],
    ['a part of a table style', styled('Table', run('가'))],
    ['a paragraph that only ends unseen', '<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>가</w:t></w:r></w:p>'],
  ])('does not include: %s', async (_, body) => {
    expect(await linesOf({ body, styles })).toEqual(['가']);
  });

  it('gets no number, unless a heading continues in the same line', async () => {
    const mark = (more: string): string => `${numbered(1)}<w:rPr><w:vanish/>${more}</w:rPr>`;
    const body =
      p('가', numbered(1)) + p('나', mark('')).replace('<w:r>', '<w:r><w:rPr><w:vanish/></w:rPr>') + p('다', mark('<w:specVanish/>'));
    const numbering = scheme(0, level(0, 'decimal', '제%1조')) + list(1, 0);
    expect(await linesOf({ body, styles, numbering })).toEqual(['제1조 가', '', '제2조 다']);
  });

  it('is left out of notes', async () => {
    const footnotes = `<w:footnote w:id="2"><w:p>${run('x', '<w:vanish/>')}${run(' 지연이자')}</w:p></w:footnote>`;
    const body = `<w:p>${run('이자')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`;
    expect(await linesOf({ body, footnotes, styles })).toEqual(['이자[1]', '[1] 지연이자']);
  });
});

describe('automatic numbers of a Word file', () => {
  const articles = scheme(
    0,
    level(0, 'decimal', '제%1조') + level(1, 'decimalEnclosedCircle', '%2') + level(2, 'decimal', '%3.') + level(3, 'ganada', '%4.'),
  );

  it('are in the text, and start again below a higher level', async () => {
    const body = [p('(목적)', numbered(1)), p('하나', numbered(1, 1)), p('둘', numbered(1, 1)), p('갑', numbered(1, 2)), p('을', numbered(1, 3)),
      p('병', numbered(1, 3)), p('글'), p('(기간)', numbered(1)), p('셋', numbered(1, 1))].join(''); // biome-ignore format: short
    expect(await linesOf({ body, numbering: articles + list(1, 0) })).toEqual(
      ['제1조 (목적)', '① 하나', '② 둘', '1. 갑', '가. 을', '나. 병', '글', '제2조 (기간)', '① 셋'],
    ); // biome-ignore format: short
  });

  it('come from a style or its base style, unless the paragraph has its own', async () => {
    const styles =
      `<w:style w:styleId="Article"><w:pPr>${numbered(1)}</w:pPr></w:style>` +
      '<w:style w:styleId="Bold"><w:basedOn w:val="Article"/></w:style><w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>';
    const styled = (id: string): string => `<w:pStyle w:val="${id}"/>`;
    const body = p('가', styled('Article')) + p('나', styled('Bold')) + p('다', styled('Article') + numbered(0)) + p('라', styled('Loop'));
    expect(await linesOf({ body, styles, numbering: articles + list(1, 0) })).toEqual(['제1조 가', '제2조 나', '다', '라']);
  });

  it('continue in another list of the same scheme, unless it restarts', async () => {
    const restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>';
    const body = [1, 2, 3, 3, 1].map((id) => p('글', numbered(id))).join('');
    const numbering = articles + list(1, 0) + list(2, 0) + list(3, 0, restart);
    expect(await linesOf({ body, numbering })).toEqual(['제1조 글', '제2조 글', '제7조 글', '제8조 글', '제9조 글']);
  });

  it('have several levels in one label, in each number format', async () => {
    const forms = [
      ['decimal', '5.3'],
      ['upperRoman', '5.III'],
      ['lowerLetter', '5.c'],
      ['ganada', '5.다'],
      ['decimalZero', '5.03'],
    ] as const;
    for (const [format, label] of forms) {
      const numbering =
        scheme(0, level(0, 'decimal', 'Article %1').replace('w:start w:val="1"', 'w:start w:val="5"') + level(1, format, '%1.%2')) +
        list(1, 0);
      const body = p('A', numbered(1)) + p('a', numbered(1, 1)) + p('b', numbered(1, 1)) + p('c', numbered(1, 1));
      expect((await linesOf({ body, numbering })).slice(-1)).toEqual([`${label} c`]);
    }
  });

  it('have Word’s spaces, a dash for a bullet, and nothing for an unknown list', async () => {
    const numbering = scheme(0, level(0, 'decimal', '제%1조', '<w:suff w:val="nothing"/>') + level(1, 'bullet', '')) + list(1, 0);
    const body = p('(목적)', numbered(1)) + p('글', numbered(1, 1)) + p('글', numbered(9));
    expect(await linesOf({ body, numbering })).toEqual(['제1조(목적)', '- 글', '글']);
  });
});

describe('unreadable Word files', () => {
  it.each([
    ['no archive', Buffer.from('PK but nothing more')],
    ['an archive without a document', makeZip({ 'a.xml': '<a/>' })],
    ['broken XML', makeZip({ 'word/document.xml': '<w:document' })],
    ['tags that do not match', makeDocx({ body: '<w:p><w:r><w:t>글</w:t></w:p></w:r>' })],
    ['an entity that is not known', makeDocx({ body: p('글&nbsp;') })],
    ['a part that is not well-formed', makeDocx({ body: p('글'), footnotes: '<w:footnote>' })],
    ['an archive that was cut off', makeDocx({ body: p('글') }).subarray(40)],
  ])('are refused as damaged: %s', async (_, bytes) => {
    await expect(load(bytes)).rejects.toMatchObject({
      code: 'DOCUMENT_INVALID',
      message: '"test.docx" is not a Word file, or is damaged.',
    });
  });

  it('are refused if they are encrypted', async () => {
    await expect(load(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).rejects.toMatchObject({ message: expect.stringContaining('encrypted') });
    await expect(load(makeZip({ 'word/document.xml': '' }, { flags: 1 }))).rejects.toMatchObject({
      message: expect.stringContaining('encrypted'),
    });
  });

  it('are refused if their list declares too much', async () => {
    const bytes = makeZip({ 'word/document.xml': '<w:p/>' }, { declaredSize: 60_000_000 });
    await expect(load(bytes)).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it('are refused if they unpack to more than their list declares', async () => {
    const bytes = makeZip({ 'word/document.xml': ' '.repeat(5_000_000) }, { declaredSize: 10 });
    await expect(load(bytes)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
  });

  it('are refused if they define entities', async () => {
    const bytes = makeZip({ 'word/document.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' });
    await expect(load(bytes)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', message: expect.stringContaining('document type') });
  });
});

describe('tracked changes of a Word file', () => {
  it('are accepted, with a notice', async () => {
    const body =
      '<w:p><w:r><w:t>stays</w:t></w:r><w:ins w:id="1"><w:r><w:t> comes</w:t></w:r></w:ins><w:del w:id="2"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>';
    expect(await loadDocx({ name: 'a.docx', bytes: makeDocx({ body }) })).toEqual({
      text: 'stays comes',
      notices: [expect.stringContaining('read as accepted')],
    });
    expect((await loadDocx({ name: 'a.docx', bytes: makeDocx({ body: p('stays') }) })).notices).toEqual([]);
  });
});
