import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hangul, makeHwpx, makeOdt } from '../fixtures/make-documents.ts';
import { makeZip } from '../fixtures/make-docx.ts';
import { command, folder } from './command.ts';

const sequence = '\u001b]52;c;QQ==\u0007\u009b2J\u202e';
const obeyed = /(?![\n\t])\p{Cc}|\p{Cf}/u;

describe('hostile files', () => {
  it('cannot send control characters to the terminal by names or texts', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'docs'));
    writeFileSync(join(cwd, 'docs', `leave${sequence}.md`), `# 휴가 정책 ${sequence}\n연차 휴가는 15일이다.${sequence}\n`);
    writeFileSync(join(cwd, 'docs', `broken${sequence}.json`), '{');
    const { code, stdout, stderr } = await command(cwd, ['run', 'chat-agent', '휴가 정책이 뭐야?', '--docs', 'docs']);
    expect(code).toBe(0);
    expect(stdout).toContain('15일');
    expect(stderr).toContain('broken\\u{1b}]52');
    expect(`${stdout}${stderr}`).not.toMatch(obeyed);
    const json = await command(cwd, ['run', 'chat-agent', '휴가 정책이 뭐야?', '--docs', 'docs', '--json']);
    expect(json.stdout).not.toMatch(obeyed);
    expect(JSON.parse(json.stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({ output: { sources: [`leave${sequence}.md`] } });
  });

  it.skipIf(process.platform === 'win32')('do not block the program when they are pipes', async () => {
    const cwd = folder();
    execFileSync('mkfifo', [join(cwd, 'services.json')]);
    const { code, stderr } = await command(cwd, ['run', 'guide-agent', '영상을 만들어 올리고 싶어', '--docs', '.']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('FILE_NOT_REGULAR')]);
  });
});

const large = 'FILE_TOO_LARGE';
const invalid = 'DOCUMENT_INVALID';
const declared = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>';
const odtOf = (content: string): Uint8Array => makeZip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': content });
const paragraph = '<text:p>Rent is due.</text:p>';

/** Each file, and the code of the error that it ends with. */
const refused: readonly (readonly [what: string, name: string, content: Uint8Array | string, code: string])[] = [
  ['a bomb that says how large it is', 'bomb.odt', odtOf(`<a>${' '.repeat(60_000_000)}</a>`), large],
  [
    'a bomb that says it is small',
    'small.hwpx',
    makeHwpx([hangul(`<hp:t>${'x'.repeat(3_000_000)}</hp:t>`)], { declaredSize: 100 }),
    invalid,
  ],
  ['blanks that grow', 'blanks.odt', makeOdt(`<text:p>${'<text:s text:c="200"/>'.repeat(60_000)}x</text:p>`), large],
  ['entities that grow', 'entities.odt', odtOf(`${declared}<office:document-content>&b;</office:document-content>`), invalid],
  ['entities of a Hangul document', 'entities.hwpx', makeZip({ 'Contents/section0.xml': `${declared}<hs:sec>&b;</hs:sec>` }), invalid],
  ['XML that is deeper than any', 'deep.odt', makeOdt('<text:section>'.repeat(200_000)), invalid],
  ['sections that are deeper than any', 'deep.hwpx', makeHwpx(['<hp:p>'.repeat(200_000)]), invalid],
  ['a cut archive', 'cut.odt', makeOdt(paragraph).subarray(0, 200), invalid],
  ['a cut Hangul document', 'cut.hwpx', makeHwpx([hangul('<hp:t>x</hp:t>')]).subarray(0, 200), invalid],
  ['an encrypted text', 'secret.odt', makeOdt(paragraph, { flags: 1 }), invalid],
  [
    'a text whose manifest says that it is encrypted',
    'locked.odt',
    makeZip({ 'META-INF/manifest.xml': '<m><manifest:encryption-data/></m>', 'content.xml': '\u0001\u0002' }),
    invalid,
  ],
  ['a Hangul document as OpenDocument', 'hangul.odt', makeHwpx([hangul('<hp:t>x</hp:t>')]), invalid],
  ['an OpenDocument as Hangul', 'open.hwpx', makeOdt(paragraph), invalid],
  ['an older Hangul document', 'older.hwpx', Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]), invalid],
  ['RTF as HTML', 'rtf.html', '{\\rtf1 x}', invalid],
  ['a picture as HTML', 'picture.html', Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]), invalid],
  ['HTML as RTF', 'html.rtf', '<p>x</p>', invalid],
  ['cut RTF', 'cut.rtf', '{\\rtf1 {\\b x', invalid],
  ['RTF that closes what is not open', 'closed.rtf', `{\\rtf1 x`.replace('{', '}'), invalid],
  ['megabytes of groups within each other', 'groups.rtf', `{\\rtf1 ${'{\\b '.repeat(1_000_000)}`, invalid],
  ['binary data that never ends', 'bin.rtf', '{\\rtf1 \\bin9999999999 x}', invalid],
  ['a page without a text', 'empty.html', '<script>alert(1)</script><iframe src="x">no</iframe>', invalid],
];

