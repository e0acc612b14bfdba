// Commands of upkeep that are killed in the middle: `db restore` before calls of the file system, `db rekey` before commits.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyStore } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it, vi } from 'vitest';
import { command, folder, ownProcess } from './command.ts';

vi.setConfig({ testTimeout: 120_000 });
const env = { AGENT_MACHINES_KEY: '01'.repeat(31).concat('02') };
const request = { owner: 'o_1', leaseMs: 30_000, now: 1_000, monotonic: 0 };

async function addRun(cwd: string, id: string): Promise<void> {
  const store = sqliteStore({ path: join(cwd, 'my.db') });
  const run = { id, workflow: 'example', version: '1', structure: 's', ifBusy: 'reject', threadId: 't_1' } as const;
  const start = { seq: 1, key: 'run', kind: 'start', outcome: { input: 'swordfish' }, events: [], epoch: 1, at: 1_000 } as const;
  const { lease } = await store.create(run, [start], request);
  await store.settle(lease, { status: 'done', activeMs: 1, threadState: { said: 'swordfish' } });
  await store.close();
}

async function runsOf(cwd: string): Promise<number> {
  const { code, stdout } = await command(cwd, ['db', 'verify', '--db', 'my.db', '--json']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"problems":[]')]);
  return (JSON.parse(stdout) as { readonly runs: number }).runs;
}

const shared = 'let left = Number(process.env.KILL_AT); const die = () => process.kill(process.pid, "SIGKILL");';
const beforeCall = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'; ${shared}
const name = process.env.KILL_CALL; const known = fs[name];
fs[name] = (...given) => (String(given[0]).includes('my.db') && --left === 0 ? die() : known(...given)); syncBuiltinESMExports();`;
const beforeCommit = `import { DatabaseSync } from 'node:sqlite'; ${shared}
const prepare = DatabaseSync.prototype.prepare;
DatabaseSync.prototype.prepare = function (sql) {
  const made = prepare.call(this, sql);
  if (!/^COMMIT/.test(sql)) return made;
  const run = made.run.bind(made);
  return Object.assign(made, { run: (...given) => (--left === 0 ? die() : run(...given)) });
};`;

/** Runs a command with a script that kills it. Returns false if the command has ended before. */
async function isKilled(cwd: string, args: readonly string[], script: string, given: Readonly<Record<string, string>>): Promise<boolean> {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;
  const { code, stdout } = await ownProcess(cwd, [...args, '--db', 'my.db', '--json'], { ...given, NODE_OPTIONS });
  if (code === 0) expect(stdout).toMatch(/"type":"(?:rekeyed|restored)"/);
  return code !== 0;
}

it.each([
  ['openSync', 1, 2],
  ['linkSync', 1, 2],
  ['renameSync', 1, 2],
  ['rmSync', 2, 1], // after the file has its name
])('keeps a whole database when a restore is killed before %s %i', async (KILL_CALL, number, runs) => {
  const cwd = folder();
  await addRun(cwd, 'r_1');
  expect((await command(cwd, ['db', 'backup', 'backup.db', '--db', 'my.db'])).code).toBe(0);
  await addRun(cwd, 'r_2');
  expect(await isKilled(cwd, ['db', 'restore', 'backup.db', '--replace'], beforeCall, { KILL_CALL, KILL_AT: String(number) })).toBe(true);
  expect(await runsOf(cwd)).toBe(runs);
  await addRun(cwd, 'r_3');
  expect(await runsOf(cwd)).toBe(runs + 1);
  expect((await command(cwd, ['db', 'restore', 'backup.db', '--replace', '--db', 'my.db'])).code).toBe(0);
  expect(await runsOf(cwd)).toBe(1);
});

it('continues a change of keys that was killed before any commit', async () => {
  let kills = 0;
  for (; ; kills++) {
    const cwd = folder();
    for (const id of ['r_1', 'r_2']) await addRun(cwd, id);
    const killed = await isKilled(cwd, ['db', 'rekey'], beforeCommit, { ...env, KILL_AT: String(kills + 1) });
    expect(await runsOf(cwd)).toBe(2);
    expect((await command(cwd, ['db', 'rekey', '--db', 'my.db'], env)).code).toBe(0);
    expect(readdirSync(cwd).filter((name) => readFileSync(join(cwd, name)).includes('swordfish'))).toEqual([]);
    const store = sqliteStore({ path: join(cwd, 'my.db'), encrypt: { key: env.AGENT_MACHINES_KEY } });
    for (const id of ['r_1', 'r_2']) expect((await store.journal(id))[0]?.outcome).toEqual({ input: 'swordfish' });
    expect((await store.readThread('t_1'))?.state).toEqual({ said: 'swordfish' });
    expect((await verifyStore(store)).problems).toEqual([]);
    await store.close();
    if (!killed) break;
  }
  expect(kills).toBeGreaterThan(3);
});
