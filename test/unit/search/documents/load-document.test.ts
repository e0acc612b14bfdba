import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DocumentFormats, loadDocument } from 'agent-machines/documents';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDocx, p } from '../../../fixtures/make-docx.ts';
import { makePdf } from '../../../fixtures/make-pdf.ts';

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
  it.each(['a.txt', 'a.md', 'A.MD', 'a.markdown'])('reads %s, and names it after the file', async (name) => {
    expect(await load(name, '제1조 (목적)\r\n글\r\n')).toEqual({ name, text: '제1조 (목적)\r\n글\r\n' });
  });

  it('reads .docx and .pdf', async () => {
    expect(await load('a.docx', makeDocx({ body: p('제1조 (목적)') }))).toEqual({ name: 'a.docx', text: '제1조 (목적)' });
    expect(await load('a.PDF', makePdf([[{ x: 72, y: 700, text: 'Article 1' }]]))).toEqual({ name: 'a.PDF', text: 'Article 1' });
  });

  it('reads text types of custom formats, and lists them in errors', async () => {
    await writeFile(join(folder, 'a.json'), '{"text":"글"}');
    const formats: DocumentFormats = { '.json': ({ name, text }) => `${name}: ${String(JSON.parse(text).text)}` };
    expect((await loadDocument(join(folder, 'a.json'), { formats })).text).toBe('a.json: 글');
    await expect(load('a.json', '{}')).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
    await expect(loadDocument(join(folder, 'a.json'), { formats: { '.csv': String } })).rejects.toMatchObject({
      hint: expect.stringContaining('.csv'),
    });
  });

  it.each([
    ['UTF-8 with a mark', Buffer.from('\ufeff계약')],
    ['UTF-16 LE', utf16('계약', false)],
    ['UTF-16 BE', utf16('계약', true)],
    ['EUC-KR', Buffer.from('b0e8bee0', 'hex')],
  ])('reads text in %s', async (_, bytes) => {
    expect((await load('a.txt', bytes)).text).toBe('계약');
  });

  it('reads the extension of EUC-KR from old Korean programs', async () => {
    expect((await load('a.txt', Buffer.from('28318141208c63c652a2e629', 'hex'))).text).toBe('(1갂 똠힣€)');
  });

  it.each([
    ['bytes of no encoding', Buffer.from('80ff00', 'hex')],
    ['half a character at the end', Buffer.from('b0e8be', 'hex')],
    ['a character of one’s own', Buffer.from('c9a1c9fe', 'hex')],
    ['half a pair in UTF-16', Buffer.from('fffe00d8', 'hex')],
    ['zeros', Buffer.from('a\0b')],
  ])('refuses bytes that are not text: %s', async (_, bytes) => {
    await expect(load('a.txt', bytes)).rejects.toMatchObject({ code: 'FILE_NOT_TEXT' });
  });

  it('refuses other types, and lists the supported ones', async () => {
    await expect(load('a.hwp', 'x')).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', hint: expect.stringContaining('.docx') });
    await expect(load('constructor', 'x')).rejects.toMatchObject({ code: 'DOCUMENT_INVALID' });
  });

  it.each(['', ' \n\t\n'])('refuses an empty document: %j', async (text) => {
    await expect(load('a.md', text)).rejects.toMatchObject({ code: 'DOCUMENT_INVALID', message: '"a.md" has no text.' });
  });

  it('refuses a missing file and a folder', async () => {
    await mkdir(join(folder, 'b.md'));
    await expect(loadDocument(join(folder, 'a.md'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(loadDocument(join(folder, 'b.md'))).rejects.toMatchObject({ code: 'FILE_NOT_REGULAR' });
  });

  it.skipIf(process.platform === 'win32')('does not block on a named pipe', async () => {
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
