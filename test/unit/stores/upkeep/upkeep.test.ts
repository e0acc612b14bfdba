import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createRuntime, memoryStore } from 'agent-machines';
import { verifyStore } from 'agent-machines/stores';
import { describe, expect, it, vi } from 'vitest';
import { backupSqlite } from '../../../../src/stores/sqlite/backup-sqlite.ts';
import { sqliteStatus } from '../../../../src/stores/sqlite/sqlite-status.ts';
import { verifySqlite } from '../../../../src/stores/sqlite/verify-sqlite.ts';
import { startChild } from '../../../fixtures/child.ts';
import { final, logWorkflow, node, says, waiting } from '../../../fixtures/log-workflow.ts';
import { inDatabase, outcomeOf, sqliteFiles } from '../../../fixtures/sqlite-files.ts';

const { newPath, openStore, open } = sqliteFiles('upkeep-');

const asking = logWorkflow({
  states: { a: node('a', 'ask'), ask: waiting({ GO: 'done' }), done: final, failed: final },
  nodes: { a: says('said') },
  thread: { initial: [], next: (_before, { state }) => state.log },
});
const telling = logWorkflow({
  id: 'telling',
  states: { a: node('a', 'done'), done: final, failed: final },
  nodes: { a: says('said') },
  thread: { initial: [], next: (_before, { state }) => state.log },
});

/** A file with two ended runs of a thread, and one that waits in another. Nobody has it open. */
async function livedFile(): Promise<string> {
  const path = newPath();
  const store = openStore(path);
  const runtime = createRuntime({ store });
  for (const runId of ['r_1', 'r_2']) await runtime.start(telling, {}, { runId, threadId: 'ended' }).result;
  await runtime.start(asking, {}, { runId: 'r_3', threadId: 'waits' }).result;
  await runtime.close();
  await store.close();
  open.splice(open.indexOf(store), 1);
  return path;
}

/** All files that have to do with one, and what is in them. */
const filesOf = (path: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dirname(path))
      .filter((name) => name.startsWith(basename(path)) && statSync(join(dirname(path), name)).isFile())
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(dirname(path), name)))
          .digest('hex'),
      ]),
  );

/** A file of the version before, or of one that is older still. */
function olderFile(version = 8): string {
  const path = newPath();
  writeFileSync(path, gunzipSync(readFileSync('test/fixtures/store-of-version-8.db.gz')));
  if (version < 8) inDatabase(path, (db) => db.exec(`PRAGMA user_version = ${version}`));
  return path;
}

describe('sqliteStatus', () => {
  it('reports version, sizes and runs without changing the file or its folder', async () => {
    const path = await livedFile();
    const before = filesOf(path);
    expect(await sqliteStatus(path)).toEqual({
      kind: 'sqlite',
      state: 'current',
      version: expect.any(Number) as number,
      known: expect.any(Number) as number,
      generation: 3,
      bytes: statSync(path).size,
      logBytes: 0,
      threads: 2,
      runs: { done: 2, waiting: 1 },
      oldestWaiting: { runId: 'r_3', workflow: 'log', status: 'waiting', since: expect.any(Number) as number },
    });
    expect(filesOf(path)).toEqual(before);
  });

  it('reports an older version without upgrading the file', async () => {
    const path = olderFile();
    const before = filesOf(path);
    expect(await sqliteStatus(path)).toMatchObject({
      state: 'older',
      version: 8,
      runs: { done: 1, waiting: 1, queued: 1, running: 1 },
      oldestWaiting: { runId: 'r_4' },
    });
    expect(filesOf(path)).toEqual(before);
  });

  it('includes commits that another process has written only to the log', async () => {
    const path = newPath();
    const runtime = createRuntime({ store: openStore(path) });
    await runtime.start(asking, {}).result;
    const before = filesOf(path);
    const status = await sqliteStatus(path);
    expect(status).toMatchObject({ state: 'current', runs: { waiting: 1 } });
    expect(status.logBytes).toBeGreaterThan(0);
    const { [`${basename(path)}-shm`]: _, ...after } = filesOf(path); // who looks is noted in it
    expect(before).toMatchObject(after);
  });

  it.each<[string, (path: string) => void, object]>([
    ['a missing file', () => {}, { state: 'missing' }],
    ['an empty file', (path) => writeFileSync(path, ''), { state: 'empty' }],
    [
      'a newer file',
      (path) => inDatabase(path, (db) => db.exec('CREATE TABLE a (b); PRAGMA application_id = 1634159969; PRAGMA user_version = 99')),
      { state: 'newer', version: 99 },
    ],
    ['a file that is too old', (path) => writeFileSync(path, readFileSync(olderFile(7))), { state: 'unsupported', version: 7 }],
    ['a file of another program', (path) => inDatabase(path, (db) => db.exec('CREATE TABLE a (b)')), { state: 'foreign' }],
  ])('reports the state of %s', async (_name, make, expected) => {
    const path = newPath();
    make(path);
    const before = filesOf(path);
    expect(await sqliteStatus(path)).toMatchObject(expected);
    expect(filesOf(path)).toEqual(before);
  });

  it.each([
    ['a file that is not a database', (path: string) => writeFileSync(path, 'a letter'.repeat(500))],
    ['a folder', (path: string) => mkdirSync(path)],
  ])('refuses %s', async (_name, make) => {
    const path = newPath();
    make(path);
    expect(await outcomeOf(() => sqliteStatus(path))).toBe('STORE_UNAVAILABLE');
  });

  it('reads a read-only file behind a link with special characters in its name', async () => {
    const path = await livedFile();
    const odd = `${newPath()} ?mode=rwc&a%20#한글.db`;
    symlinkSync(path, odd);
    chmodSync(path, 0o444);
    expect(await sqliteStatus(odd)).toMatchObject({ runs: { done: 2 } });
    expect((await verifySqlite(odd)).problems).toEqual([]);
  });
});

