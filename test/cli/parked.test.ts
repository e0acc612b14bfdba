// What the command line says of a run that is parked after three crashes.
import { join } from 'node:path';
import { createRuntime } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { crashRun } from '../fixtures/crash-run.ts';
import { command, folder } from './command.ts';

describe('a parked run', () => {
  it('is marked in runs, show and db status, and can be released', async () => {
    const cwd = folder();
    const store = sqliteStore({ path: join(cwd, 'my.db') });
    const runtime = createRuntime({ store });
    const run = runtime.start(planExecute(), { input: '6*7' }, { drive: false });
    await run.result;
    await store.acquire(run.id, { owner: 'o_first', now: 0, monotonic: 0, leaseMs: 1 });
    await crashRun(store, run.id, 3);
    await runtime.close();
    await store.close();
    const say = async (...words: readonly string[]) => command(cwd, [...words, '--db', 'my.db']);
    expect((await say('runs')).stdout).toMatch(new RegExp(`${run.id}\\s+parked`));
    const shown = await say('show', run.id);
    expect(shown.stdout).toMatch(new RegExp(`^${run.id}  parked`));
    expect(shown.stdout + shown.stderr).toContain('RUN_POISONED');
    expect((await say('db', 'status')).stdout).toContain('parked after three crashes: 1');
    expect(JSON.parse((await say('db', 'status', '--json')).stdout)).toMatchObject({ parked: 1 });
    expect(await say('release', run.id)).toMatchObject({ code: 0, stderr: expect.stringContaining(`Released ${run.id}`) });
    expect((await say('runs')).stdout).toMatch(new RegExp(`${run.id}\\s+queued`));
    expect((await say('db', 'status')).stdout).not.toContain('parked');
  });
});
