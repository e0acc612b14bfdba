// An encrypted database on the command line.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { command, folder, ownProcess } from './command.ts';

const [older, newer] = ['01'.repeat(31).concat('02'), '03'.repeat(31).concat('04')];
const ask = ['run', 'plan-execute', 'What is (23 + 19) * 3?', '--db', 'my.db'];

const holds = (cwd: string, text: string): boolean => readdirSync(cwd).some((name) => readFileSync(join(cwd, name)).includes(text));

it('encrypts the runs of a database by the key of the environment or of a file', async () => {
  const cwd = folder();
  const first = await command(cwd, ask, { AGENT_MACHINES_KEY: older });
  expect([first.code, first.stdout.includes('126'), holds(cwd, '23 + 19')]).toEqual([0, true, false]);
  writeFileSync(join(cwd, 'keys.txt'), `${older}\n`);
  expect(await command(cwd, ['runs', '--db', 'my.db', '--key-file', 'keys.txt'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('plan'),
  });
  for (const name of ['verify', 'status']) expect((await command(cwd, ['db', name, '--db', 'my.db'])).code).toBe(0);
});

it.each([
  ['no key', {}],
  ['another key', { AGENT_MACHINES_KEY: newer }],
  ['an empty key', { AGENT_MACHINES_KEY: '' }],
  ['half a key', { AGENT_MACHINES_KEY: older.slice(32) }],
])('refuses %s, writes nothing and prints no key', async (_, env) => {
  const cwd = folder();
  const run = await command(cwd, ask, { AGENT_MACHINES_KEY: older });
  const [, runId = ''] = /(r_\w+)/.exec(run.stderr + run.stdout) ?? [];
  const before = readFileSync(join(cwd, 'my.db'), 'latin1');
  for (const args of [ask, ['show', runId, '--db', 'my.db'], ['runs', 'export', runId, '--db', 'my.db']]) {
    const { code, stdout, stderr } = await command(cwd, args, env);
    expect([args[0], code, (stdout + stderr).includes('STORE_KEY_INVALID')]).toEqual([args[0], 1, true]);
    expect(stdout + stderr).not.toContain(older.slice(32));
  }
  expect(readFileSync(join(cwd, 'my.db'), 'latin1')).toBe(before);
});

it('encrypts a database of clear text, and replaces its key', async () => {
  const cwd = folder();
  await command(cwd, ask);
  expect(holds(cwd, '23 + 19')).toBe(true);
  const first = await command(cwd, ['db', 'rekey', '--db', 'my.db', '--json'], { AGENT_MACHINES_KEY: older });
  expect(JSON.parse(first.stdout)).toMatchObject({ type: 'rekeyed', runs: 1, driven: 0 });
  expect(holds(cwd, '23 + 19')).toBe(false);
  writeFileSync(join(cwd, 'keys.txt'), `${newer}\n${older}\n`);
  const second = await command(cwd, ['db', 'rekey', '--db', 'my.db', '--key-file', 'keys.txt']);
  expect([second.code, second.stderr]).toEqual([0, 'Encrypted 1 runs and 1 threads of my.db.\n']);
  expect((await command(cwd, ask, { AGENT_MACHINES_KEY: newer })).code).toBe(0);
  expect((await command(cwd, ask, { AGENT_MACHINES_KEY: older })).code).toBe(1);
  expect((await command(cwd, ['db', 'rekey', '--db', 'my.db'])).code).toBe(2);
  expect((await command(cwd, [...ask, '--key-file', 'none.txt'])).code).toBe(2);
});

it('serves and shows encrypted runs', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'keys.txt'), `${older}\n`);
  await command(cwd, [...ask, '--key-file', 'keys.txt']);
  const token = 'a-token-of-this-test';
  const args = ['serve', '--json', '--port', '0', '--db', 'my.db', '--key-file', 'keys.txt'];
  const serving = ownProcess(cwd, args, { AGENT_MACHINES_TOKEN: token });
  await serving.sees('http://127.0.0.1:');
  const { url } = JSON.parse(await serving.firstLine()) as { readonly url: string };
  const read = async (path: string): Promise<string> =>
    (await fetch(`${url}/api/runs${path}`, { headers: { authorization: `Bearer ${token}` } })).text();
  const [, runId = ''] = /"(r_\w+)"/.exec(await read('')) ?? [];
  expect(await read(`/${runId}`)).toContain('23 + 19');
  serving.kill('SIGTERM');
  expect((await serving).code).toBe(0);
  expect(holds(cwd, '23 + 19')).toBe(false);
});
