import { join } from 'node:path';
import { createRuntime, type Run } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { command, folder } from './command.ts';

/** A database with a run that a full disk has stopped, one at its limit, and one that ended in a failure state. */
async function failedRuns(cwd: string): Promise<readonly string[]> {
  const store = sqliteStore({ path: join(cwd, 'my.db') });
  const runtime = createRuntime({ store });
  const workflow = planExecute();
  const idOf = async (run: Run<unknown>): Promise<string> => {
    await run.result;
    return run.id;
  };
  const stopped = await idOf(runtime.start(workflow, { input: '6*7' }, { drive: false }));
  const { lease, record } = await store.acquire(stopped, { owner: 'o_first', now: 0, monotonic: 0, leaseMs: 1 });
  const error = { name: 'WorkflowError', code: 'STORE_UNAVAILABLE', message: 'The disk is full.', retryable: true };
  const entry = {
    seq: record.seq + 1,
    key: 'run',
    kind: 'settle',
    outcome: { status: 'failed', error },
    events: [],
    epoch: lease.epoch,
    at: 0,
  } as const;
  await store.settle(lease, { status: 'failed', failure: error.code, activeMs: 0, entry });
  const limited = await idOf(runtime.start(workflow, { input: '6*7' }, { limits: { nodeVisits: 1 } }));
  const ended = await idOf(runtime.start(workflow, { input: '1/0 계산해줘' }));
  await runtime.close();
  await store.close();
  return [stopped, limited, ended];
}

describe('retry', () => {
  it('continues each failed run, reports each, and exits with the code of the first that is not done', async () => {
    const cwd = folder();
    const [stopped = '', limited = '', ended = ''] = await failedRuns(cwd);
    const say = async (...words: readonly string[]) => command(cwd, [...words, '--db', 'my.db']);
    expect((await say('runs', '--status', 'failed')).stdout.match(/\bfailed\b/g)).toHaveLength(3);
    const all = await say('retry', stopped, ended, limited);
    expect(all.code).toBe(1);
    expect(all.stdout).toContain('42');
    expect(all.stderr).toContain(`RUN_ENDED: The run ${ended} has ended (failed)`);
    expect(all.stderr).toContain('LIMIT_EXCEEDED');
    expect((await say('runs', '--status', 'done')).stdout).toContain(stopped);
    expect((await say('retry', stopped)).stderr).toContain('RUN_ENDED');
    await say('run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어');
    const waiting = /r_\w+/.exec((await say('runs', '--status', 'waiting')).stdout)?.[0] ?? '';
    expect((await say('retry', waiting)).stderr).toMatch(/RUN_NOT_FAILED.*\n.*Continue it: .* resume r_/s);
    expect((await say('retry', 'r_none')).stderr).toContain('RUN_UNKNOWN');
  });

  it('exits with 0 when the run is done', async () => {
    const cwd = folder();
    const [stopped = ''] = await failedRuns(cwd);
    expect(await command(cwd, ['retry', stopped, '--db', 'my.db'])).toMatchObject({ code: 0, stdout: expect.stringContaining('42') });
  });

  it('replaces fields in the result of the last node of one run', async () => {
    const cwd = folder();
    const [stopped = '', limited = ''] = await failedRuns(cwd);
    const say = async (...words: readonly string[]) => command(cwd, [...words, '--db', 'my.db']);
    expect(await say('retry', limited, stopped, '--patch', '{}')).toMatchObject({ code: 2, stderr: expect.stringContaining('one run') });
    const patched = await say('retry', limited, '--patch', '{"intent":"general"}');
    expect(patched.stderr).toContain('intent replaced by hand');
  });
});
