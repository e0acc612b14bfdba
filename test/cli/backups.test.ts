// Backups in a folder, and restoring them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it } from 'vitest';
import { command, folder, ownProcess } from './command.ts';

const ask = ['run', 'plan-execute', 'What is (23 + 19) * 3?', '--db', 'my.db'];

/** A folder with a database of one run, and its backup. */
async function backedUp(): Promise<{ readonly cwd: string; readonly backup: string }> {
  const cwd = folder();
  await command(cwd, ask);
  const { code } = await command(cwd, ['db', 'backup', '--to', 'out', '--db', 'my.db']);
  expect(code).toBe(0);
  return { cwd, backup: join('out', readdirSync(join(cwd, 'out'))[0] ?? '') };
}

it('names backups by their time, and removes only old ones of the same database', async () => {
  const { cwd, backup } = await backedUp();
  const others = ['my-notes.db', 'your-20200101T000000Z.backup.db', 'my-20200101T000000Z.backup.db.txt'];
  const old = ['my-20200101T000000Z.backup.db', 'my-20200102T000000Z.backup.db'];
  for (const name of [...others, ...old]) writeFileSync(join(cwd, 'out', name), '');
  const repeated = ownProcess(cwd, ['db', 'backup', '--to', 'out', '--every', '1s', '--keep', '1d', '--db', 'my.db']);
  while (
    readdirSync(join(cwd, 'out')).filter((name) => /^my-20\d{6}T\d{6}Z\.backup\.db$/.test(name)).length < 3 ||
    existsSync(join(cwd, 'out', old[0] ?? ''))
  )
    await new Promise((resolve) => setTimeout(resolve, 20));
  repeated.kill('SIGTERM');
  expect((await repeated).code).toBe(0);
  const left = readdirSync(join(cwd, 'out'));
  expect(left).toEqual(expect.arrayContaining([...others, backup.slice(4)]));
  expect(left.filter((name) => old.includes(name))).toEqual([]);
  for (const args of [
    ['--keep', '2'],
    ['--to', 'out', 'file.db'],
    ['--to', 'out', '--keep', '0'],
    ['--to', 'out', '--every', '0s'],
  ])
    expect((await command(cwd, ['db', 'backup', ...args, '--db', 'my.db'])).code).toBe(2);
});

it('restores a sound backup, and replaces only a database that is not in use', async () => {
  const { cwd, backup } = await backedUp();
  expect((await command(cwd, ['db', 'restore', backup, '--db', 'new.db'])).code).toBe(0);
  expect((await command(cwd, ['db', 'verify', '--db', 'new.db'])).stdout).toContain('1 runs');
  await command(cwd, ask);
  const two = readFileSync(join(cwd, 'my.db'));
  expect((await command(cwd, ['db', 'restore', backup, '--db', 'my.db'])).code).toBe(2);
  const open = sqliteStore({ path: join(cwd, 'my.db') });
  expect(await open.list({})).toHaveLength(2);
  expect((await command(cwd, ['db', 'restore', backup, '--db', 'my.db', '--replace'])).code).toBe(1);
  await open.close();
  const damaged = readFileSync(join(cwd, backup));
  damaged.fill(0x7a, damaged.length - 4_000);
  writeFileSync(join(cwd, 'damaged.db'), damaged);
  expect((await command(cwd, ['db', 'restore', 'damaged.db', '--db', 'my.db', '--replace'])).code).toBe(1);
  expect((await command(cwd, ['db', 'restore', 'none.db', '--db', 'my.db', '--replace'])).code).toBe(2);
  expect(readFileSync(join(cwd, 'my.db')).equals(two)).toBe(true);
  expect((await command(cwd, ['db', 'restore', backup, '--db', 'my.db', '--replace'])).code).toBe(0);
  expect((await command(cwd, ['db', 'verify', '--db', 'my.db'])).stdout).toContain('1 runs');
  expect(readdirSync(cwd).filter((name) => /restored|partial|-wal/.test(name))).toEqual([]);
});
