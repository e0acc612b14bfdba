// Commands that change all runs that match a filter, in a SQLite file of 5,000 runs.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fleetStates } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { newRun, nodeEntry, requestBy, startEntry } from '../fixtures/example-entries.ts';
import { folderForTests } from '../fixtures/folder-for-test.ts';
import { command, folder, ownProcess } from './command.ts';

const runs = 5_000;
const source = join(folderForTests('bulk-source-'), 'runs.db');
const filter = ['--code', 'MODEL_UNAVAILABLE', '--db', 'runs.db'] as const;

beforeAll(async () => {
  const store = sqliteStore({ path: source, durability: 'normal' });
  for (let n = 0; n < runs + 10; n++) {
    const { lease } = await store.create(newRun(`r_${n}`), [startEntry()], requestBy('o_1'));
    const entry = { ...nodeEntry(2, { status: 'failed' }), key: 'run', kind: 'settle', events: [] } as const;
    // the last ten have another code
    await store.settle(lease, { status: 'failed', failure: n < runs ? 'MODEL_UNAVAILABLE' : 'TOOL_FAILED', activeMs: 0, entry });
  }
  await store.close();
}, 120_000);

/** A folder with a copy of the runs. */
function copy(): string {
  const cwd = folder();
  copyFileSync(source, join(cwd, 'runs.db'));
  return cwd;
}

async function statesIn(cwd: string): Promise<{ readonly queued: number; readonly failed: number; readonly epochs: readonly number[] }> {
  const store = sqliteStore({ path: join(cwd, 'runs.db') });
  const queued = await store.list({ state: 'queued', limit: runs * 2 });
  const failed = await store.list({ state: 'failed', limit: runs * 2 });
  await store.close();
  return { queued: queued.length, failed: failed.length, epochs: [...new Set(queued.map(({ epoch }) => epoch))] };
}

const doneIn = (...outputs: readonly string[]): readonly string[] =>
  outputs.flatMap((text) => [...text.matchAll(/^(r_\d+) {2}done$/gm)].map(([, id = '']) => id));

describe('runs retry', () => {
  it('needs a filter, and a confirmation outside a terminal', async () => {
    const cwd = copy();
    expect(await command(cwd, ['runs', 'retry', ...filter])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await command(cwd, ['runs', 'retry', '--yes', '--db', 'runs.db'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('OPTION_INVALID'),
    });
    expect(await command(cwd, ['runs', 'retry', '--state', 'waiting', '--yes', '--db', 'runs.db'])).toMatchObject({ code: 2 });
    expect(await command(cwd, ['runs', 'migrate', '--all', '--yes', '--db', 'runs.db'])).toMatchObject({ code: 2 });
    // a variable of a script that is not set
    expect(await command(cwd, ['runs', 'retry', '--state', 'failed', '--code', '', '--yes', '--db', 'runs.db'])).toMatchObject({
      stderr: 'Retried 0 runs, skipped 0, failed 0.\n',
    });
    expect(await statesIn(cwd)).toMatchObject({ queued: 0, failed: runs + 10 });
  });

  it('lists all matching runs in a dry run and changes nothing', async () => {
    const cwd = copy();
    const { code, stdout, stderr } = await command(cwd, ['runs', 'retry', ...filter, '--dry-run']);
    expect([code, new Set(stdout.trim().split('\n')).size, stderr]).toEqual([0, runs, `${runs} runs match. Nothing was changed.\n`]);
    expect(await statesIn(cwd)).toMatchObject({ queued: 0, failed: runs + 10 });
  });

  it('deals with each run once when two commands act at the same time', async () => {
    const cwd = copy();
    const words = ['runs', 'retry', ...filter, '--yes'];
    const both = await Promise.all([ownProcess(cwd, words), ownProcess(cwd, words)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const done = doneIn(...both.map(({ stdout }) => stdout));
    expect([done.length, new Set(done).size]).toEqual([runs, runs]);
    expect(await statesIn(cwd)).toEqual({ queued: runs, failed: 10, epochs: [2] });
  }, 120_000);

  it.each(['SIGKILL', 'SIGINT'] as const)(
    'continues with the rest after %s',
    async (signal) => {
      const cwd = copy();
      const words = ['runs', 'retry', ...filter, '--yes', '--json'];
      const first = ownProcess(cwd, words);
      await first.firstLine();
      first.kill(signal);
      const stopped = await first;
      if (signal === 'SIGINT') expect(stopped).toMatchObject({ code: 130, stdout: expect.stringContaining('"stopped":true') });
      const between = await statesIn(cwd);
      expect(between.queued).toBeGreaterThan(0);
      expect(between.failed).toBeGreaterThan(10);
      const second = await command(cwd, words);
      const summary = JSON.parse(second.stdout.trim().split('\n').at(-1) ?? '');
      expect(summary).toMatchObject({ type: 'summary', done: between.failed - 10, failed: 0 });
      expect(await statesIn(cwd)).toEqual({ queued: runs, failed: 10, epochs: [2] });
    },
    120_000,
  );
});

describe('runs cancel', () => {
  it('cancels the runs of a workflow that have not ended, and reports a filter without a run', async () => {
    const cwd = copy();
    const store = sqliteStore({ path: join(cwd, 'runs.db') });
    for (const id of ['r_a', 'r_b']) {
      const { lease } = await store.create(newRun(id, { workflow: 'other' }), [startEntry()], requestBy('o_1'));
      await store.settle(lease, { status: 'waiting', activeMs: 0 });
    }
    await store.close();
    const words = ['runs', 'cancel', '--workflow', 'other', '--yes', '--db', 'runs.db'];
    expect(await command(cwd, words)).toMatchObject({ code: 0, stdout: 'r_b  done\nr_a  done\n' });
    expect(await command(cwd, words)).toMatchObject({ code: 0, stdout: '', stderr: 'Cancelled 0 runs, skipped 0, failed 0.\n' });
  });
});

describe('runs --state', () => {
  it('accepts every state of a fleet', async () => {
    const cwd = folder();
    for (const state of fleetStates) expect(await command(cwd, ['runs', '--state', state])).toMatchObject({ code: 0 });
    expect(await command(cwd, ['runs', '--state', 'asleep'])).toMatchObject({ code: 2 });
  });
});