describe('documents that are made to do harm', () => {
  it.each(refused)('are refused: %s', async (_, name, content, error) => {
    const cwd = folder();
    writeFileSync(join(cwd, name), content);
    const { code, stdout, stderr } = await command(cwd, ['articles', name]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(error);
  });

  it('have the text of their visible parts only, and fetch nothing', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.end('Article 9. Fetched. This came from elsewhere.');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const elsewhere = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [one, two] = ['Article 1. Term. It runs for two years.', 'Article 2. Rent. It is ten dollars.'];
    const files: Readonly<Record<string, Uint8Array | string>> = {
      'a.html':
        `<html><head><script src="${elsewhere}/a.js"></script><link rel="stylesheet" href="${elsewhere}/a.css"></head><body>` +
        `<iframe src="${elsewhere}/frame">no</iframe><img src="${elsewhere}/a.png" onerror="no()"><object data="${elsewhere}/o">no</object>` +
        `<p>${one}</p><p style="display:none">Article 7. No.</p><div hidden>Article 8. No.</div><p>${two}</p></body>`,
      'a.rtf':
        `{\\rtf1 ${one}\\par{\\field{\\*\\fldinst INCLUDEPICTURE "${elsewhere}/a.png"}{\\fldrslt }}` +
        `{\\object{\\*\\objdata 0102}}{\\v Article 7. No.}${two}\\par${'{\\b }'.repeat(200_000)}}`,
      'a.odt': makeOdt(
        `<text:p>${one}</text:p><text:section><text:section-source xlink:href="${elsewhere}/s" xmlns:xlink="x"/></text:section>` +
          `<text:section text:display="none"><text:p>Article 7. No.</text:p></text:section>` +
          `<text:p>${two}<draw:image xmlns:draw="d" xmlns:xlink="x" xlink:href="${elsewhere}/a.png"/></text:p>`,
      ),
      'a.hwpx': makeHwpx([`${hangul(`<hp:t>${one}</hp:t><hp:pic href="${elsewhere}/a.png"/>`)}${hangul(`<hp:t>${two}</hp:t>`)}`]),
    };
    try {
      const cwd = folder();
      for (const [name, content] of Object.entries(files)) {
        writeFileSync(join(cwd, name), content);
        const { code, stdout, stderr } = await command(cwd, ['articles', name, '--json']);
        expect([name, code, stderr]).toEqual([name, 0, '']);
        const articles = JSON.parse(stdout) as readonly { readonly label: string; readonly text: string }[];
        expect(articles.map(({ label, text }) => `${label}: ${text}`)).toEqual([
          'Article 1: It runs for two years.',
          'Article 2: It is ten dollars.',
        ]);
      }
      expect(asked).toEqual([]);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('cannot turn what a terminal shows around', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'a.html'), `<p>Article 1. Term. It runs for ${sequence} two years &#x202e;&#27;]0;x&#7;.</p>`);
    const { code, stdout, stderr } = await command(cwd, ['articles', 'a.html']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('\\u{202e}')]);
    expect(`${stdout}${stderr}`).not.toMatch(obeyed);
  });
});
