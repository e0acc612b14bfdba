import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { contractFormats } from 'agent-machines/contracts/node';
import { folderDocuments } from 'agent-machines/documents';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDocx, p } from '../../../fixtures/make-docx.ts';
import { makePdf } from '../../../fixtures/make-pdf.ts';

let base: string;
let root: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'folder-documents-'));
  root = join(base, 'root');
  await mkdir(root);
});
afterEach(() => rm(base, { recursive: true }));

async function write(name: string, content: string | Uint8Array = `text of ${name}`): Promise<void> {
  const path = join(root, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

const namesOf = ({ documents }: Awaited<ReturnType<typeof folderDocuments>>): string[] => documents.map(({ name }) => name);

describe('folderDocuments', () => {
  it('passes on the notices of a document', async () => {
    await write('docs/a.rtf', '{\\rtf1 {\\deleted gone}stays\\par}');
    await write('docs/b.rtf', '{\\rtf1 plain\\par}');
    const { documents } = await folderDocuments({ root, extensions: ['.rtf'] });
    expect(documents.map(({ name, notices }) => [name, notices])).toEqual([
      ['docs/a.rtf', [expect.stringContaining('accepted')]],
      ['docs/b.rtf', undefined],
    ]);
  });

  it('reads every README and the folder docs, sorted', async () => {
    for (const name of ['docs/b.md', 'docs/a/c.txt', 'docs/a.mdx', 'README.md', 'readme.ko.MARKDOWN', 'CHANGELOG.md', 'src/a.md'])
      await write(name);
    const result = await folderDocuments({ root });
    expect(namesOf(result)).toEqual(['README.md', 'docs/a.mdx', 'docs/a/c.txt', 'docs/b.md', 'readme.ko.MARKDOWN']);
    expect(result.documents[0]).toEqual({ name: 'README.md', text: 'text of README.md' });
    expect(result.skipped).toEqual([]);
  });

  it('reads the whole folder if it has neither', async () => {
    for (const name of ['notes.txt', 'deep/er/a.md', 'code.ts', '.gitignore']) await write(name);
    const result = await folderDocuments({ root });
    expect(namesOf(result)).toEqual(['deep/er/a.md', 'notes.txt']);
    expect(result.skipped).toEqual([]);
  });

  it('reads only what include names', async () => {
    for (const name of ['README.md', 'docs/a.md', 'notes/a.md', 'notes/b.md']) await write(name);
    expect(namesOf(await folderDocuments({ root, include: ['./notes/', 'docs/a.md', 'notes/b.md'] }))).toEqual([
      'docs/a.md',
      'notes/a.md',
      'notes/b.md',
    ]);
    expect(namesOf(await folderDocuments({ root, include: ['.'] }))).toHaveLength(4);
    expect(namesOf(await folderDocuments({ root, include: [] }))).toEqual([]);
  });

  it('reports an included file of another type', async () => {
    await write('a.ts');
    const { skipped } = await folderDocuments({ root, include: ['a.ts'] });
    expect(skipped).toEqual([{ name: 'a.ts', reason: 'not a .md, .mdx, .markdown or .txt file' }]);
  });

  it('skips node_modules and names that start with a dot', async () => {
    for (const name of ['a.md', 'node_modules/x/a.md', 'sub/node_modules/a.md', '.git/a.md', 'sub/.hidden.md']) await write(name);
    const result = await folderDocuments({ root });
    expect(namesOf(result)).toEqual(['a.md']);
    expect(result.skipped.map(({ name }) => name)).toEqual(['.git', 'node_modules', 'sub/.hidden.md', 'sub/node_modules']);
  });

  it('accepts a root below such a folder', async () => {
    await write('node_modules/x/README.md');
    expect(namesOf(await folderDocuments({ root: join(root, 'node_modules/x') }))).toEqual(['README.md']);
  });

  it('reads text in UTF-8, UTF-16 and CP949, and skips other bytes', async () => {
    await write('bom.md', '\uFEFF# 제목');
    await write('cp949.md', new Uint8Array([0xc7, 0xd1, 0xb1, 0xdb]));
    await write('utf16.md', new Uint8Array([0xff, 0xfe, 0x61, 0x00]));
    await write('nul.md', 'a\0b');
    await write('bytes.md', new Uint8Array([0xff, 0xff]));
    await write('empty.md', '');
    const { documents, skipped } = await folderDocuments({ root });
    expect(documents).toEqual([
      { name: 'bom.md', text: '# 제목' },
      { name: 'cp949.md', text: '한글' },
      { name: 'empty.md', text: '' },
      { name: 'utf16.md', text: 'a' },
    ]);
    expect(skipped).toEqual(['bytes.md', 'nul.md'].map((name) => ({ name, reason: 'is not text in UTF-8, UTF-16 or CP949' })));
  });

  it('reads other documents on request, and reports damaged ones', async () => {
    await write('a.docx', makeDocx({ body: p('제1조 (목적)') }));
    await write('b.json', '[{"label":"제1조","title":"목적"}]');
    await write('c.PDF', makePdf([[{ x: 72, y: 700, text: 'Article 1' }]]));
    await write('d.pdf', 'no PDF');
    await write('e.md');
    const { documents, skipped } = await folderDocuments({ root, extensions: ['.docx', '.json', '.pdf'], formats: contractFormats });
    expect(documents).toEqual([
      { name: 'a.docx', text: '제1조 (목적)' },
      { name: 'b.json', text: '제1조 (목적)\n' },
      { name: 'c.PDF', text: 'Article 1' },
    ]);
    expect(skipped).toEqual([{ name: 'd.pdf', reason: 'is not a PDF file, or is damaged' }]);
  });

  it.each([[[]], [['.hwp']], [['md']]])('refuses the extensions %j', async (extensions) => {
    await expect(folderDocuments({ root, extensions })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('skips a file above maxFileBytes and reads one of exactly that size', async () => {
    await write('fits.md', '가나');
    await write('large.md', '가나다');
    const result = await folderDocuments({ root, maxFileBytes: 6 });
    expect(namesOf(result)).toEqual(['fits.md']);
    expect(result.skipped).toEqual([{ name: 'large.md', reason: 'larger than 6 bytes' }]);
  });

  it('stops at maxFiles and reports it', async () => {
    for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) await write(name);
    const result = await folderDocuments({ root, maxFiles: 2 });
    expect(namesOf(result)).toEqual(['a.md', 'b.md']);
    expect(result.skipped).toEqual([{ name: 'c.md', reason: 'the limit of 2 documents is reached; the rest is not read' }]);
    expect((await folderDocuments({ root, maxFiles: 4 })).skipped).toEqual([]);
  });

  it('follows links inside the root, and reads each file once', async () => {
    await write('notes/a.md');
    await symlink('notes', join(root, 'alias'));
    await symlink('..', join(root, 'notes', 'up'));
    const { documents, skipped } = await folderDocuments({ root });
    expect(documents).toEqual([{ name: 'alias/a.md', text: 'text of notes/a.md' }]);
    expect(skipped).toEqual(['alias/up', 'notes'].map((name) => ({ name, reason: 'already read under another name' })));
  });

  it('reads nothing outside the root, even through links', async () => {
    await mkdir(join(base, 'root-secret'));
    await writeFile(join(base, 'root-secret', 'a.md'), 'secret');
    await symlink('../root-secret', join(root, 'folder'));
    await symlink('../root-secret/a.md', join(root, 'file.md'));
    await symlink('nowhere', join(root, 'broken.md'));
    await symlink('loop.md', join(root, 'loop.md'));
    const { documents, skipped } = await folderDocuments({ root });
    expect(documents).toEqual([]);
    expect(skipped).toEqual([
      { name: 'broken.md', reason: 'cannot be read (ENOENT)' },
      { name: 'file.md', reason: 'outside the folder' },
      { name: 'folder', reason: 'outside the folder' },
      { name: 'loop.md', reason: 'cannot be read (ELOOP)' },
    ]);
  });

  it('reads no hidden file through a harmless name', async () => {
    await write('.secret/a.md');
    await write('keys.pem');
    await symlink('.secret/a.md', join(root, 'a.md'));
    await symlink('keys.pem', join(root, 'b.md'));
    const { documents, skipped } = await folderDocuments({ root, include: ['a.md', 'b.md'] });
    expect(documents).toEqual([]);
    expect(skipped.map(({ name }) => name)).toEqual(['a.md', 'b.md']);
  });

  it.skipIf(process.platform === 'win32')('does not block on a named pipe', async () => {
    execFileSync('mkfifo', [join(root, 'pipe.md')]);
    expect((await folderDocuments({ root })).skipped).toEqual([{ name: 'pipe.md', reason: 'not a regular file' }]);
  });

  it.each(['../root-secret', '/etc', 'docs/../../x'])('refuses the include %j', async (name) => {
    await expect(folderDocuments({ root, include: [name] })).rejects.toMatchObject({ code: 'PATH_OUTSIDE_ROOT' });
  });

  it('refuses names and roots that do not exist', async () => {
    await expect(folderDocuments({ root, include: ['docs'] })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      message: '"docs" does not exist.',
    });
    await write('a.md');
    await expect(folderDocuments({ root, include: ['a.md/b.md'] })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(folderDocuments({ root: join(root, 'nowhere') })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('refuses a root that is a file', async () => {
    await write('a.md');
    await expect(folderDocuments({ root: join(root, 'a.md') })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it.each([{ maxFiles: 0 }, { maxFiles: 1.5 }, { maxFileBytes: -1 }])('refuses %j', async (limits) => {
    await expect(folderDocuments({ root, ...limits })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('rejects with the reason of an aborted signal', async () => {
    await write('a.md');
    const reason = new Error('enough');
    await expect(folderDocuments({ root, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
