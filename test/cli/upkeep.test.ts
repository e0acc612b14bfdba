// `agent-machines db …`: what keeps a database in order.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { createRuntime } from 'agent-machines';
import { createLongTermMemory } from 'agent-machines/memory';
import { hashedEmbedder } from 'agent-machines/search';
import { sqliteIndex } from 'agent-machines/search/node';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { fakeClock } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { final, type LogHandler, logWorkflow, node, says, waiting } from '../fixtures/log-workflow.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder, ownProcess } from './command.ts';

const telling = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: says('said') } });
const asking = logWorkflow({ id: 'asking', states: { ask: waiting({ GO: 'done' }), done: final } });

/** A folder with the database `my.db`: a run that has ended, and one that waits. */
async function lived(): Promise<string> {
  const cwd = folder();
  const store = sqliteStore({ path: join(cwd, 'my.db') });
  const runtime = createRuntime({ store });
  await runtime.start(telling, {}, { runId: 'r_1' }).result;
  await runtime.start(asking, {}, { runId: 'r_2' }).result;
  await runtime.close();
  await store.close();
  return cwd;
}

describe('db', () => {
  it('reports the state in status, and creates nothing', async () => {
    const cwd = await lived();
    const { code, stdout } = await command(cwd, ['db', 'status', '--db', 'my.db']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^my\.db is up to date, version \d+\nsize: \d+ kB\nruns: 2 \(1 done, 1 waiting\)\nthreads: 0\ngeneration: 2\nwaits longest: r_2 \(asking, waiting\) since 20\S+Z\n$/,
      ),
    ]);
    const none = await command(cwd, ['db', 'status', '--db', 'no/none.db']);
    expect([none.code, none.stdout]).toEqual([1, 'no/none.db does not exist\n']);
    expect(readdirSync(cwd)).toEqual(['my.db']);
  });

  it.each(['migrate', 'verify', 'backup copy.db'])('creates no missing database in %s', async (words) => {
    const cwd = folder();
    const { code } = await command(cwd, ['db', ...words.split(' '), '--db', 'none.db']);
    expect([code === 0, readdirSync(cwd)]).toEqual([false, []]);
  });

  it('prints both versions in migrate, once', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'old.db'), gunzipSync(readFileSync('test/fixtures/store-of-version-8.db.gz')));
    const before = await command(cwd, ['db', 'status', '--db', 'old.db']);
    expect(before.stdout).toMatch(/old\.db is older, version 8[\s\S]*Migrate it: .* db migrate --db old\.db\n$/);
    const copied = await command(cwd, ['db', 'backup', 'before.db', '--db', 'old.db', '--json']);
    expect(JSON.parse(copied.stdout)).toMatchObject({ type: 'backed-up', file: 'before.db', runs: 4 });
    const { code, stdout } = await command(cwd, ['db', 'migrate', '--db', 'old.db']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Migrated: version 8 → \d+\.\nRewrote the file\. .*\n$/)]);
    const again = await command(cwd, ['db', 'migrate', '--db', 'old.db', '--json']);
    const { from, to } = JSON.parse(again.stdout) as { readonly from: number; readonly to: number };
    expect([again.code, from > 8, to]).toEqual([0, true, from]);
    const kept = await command(cwd, ['db', 'status', '--db', 'before.db', '--json']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ state: 'older', version: 8 });
  });

  it('rejects tables that are too old, with a remedy', async () => {
    const cwd = await lived();
    const db = new DatabaseSync(join(cwd, 'my.db'));
    db.exec('PRAGMA user_version = 7');
    db.close();
    const before = readFileSync(join(cwd, 'my.db'));
    const status = await command(cwd, ['db', 'status', '--db', 'my.db']);
    expect([status.code, status.stdout]).toEqual([
      1,
      expect.stringMatching(/^my\.db is too old for this program, version 7 \(this program knows \d+\)\nExport its runs .*\n$/),
    ]);
    for (const words of [['db', 'migrate'], ['db', 'verify'], ['db', 'backup', 'copy.db'], ['runs']]) {
      const { code, stderr } = await command(cwd, [...words, '--db', 'my.db']);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/my\.db has tables of version 7[\s\S]*runs export[\s\S]*runs import/)]);
    }
    expect(readFileSync(join(cwd, 'my.db')).equals(before)).toBe(true);
  });

  it('rejects newer tables', async () => {
    const cwd = await lived();
    const db = new DatabaseSync(join(cwd, 'my.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(JSON.parse((await command(cwd, ['db', 'status', '--db', 'my.db', '--json'])).stdout)).toMatchObject({
      state: 'newer',
      version: 99,
    });
    for (const words of [['migrate'], ['verify'], ['backup', 'copy.db']]) {
      const { code, stdout } = await command(cwd, ['db', ...words, '--db', 'my.db', '--json']);
      expect([code, JSON.parse(stdout)]).toMatchObject([1, { code: 'STORE_VERSION' }]);
    }
    expect(existsSync(join(cwd, 'copy.db'))).toBe(false);
  });

  it('lists every defect in verify', async () => {
    const cwd = await lived();
    const sound = await command(cwd, ['db', 'verify', '--db', 'my.db']);
    expect([sound.code, sound.stdout]).toEqual([0, '✓ 2 runs with 5 entries, 0 threads: all sound.\n']);
    const db = new DatabaseSync(join(cwd, 'my.db'));
    db.exec("UPDATE runs SET status = 'waiting' WHERE id = 'r_1'");
    db.close();
    const { code, stdout } = await command(cwd, ['db', 'verify', '--db', 'my.db']);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/✗ JOURNAL_CORRUPT: Another program has changed the record of the run r_1[\s\S]*1 of them damaged\.\n$/),
    ]);
    const copied = await command(cwd, ['db', 'backup', 'copy.db', '--db', 'my.db']);
    expect([copied.code, existsSync(join(cwd, 'copy.db'))]).toEqual([1, true]);
    const over = await command(cwd, ['db', 'backup', 'copy.db', '--db', 'my.db']);
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining('already exists')]);
  });

  it('explains the backup of a database on a server, and shows no password', async () => {
    const { code, stderr } = await command(folder(), ['db', 'backup', 'my copy', '--db', 'postgres://ada:s3cret@host/agents']);
    expect([code, stderr.includes('s3cret')]).toEqual([2, false]);
    expect(stderr).toContain("pg_dump --format=custom --schema=agent_machines --file='my copy' postgres://ada@host/agents");
  });
});

