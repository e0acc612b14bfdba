// --contract with a folder, several files, and names.
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { severalFolder } from '../fixtures/several-contracts.ts';
import { command, folder } from './command.ts';

const copy = (cwd: string, name: string, to = name): void => copyFileSync(join(fileURLToPath(severalFolder), name), join(cwd, to));
const ask = (cwd: string, ...args: readonly string[]) => command(cwd, ['run', 'contract-agent', ...args]);

/** A folder `desk` with contracts, and files that are none. */
function desk(): string {
  const cwd = folder();
  mkdirSync(join(cwd, 'desk', 'old'), { recursive: true });
  for (const name of ['courier.md', 'software-licence.md', 'lease-park.md']) copy(cwd, name, `desk/${name}`);
  copy(cwd, 'supply-beans.md', 'desk/old/supply-beans.md');
  return cwd;
}

describe('--contract', () => {
  it('asks each contract of a folder and its subfolders', async () => {
    const { code, stdout, stderr } = await ask(desk(), '--contract', 'desk', 'Which of them renew automatically?');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^4 contracts: yes 2, no 2\./);
    for (const row of [/\| software-licence +\| yes /, /\| old\/supply-beans +\| yes /, /\| courier +\| no /, /\| lease-park +\| no /])
      expect(stdout).toMatch(row);
    expect(stderr).toContain('4 contracts, found in 4');
  });

  it('reports files that it cannot read, and leaves out hidden ones', async () => {
    const cwd = desk();
    writeFileSync(join(cwd, 'desk', 'empty.txt'), '');
    writeFileSync(join(cwd, 'desk', 'broken.pdf'), '%PDF-1.4 nothing');
    writeFileSync(join(cwd, 'desk', 'photo.jpg'), 'x');
    writeFileSync(join(cwd, 'desk', '.secret.md'), '제1조(비밀) 비밀.');
    copy(cwd, 'cleaning.md');
    symlinkSync(join(cwd, 'cleaning.md'), join(cwd, 'desk', 'link.md'));
    const { code, stdout, stderr } = await ask(cwd, '--contract', 'desk', '어떤 계약들이 있어?');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^계약 4개:\n- courier — Courier Services Agreement/)]);
    expect(stderr).toMatch(/empty\.txt is not read: .*has no text/);
    expect(stderr).toMatch(/broken\.pdf is not read: /);
    expect(stderr).toMatch(/not read, because of the type or a link: .*link\.md, .*photo\.jpg/);
    expect(stdout + stderr).not.toContain('secret');
  });

  it('takes several files, with names of their own', async () => {
    const cwd = desk();
    const { stdout } = await ask(cwd, '--contract', 'desk/courier.md', '--contract', 'store=desk/lease-park.md', 'store의 보증금은?');
    expect(stdout).toMatch(/store 제3조\(보증금\)\n> .*500만원/);
    expect(stdout).not.toContain('courier');
  });

  it('keeps the extensions of files that differ only in them', async () => {
    const cwd = desk();
    copy(cwd, 'courier.md', 'desk/courier.txt');
    const { stdout } = await ask(cwd, '--contract', 'desk', 'Which contracts are there?');
    expect(stdout).toMatch(/- courier\.md — [\s\S]*- courier\.txt — [\s\S]*- lease-park — /);
  });

  it('refuses two files with one name, and says how to name them', async () => {
    const cwd = desk();
    copy(cwd, 'courier.md');
    const { code, stdout, stderr } = await ask(cwd, '--contract', 'courier.md', '--contract', 'desk/courier.md', 'x?');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/OPTION_INVALID: Several contracts have the name "courier\.md"[\s\S]*--contract NAME=FILE/);
  });

  it('refuses a folder without contracts, and one in which none can be read', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'none'));
    const none = await ask(cwd, '--contract', 'none', 'x?');
    expect([none.code, none.stdout, none.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/FILE_NOT_FOUND: The folder .*none" has no contract/),
    ]);
    writeFileSync(join(cwd, 'none', 'a.md'), ' ');
    writeFileSync(join(cwd, 'none', 'b.txt'), '');
    const unread = await ask(cwd, '--contract', 'none', 'x?');
    expect([unread.code, unread.stdout]).toEqual([1, '']);
    expect(unread.stderr).toMatch(/a\.md is not read[\s\S]*DOCUMENT_INVALID: None of the 2 files/);
  });

  it('refuses more than 500 files before it reads one', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'many'));
    for (let at = 0; at < 501; at++) writeFileSync(join(cwd, 'many', `c${at}.md`), '');
    const { code, stderr } = await ask(cwd, '--contract', 'many', 'x?');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/OPTION_INVALID: --contract gives 501 files, more than 500/)]);
  });

  it('is remembered by a thread, which continues with the contract of the last answer', async () => {
    const cwd = desk();
    await ask(cwd, '--contract', 'desk', '--thread', 't1', 'lease-park의 보증금은?');
    const second = await ask(cwd, '--thread', 't1', '그 조항 다시 보여줘');
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('lease-park 제3조(보증금)')]);
  });
});
