import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadContract } from '../../../src/contracts/node/load-contract.ts';
import { loadDocument } from '../../../src/documents/load-document.ts';
import { makeDocx, p } from '../../fixtures/make-docx.ts';
import { makePdf } from '../../fixtures/make-pdf.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-document-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function load(name: string, content: string | Uint8Array): Promise<{ readonly name: string; readonly text: string }> {
  await writeFile(join(folder, name), content);
  return loadDocument(join(folder, name));
}

const utf16 = (text: string, bigEndian: boolean): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
};

describe('loadDocument', () => {
  it.each(['a.txt', 'a.md', 'A.MD', 'a.markdown'])('reads %s, named as the file is', async (name) => {
    expect(await load(name, '제1조 (목적)\r\n글\r\n')).toEqual({ name, text: '제1조 (목적)\r\n글\r\n' });
  });

  it('reads .docx, .pdf and .json', async () => {
    expect(await load('a.docx', makeDocx({ body: p('제1조 (목적)') }))).toEqual({ name: 'a.docx', text: '제1조 (목적)' });
    expect(await load('a.PDF', makePdf([[{ x: 72, y: 700, text: 'Article 1' }]]))).toEqual({ name: 'a.PDF', text: 'Article 1' });
    expect((await load('a.json', '[{"label":"제1조","title":"목적","text":"글"}]')).text).toBe('제1조 (목적)\n글');
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeff계약')],
    ['UTF-16 LE', utf16('계약', false)],
    ['UTF-16 BE', utf16('계약', true)],
    ['EUC-KR', Buffer.from('b0e8bee0', 'hex')],
  ])('reads text in %s', async (_, bytes) => {
    expect((await load('a.txt', bytes)).text).toBe('계약');
  });

  it('reads the extension of EUC-KR that old Korean programs write', async () => {
    expect((await load('a.txt', Buffer.from('28318141208c63c652a2e629', 'hex'))).text).toBe('(1갂 똠힣€)');
  });

  it.each([
    ['bytes of no encoding', Buffer.from('80ff00', 'hex')],
    ['half a character at the end', Buffer.from('b0e8be', 'hex')],
    ['a character of one’s own', Buffer.from('c9a1c9fe', 'hex')],
    ['half a pair in UTF-16', Buffer.from('fffe00d8', 'hex')],
    ['zeros', Buffer.from('a\0b')],
  ])('refuses what is not text: %s', async (_, bytes) => {
    await expect(load('a.txt', bytes)).rejects.toMatchObject({ code: 'FILE_NOT_TEXT' });
  });

  it('refuses other types, and names those that it reads', async () => {
    await expect(load('a.hwp', 'x')).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', hint: expect.stringContaining('.docx') });
    await expect(load('constructor', 'x')).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
  });

  it.each(['', ' \n\t\n'])('refuses an empty document: %j', async (text) => {
    await expect(load('a.md', text)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', message: '"a.md" has no text.' });
  });

  it('refuses what is not there or not a file', async () => {
    await mkdir(join(folder, 'b.md'));
    await expect(loadDocument(join(folder, 'a.md'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(loadDocument(join(folder, 'b.md'))).rejects.toMatchObject({ code: 'FILE_NOT_REGULAR' });
  });

  it.skipIf(process.platform === 'win32')('is not held up by a named pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    await expect(loadDocument(join(folder, 'pipe.md'))).rejects.toMatchObject({ code: 'FILE_NOT_REGULAR' });
  });

  it('refuses a file above maxBytes and reads one of exactly that size', async () => {
    await writeFile(join(folder, 'a.md'), '가나');
    expect((await loadDocument(join(folder, 'a.md'), { maxBytes: 6 })).text).toBe('가나');
    await expect(loadDocument(join(folder, 'a.md'), { maxBytes: 5 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    await expect(loadDocument(join(folder, 'a.md'), { maxBytes: 0 })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('refuses more than ten million characters', async () => {
    await expect(load('a.txt', 'x'.repeat(10_000_001))).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it('rejects with the reason of an aborted signal', async () => {
    await writeFile(join(folder, 'a.md'), 'text');
    const reason = new Error('enough');
    await expect(loadDocument(join(folder, 'a.md'), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('a contract as JSON', () => {
  const textOf = async (value: unknown): Promise<string> => (await load('a.json', JSON.stringify(value))).text;

  it('is what `articles --json` prints', async () => {
    const list = [
      { label: '제1조', part: 'body', title: '목적', deleted: false, text: '① 글' },
      { label: '제2조', part: 'body', title: '', deleted: true, text: '' },
      { label: '제3조', part: 'body', title: '', deleted: true, text: '삭제 <2020. 1. 1.>' },
      { label: '제1조', part: 'addenda', title: '시행일', deleted: false, text: '오늘' },
      { label: '별지 1', part: 'exhibit', title: '서식', deleted: false, text: '글' },
    ];
    expect(await textOf(list)).toBe(
      '제1조 (목적)\n① 글\n\n제2조 삭제\n\n제3조 삭제 <2020. 1. 1.>\n\n부칙\n\n제1조 (시행일)\n오늘\n\n별지 1 (서식)\n글',
    );
  });

  it('has addenda that begin anew, as those of a statute do', async () => {
    const addenda = ['제1조', '제2조', '제1조'].map((label) => ({ label, part: 'addenda', title: '', deleted: false, text: '글' }));
    expect(await textOf(addenda)).toBe('부칙\n\n제1조\n글\n\n제2조\n글\n\n부칙\n\n제1조\n글');
  });

  it.each([{ label: '제5조' }, { number: 5 }, { number: '5' }, { 조: 5 }, { 조: '제5조' }])(
    'has labels in several forms: %j',
    async (label) => {
      expect(await textOf({ articles: [{ ...label, title: '기간', content: '1년' }] })).toBe('제5조 (기간)\n1년');
    },
  );

  it('has a title, and paragraphs', async () => {
    const paragraphs = ['① 하나', { label: '②', text: '둘' }];
    expect(await textOf({ title: '임대차계약서', articles: [{ label: '제10조의2', title: '기간', paragraphs }] })).toBe(
      '임대차계약서\n\n제10조의2 (기간)\n① 하나\n② 둘',
    );
  });

  it.each([
    { a: 1 },
    { articles: 'none' },
    [1],
    [{ title: 'no label', text: '' }],
    [{ label: '' }],
    [{ label: 'a\nb', text: 'c' }],
    [{ number: 0, text: 'a' }],
    [{ label: '제1조' }],
    [{ label: '제1조', text: 5 }],
    [{ label: '제1조', paragraphs: [5] }],
    [{ label: '제1조', text: 'a', part: 'other' }],
    [{ label: '제1조', text: 'a', deleted: 'no' }],
  ])('is refused in another form, with the forms that are read: %j', async (value) => {
    await expect(textOf(value)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', hint: expect.stringContaining('articles --json') });
  });

  it('is refused when it is not JSON', async () => {
    await expect(load('a.json', '{"a":')).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', message: '"a.json" is not JSON.' });
  });
});

describe('loadContract', () => {
  it('parses what it reads', async () => {
    const path = join(folder, 'lease.json');
    await writeFile(path, JSON.stringify({ title: '임대차계약서', articles: [{ number: 1, title: '목적', text: '글' }] }));
    const contract = await loadContract(path);
    expect(contract.name).toBe('lease.json');
    expect(contract.title).toBe('임대차계약서');
    expect(contract.articles.map(({ id, title, text }) => ({ id, title, text }))).toEqual([
      { id: 'body/제1조', title: '목적', text: '글' },
    ]);
  });
});