describe('verifySqlite', () => {
  it('finds no problem in a valid file and changes neither the file nor its folder', async () => {
    const path = await livedFile();
    const before = filesOf(path);
    expect(await verifySqlite(path)).toEqual({ runs: 3, entries: 9, threads: 2, problems: [] });
    expect(filesOf(path)).toEqual(before);
  });

  it('checks a copy of a file of the previous version', async () => {
    const path = olderFile();
    const before = filesOf(path);
    // the structure in this file is not the one of its runs
    expect(await verifySqlite(path)).toMatchObject({ runs: 4, threads: 1, problems: [{ message: expect.stringContaining('structure') }] });
    expect(filesOf(path)).toEqual(before);
  });

  it('finds no problem in runs that another process drives', async () => {
    const path = newPath();
    const child = startChild('growing-process.ts', [path, '100']);
    await child.line(20);
    for (let times = 0; times < 10; times++) expect((await verifySqlite(path)).problems).toEqual([]);
    child.kill('SIGKILL');
    await child.ended;
    const { problems, entries } = await verifySqlite(path);
    expect([problems, entries >= Number(child.lines.at(-1))]).toEqual([[], true]);
  });

  it.each<[string, string, object]>([
    [
      'a changed entry',
      `UPDATE journal SET outcome = '{"output":{"log":["else"]}}' WHERE id = 1000002`,
      { code: 'JOURNAL_CORRUPT', runId: 'r_1' },
    ],
    ['a missing entry', 'DELETE FROM journal WHERE id = 1000002', { code: 'JOURNAL_CORRUPT', runId: 'r_1' }],
    ['a missing last entry', 'DELETE FROM journal WHERE id = 1000003', { code: 'JOURNAL_CORRUPT', runId: 'r_1' }],
    ['a missing journal', 'DELETE FROM journal WHERE id < 2000000', { code: 'JOURNAL_MISSING', runId: 'r_1' }],
    ['a changed status', `UPDATE runs SET status = 'waiting' WHERE id = 'r_1'`, { code: 'JOURNAL_CORRUPT', runId: 'r_1' }],
    [
      'a missing run',
      `DELETE FROM runs WHERE id = 'r_1'`,
      { code: 'JOURNAL_CORRUPT', message: '3 entries belong to run number 1, which does not exist.' },
    ],
    ['a changed thread', `UPDATE threads SET state = '[]' WHERE id = 'ended'`, { code: 'JOURNAL_CORRUPT', threadId: 'ended' }],
    ['a missing thread', `DELETE FROM threads WHERE id = 'ended'`, { code: 'THREAD_LOST', threadId: 'ended' }],
    [
      'a thread without runs',
      `DELETE FROM journal WHERE id > 3000000; DELETE FROM runs WHERE id = 'r_3'`,
      { code: 'JOURNAL_CORRUPT', message: 'The thread waits has no run.' },
    ],
    ['a changed structure', `UPDATE structures SET structure = '{}'`, { code: 'JOURNAL_CORRUPT', runId: 'r_2' }],
    ['a structure that is not JSON', `UPDATE structures SET structure = '{'`, { code: 'JOURNAL_CORRUPT', runId: 'r_2' }],
    [
      'an index without a row',
      `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX runs_of_status ON runs (status, n)' WHERE name = 'runs_of_status'`,
      { code: 'JOURNAL_CORRUPT', message: expect.stringContaining('SQLite reports a damaged file') },
    ],
  ])('finds %s without changing the file', async (_name, sql, expected) => {
    const path = await livedFile();
    inDatabase(path, (db) => {
      db.enableDefensive?.(false);
      db.exec(sql);
    });
    const before = filesOf(path);
    const { problems } = await verifySqlite(path);
    expect(problems).toContainEqual(expect.objectContaining(expected));
    expect(filesOf(path)).toEqual(before);
  });

  it.each([
    ['too old', 'STORE_VERSION', (path: string) => inDatabase(path, (db) => db.exec('PRAGMA user_version = 7'))],
    ['newer', 'STORE_VERSION', (path: string) => inDatabase(path, (db) => db.exec('PRAGMA user_version = 99'))],
    ['foreign', 'STORE_VERSION', (path: string) => inDatabase(path, (db) => db.exec('PRAGMA application_id = 7'))],
    ['cut off', 'STORE_UNAVAILABLE', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 50))],
  ])('refuses a file that is %s', async (_name, code, change) => {
    const path = await livedFile();
    change(path);
    expect(await outcomeOf(() => verifySqlite(path))).toBe(code);
  });
});

