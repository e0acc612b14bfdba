// `agent-machines db …`: what keeps a database in order.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, node, says, waiting } from '../fixtures/log-workflow.ts';
import { command, folder } from './command.ts';

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
  it('status says what is there, and makes nothing', async () => {
    const cwd = await lived();
    const { code, stdout } = await command(cwd, ['db', 'status', '--db', 'my.db']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^my\.db is up to date, version \d+\nsize: \d+ kB\nruns: 2 \(1 done, 1 waiting\)\nthreads: 0\ngeneration: 2\nwaits longest: r_2 \(asking, waiting\) since 20\S+Z\n$/,
      ),
    ]);
    const none = await command(cwd, ['db', 'status', '--db', 'no/none.db']);
    expect([none.code, none.stdout]).toEqual([1, 'no/none.db is not there\n']);
    expect(readdirSync(cwd)).toEqual(['my.db']);
  });

  it.each(['migrate', 'verify', 'backup copy.db'])('%s makes no database that is not there', async (words) => {
    const cwd = folder();
    const { code } = await command(cwd, ['db', ...words.split(' '), '--db', 'none.db']);
    expect([code === 0, readdirSync(cwd)]).toEqual([false, []]);
  });

  it('migrate says from which version to which, once', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'old.db'), gunzipSync(readFileSync('test/fixtures/store-of-version-2.db.gz')));
    const before = await command(cwd, ['db', 'status', '--db', 'old.db']);
    expect(before.stdout).toMatch(/old\.db is older, version 2[\s\S]*Bring it up to date: .* db migrate --db old\.db\n$/);
    const copied = await command(cwd, ['db', 'backup', 'before.db', '--db', 'old.db', '--json']);
    expect(JSON.parse(copied.stdout)).toMatchObject({ type: 'backed-up', file: 'before.db', runs: 4 });
    const { code, stdout } = await command(cwd, ['db', 'migrate', '--db', 'old.db']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Brought up to date: version 2 → \d+\.\n$/)]);
    const again = await command(cwd, ['db', 'migrate', '--db', 'old.db', '--json']);
    const { from, to } = JSON.parse(again.stdout) as { readonly from: number; readonly to: number };
    expect([again.code, from > 2, to]).toEqual([0, true, from]);
    const kept = await command(cwd, ['db', 'status', '--db', 'before.db', '--json']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ state: 'older', version: 2 });
  });

  it('refuses tables that are newer', async () => {
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

  it('verify lists what does not hold', async () => {
    const cwd = await lived();
    const sound = await command(cwd, ['db', 'verify', '--db', 'my.db']);
    expect([sound.code, sound.stdout]).toEqual([0, '✓ 2 runs with 5 entries, 0 threads: all sound.\n']);
    const db = new DatabaseSync(join(cwd, 'my.db'));
    db.exec("UPDATE runs SET status = 'waiting' WHERE id = 'r_1'");
    db.close();
    const { code, stdout } = await command(cwd, ['db', 'verify', '--db', 'my.db']);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/✗ JOURNAL_CORRUPT: The record of the run r_1[\s\S]*1 of it not sound\.\n$/)]);
    const copied = await command(cwd, ['db', 'backup', 'copy.db', '--db', 'my.db']);
    expect([copied.code, existsSync(join(cwd, 'copy.db'))]).toEqual([1, true]);
    const over = await command(cwd, ['db', 'backup', 'copy.db', '--db', 'my.db']);
    expect([over.code, over.stderr]).toEqual([2, expect.stringContaining('not overwritten')]);
  });

  it('backup says how a database on a server is copied, and shows no password', async () => {
    const { code, stderr } = await command(folder(), ['db', 'backup', 'my copy', '--db', 'postgres://ada:s3cret@host/agents']);
    expect([code, stderr.includes('s3cret')]).toEqual([2, false]);
    expect(stderr).toContain("pg_dump --format=custom --schema=agent_machines --file='my copy' postgres://ada@host/agents");
  });
});