/** Whether a text stands in any file of a folder. */
const has = (cwd: string, text: string): boolean =>
  readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text));

describe('db prune', () => {
  it('removes runs that ended long ago, with every byte of them', async () => {
    const cwd = folder();
    const store = sqliteStore({ path: join(cwd, 'my.db') });
    const old = createRuntime({ store, clock: fakeClock(Date.now() - 40 * 86_400_000) });
    await old.start(telling, { log: ['NEEDLE'.repeat(2_000)] }, { runId: 'r_1' }).result;
    await old.start(telling, { log: ['NEEDLE'] }, { runId: 'r_2', threadId: 't' }).result;
    const runtime = createRuntime({ store });
    await runtime.start(telling, { log: ['HAY'] }, { runId: 'r_3', threadId: 't' }).result;
    for (const one of [old, runtime]) await one.close();
    expect(has(cwd, 'NEEDLE')).toBe(true);
    const prune = ['db', 'prune', '--db', 'my.db', '--older-than', '30d'];
    const dry = await command(cwd, [...prune, '--dry-run', '--json']);
    expect(JSON.parse(dry.stdout)).toMatchObject({ type: 'pruned', dryRun: true, runs: 2, places: [{ runId: 'r_1' }, { runId: 'r_2' }] });
    expect(has(cwd, 'NEEDLE')).toBe(true);
    const kept = await command(cwd, [...prune, '--keep', '3']);
    expect([kept.code, kept.stderr]).toEqual([0, 'Removed 0 runs.\n']);
    // the store is open here meanwhile: its log is a file, too
    const { code, stderr } = await command(cwd, prune);
    expect([code, stderr]).toEqual([0, 'Removed 2 runs.\n']);
    expect([has(cwd, 'NEEDLE'), has(cwd, 'HAY')]).toEqual([false, true]);
    await store.close();
    expect(has(cwd, 'NEEDLE')).toBe(false);
  });

  it.each([
    [['--older-than', '30'], '30d, 12h, 90m or 45s'],
    [['--older-than', '-1d'], '30d, 12h, 90m or 45s'],
    [['--older-than', '1.5d'], '30d, 12h, 90m or 45s'],
    [[], '--older-than'],
    [['--older-than', '1d', '--status', 'waiting'], 'Allowed choices are done, failed, cancelled'],
    [['--older-than', '1d', '--keep', 'all'], 'whole number'],
  ])('rejects %j', async (flags, said) => {
    const cwd = await lived();
    const { code, stderr } = await command(cwd, ['db', 'prune', '--db', 'my.db', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    expect((await command(cwd, ['runs', '--db', 'my.db', '--json'])).stdout.split('\n').length).toBe(3);
  });
});

describe('db forget', () => {
  it('removes a conversation and the memories that only it wrote', async () => {
    const cwd = folder();
    const ask = async (text: string, thread: string): Promise<void> => {
      const asked = await command(cwd, ['run', 'guide-agent', text, '--thread', thread, '--user', 'ada', '--db', 'my.db']);
      const [, runId = '', interrupt = ''] = /run (r_\w+)[\s\S]*--interrupt (i_\w+)/.exec(asked.stderr) ?? [];
      const sent = await command(cwd, ['send', runId, 'APPROVE', '--interrupt', interrupt, '--db', 'my.db']);
      expect(sent.code).toBe(0);
    };
    const memories = async (): Promise<readonly string[]> =>
      (await command(cwd, ['memory', 'list', '--user', 'ada', '--db', 'my.db', '--json'])).stdout
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { readonly text: string }).text);
    // the second one is told what the first one has remembered, not the other way round
    await ask('발표 자료를 만들고 나레이션도 넣고 싶어. 나는 파란색을 좋아해. 영어로 하고 싶어', 'talk');
    const others = await memories();
    await ask('나는 하모니카 쇼츠를 좋아해. 유튜브 쇼츠를 만들어서 올리고 싶어. 무료로 하고 싶어', 'film');
    const own = (await memories()).filter((text) => !others.includes(text));
    expect([own.length > 0, own.map((text) => has(cwd, text)), has(cwd, '하모니카')]).toEqual([true, own.map(() => true), true]);
    const { code, stdout } = await command(cwd, ['db', 'forget', 'film', '--db', 'my.db', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        type: 'forgotten',
        threadId: 'film',
        runs: 1,
        memories: own.length,
        places: expect.arrayContaining([
          { place: 'runs', erased: 'bytes gone' },
          { place: 'memories', erased: 'bytes gone' },
        ]),
      },
    ]);
    expect(await memories()).toEqual(others);
    expect([own.map((text) => has(cwd, text)), has(cwd, '하모니카')]).toEqual([own.map(() => false), false]);
    const again = await command(cwd, ['db', 'forget', 'film', '--db', 'my.db']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('THREAD_UNKNOWN')]);
    const none = await command(cwd, ['db', 'forget', 'film', '--db', 'none.db']);
    expect([none.code, existsSync(join(cwd, 'none.db'))]).toEqual([1, false]);
  });

  it('removes the memories of its forks too', async () => {
    const cwd = folder();
    const embedder = hashedEmbedder();
    const index = await sqliteIndex({ path: join(cwd, 'my.memory.db'), embedder, wordsOf: () => '' });
    const memory = createLongTermMemory({ index, embedder });
    let writer = 1;
    const note = (nth: number): LogHandler => {
      return async (_state, io) => {
        const text = `note ${nth} of ${writer}`;
        await io.step('write', async () => ({ remembered: text, id: (await memory.write('local', { kind: 'fact', text })).id }));
        return { log: [] };
      };
    };
    const noting = logWorkflow({
      states: { a: node('first', 'b'), b: node('second', 'done'), done: final, failed: final },
      nodes: { first: note(1), second: note(2) },
    });
    const store = sqliteStore({ path: join(cwd, 'my.db') });
    const runtime = createRuntime({ store });
    const source = runtime.start(noting, {}, { threadId: 'talk' });
    await source.result;
    writer = 2;
    await (await runtime.fork(source.id, { at: 'b#1' })).result;
    await runtime.close();
    await store.close();
    const { code, stdout } = await command(cwd, ['db', 'forget', 'talk', '--db', 'my.db', '--json']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        type: 'forgotten',
        threadId: 'talk',
        runs: 1,
        memories: 1,
        places: expect.arrayContaining([
          { place: 'runs', erased: 'bytes gone' },
          { place: 'memories', erased: 'bytes gone' },
        ]),
      },
    ]);
    expect((await memory.list('local')).map(({ text }) => text).sort()).toEqual(['note 1 of 1', 'note 2 of 2']);
    await index.close();
  });

  it('forgets nothing while a run is in progress', async () => {
    await using model = await startOpenaiServer();
    const cwd = folder();
    model.answer({ type: 'silence' });
    const running = ownProcess(cwd, ['run', 'plan-execute', 'add', '--thread', 'sums', '--base-url', model.url, '--db', 'my.db']);
    await running.sees('run r_');
    const { code, stderr } = await command(cwd, ['db', 'forget', 'sums', '--db', 'my.db']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/RUN_BUSY[\s\S]*cancel r_\w+ --db my\.db/)]);
    running.kill('SIGKILL');
    await running;
  });
});
