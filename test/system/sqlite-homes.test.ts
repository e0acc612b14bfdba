import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { memoryStore } from 'agent-machines';
import { runStoreContract } from 'agent-machines/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../fixtures/bundle.ts';
import { installedProgram } from './install-folder.ts';
import { openLedger } from './stores/ledger.ts';

const homes = [
  { name: 'node:sqlite of Node', command: () => [process.execPath], kind: 'file' },
  { name: 'node:sqlite of Bun', command: () => [installedProgram('bun')], kind: 'file' },
  { name: 'bun:sqlite', command: () => [installedProgram('bun')], kind: 'bun:sqlite' },
  { name: 'node:sqlite of Deno', command: () => [installedProgram('deno'), 'run', '--allow-all'], kind: 'file' },
] as const;

let folder = '';
let program = '';
let paths = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-homes-'));
  program = join(await bundle(['test/system/stores/sqlite-home-process.ts']), 'sqlite-home-process.mjs');
});
afterAll(() => rmSync(folder, { recursive: true }));

const newPath = (): string => join(folder, `${paths++}.db`);
const cases = runStoreContract(async () => memoryStore()).length;

async function expectForgotten(file: string, before: readonly string[], kind = 'file'): Promise<void> {
  const path = newPath();
  const { stdout } = await promisify(execFile)(file, [...before, program, kind, 'forget', path, 'NEEDLE']);
  expect(JSON.parse(stdout)).toEqual({ removed: 3 });
  const files = readdirSync(folder).filter((name) => name.startsWith(basename(path)));
  expect(files).toContain(basename(path));
  for (const name of files) expect(readFileSync(join(folder, name), 'latin1'), name).not.toContain('NEEDLE');
}

describe.each(homes)('sqliteStore on $name', { timeout: 300_000 }, ({ command, kind }) => {
  const ask = async (...args: readonly string[]): Promise<unknown> => {
    const [file = '', ...before] = command();
    const { stdout } = await promisify(execFile)(file, [...before, program, kind, ...args]);
    return JSON.parse(stdout);
  };

  it('passes the contract of stores', async () => {
    expect(await ask('contract', newPath())).toEqual({ cases, failed: [] });
  });

  it('leaves no byte of removed data in its files', async () => {
    const [file = '', ...before] = command();
    await expectForgotten(file, before, kind);
  });

  it('resumes a run after a kill at any point, and repeats no step', async () => {
    let kills = 0;
    for (;;) {
      await using ledger = await openLedger();
      const path = newPath();
      const [file = '', ...before] = command();
      const child = spawn(file, [...before, program, kind, 'run', path, ledger.url], { stdio: ['ignore', 'pipe', 'inherit'] });
      ledger.killAt(kills + 1, () => child.kill('SIGKILL'));
      const [, signal] = await once(child, 'close');
      if (signal === null) break;
      kills++;
      expect(await ask('run', path, ledger.url), ledger.told.join()).toMatchObject({ status: 'done', output: 'drafted,paid,post' });
      expect(ledger.paid, ledger.told.join()).toEqual(['rent', 'tax', 'post']);
    }
    expect(kills).toBeGreaterThan(10);
  });
});

it('needs only the folder of its file on Deno', { timeout: 300_000 }, async () => {
  const permissions = ['--no-prompt', `--allow-read=${folder}`, `--allow-write=${folder}`];
  const { stdout } = await promisify(execFile)(installedProgram('deno'), ['run', ...permissions, program, 'file', 'contract', newPath()]);
  expect(JSON.parse(stdout)).toEqual({ cases, failed: [] });
  await expectForgotten(installedProgram('deno'), ['run', ...permissions]);
});

it('gives a hint for a database of Bun with bigints', async () => {
  const { stdout } = await promisify(execFile)(installedProgram('bun'), [program, 'bun:sqlite', 'refusal', newPath()]);
  expect(JSON.parse(stdout)).toEqual({ message: 'The database returns integers as bigints.' });
});