describe('verifyStore', () => {
  it('checks any store', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store });
    await runtime.start(telling, {}, { threadId: 't' }).result;
    expect(await verifyStore(store)).toEqual({ runs: 1, entries: 3, threads: 1, problems: [] });
    const broken = { ...store, readThread: () => ({ id: 't', workflow: 'telling', revision: 1, state: [], activeRun: 'r_9' }) };
    expect((await verifyStore(broken)).problems).toMatchObject([{ code: 'JOURNAL_CORRUPT', threadId: 't', runId: 'r_9' }]);
    const gone = { ...store, journal: () => Promise.reject(new Error('no network')) };
    await expect(verifyStore(gone)).rejects.toThrow('no network');
  });

  it('checks more runs than one page of a list', async () => {
    const store = memoryStore();
    for (let n = 0; n < 1_001; n++) {
      const run = { id: `r_${n}`, workflow: 'w', version: '1', structure: 's', ifBusy: 'reject' } as const;
      const start = { seq: 1, key: 'run', kind: 'start', outcome: {}, events: [], epoch: 1, at: 0 } as const;
      await store.create(run, [start], { owner: 'o_1', leaseMs: 1, now: 0, monotonic: 0 });
    }
    expect(await verifyStore(store)).toMatchObject({ runs: 1_001, entries: 1_001 });
  });
});

describe('backupSqlite', () => {
  it('copies a file so that its runs can resume in the copy', async () => {
    const path = await livedFile();
    chmodSync(path, 0o600);
    const before = filesOf(path);
    const to = newPath();
    expect(await backupSqlite(path, to)).toMatchObject({ runs: 3, problems: [] });
    expect(filesOf(path)).toEqual(before);
    expect([Object.keys(filesOf(to)), statSync(to).mode & 0o777]).toEqual([[basename(to)], 0o600]);
    const runtime = createRuntime({ store: openStore(to), workflows: [asking] });
    expect((await (await runtime.resume('r_3')).result).status).toBe('waiting');
  });

  it('copies a file of the previous version without upgrading it', async () => {
    const to = newPath();
    await backupSqlite(olderFile(), to);
    expect(await sqliteStatus(to)).toMatchObject({ state: 'older', version: 8 });
  });

  it('copies a consistent state while another process writes', async () => {
    const path = newPath();
    const child = startChild('growing-process.ts', [path, '2000']);
    for (let copy = 1; copy <= 5; copy++) {
      await child.line(copy * 40);
      const to = newPath();
      const durable = Number(child.lines.at(-1));
      const { problems, entries } = await backupSqlite(path, to);
      expect([problems, entries >= durable]).toEqual([[], true]);
    }
    child.kill('SIGKILL');
    await child.ended;
  });

  it('overwrites no file and leaves no partial copy when it fails', async () => {
    const path = await livedFile();
    const to = newPath();
    writeFileSync(to, 'mine');
    expect(await outcomeOf(() => backupSqlite(path, to))).toBe('OPTION_INVALID');
    expect(await outcomeOf(() => backupSqlite(path, path))).toBe('OPTION_INVALID');
    const link = newPath();
    symlinkSync(newPath(), link);
    expect(await outcomeOf(() => backupSqlite(path, link))).toBe('OPTION_INVALID');
    expect([readFileSync(to, 'utf8'), Object.keys(filesOf(to))]).toEqual(['mine', [basename(to)]]);
    const other = newPath();
    writeFileSync(other, 'no database'.repeat(100));
    const none = newPath();
    expect(await outcomeOf(() => backupSqlite(other, none))).toBe('STORE_UNAVAILABLE');
    expect(await outcomeOf(() => backupSqlite(path, join(none, 'in', 'no', 'folder')))).toBe('STORE_UNAVAILABLE');
    expect(filesOf(none)).toEqual({});
  });

  it('reports the problems of the copy', async () => {
    const path = await livedFile();
    inDatabase(path, (db) => db.exec(`UPDATE runs SET status = 'done' WHERE id = 'r_3'`));
    const { problems } = await backupSqlite(path, newPath());
    expect(problems).toContainEqual(expect.objectContaining({ code: 'JOURNAL_CORRUPT', runId: 'r_3' }));
  });

  it('leaves a complete copy or none when its process is killed', async () => {
    const path = await livedFile();
    inDatabase(path, (db) => db.exec(`INSERT INTO structures VALUES ('large', '${'x'.repeat(8_000_000)}')`));
    // by the calls that it makes, and the last one somewhere within the copy
    for (const [call, isWhole] of [
      ['truncateSync', false],
      ['fsyncSync', false],
      ['linkSync', false],
      ['rmSync', true],
      ['', undefined],
    ] as const) {
      const to = newPath();
      const child = startChild('backup-process.ts', [path, to, call]);
      const isBegun = (): boolean => readdirSync(dirname(to)).some((name) => name.startsWith(`${basename(to)}.partial-`));
      if (call === '') {
        await vi.waitFor(() => expect(isBegun() || child.lines.length > 0).toBe(true), { timeout: 30_000, interval: 1 });
        child.kill('SIGKILL');
      }
      await child.ended;
      if (call !== '') expect([call, existsSync(to), child.lines]).toEqual([call, isWhole, []]);
      if (!existsSync(to)) continue;
      expect((await verifySqlite(to)).problems).toEqual([]);
      expect(readFileSync(to).length).toBeGreaterThan(8_000_000);
    }
  });
});

describe('migrations', () => {
  it.each([0, 8])('leave the old or the new tables when killed before any statement, from version %i', async (version) => {
    let kills = 0;
    for (let killAt = 1; ; killAt++) {
      const path = version === 0 ? newPath() : olderFile();
      const child = startChild('opening-process.ts', [path, String(killAt)]);
      await child.ended;
      const { state, version: found = 0, known } = await sqliteStatus(path);
      if (child.lines.length > 0) {
        expect(state).toBe('current');
        expect(killAt).toBeGreaterThan(5);
        break;
      }
      kills++;
      expect([version, known]).toContain(found);
      const columns = inDatabase(path, (db) => db.prepare("SELECT name FROM pragma_table_info('file')").all().length);
      expect(columns, `${killAt}`).toBe(found === known ? 4 : found === 8 ? 2 : 0);
      const store = openStore(path);
      expect((await store.tally()).runs.length).toBe(version === 0 ? 0 : 4);
    }
    expect(kills).toBeGreaterThan(5);
  });
});
