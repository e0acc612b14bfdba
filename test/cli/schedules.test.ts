// `agent-machines schedules`: the schedules of a database, which `work` and `serve` start.
import { describe, expect, it } from 'vitest';
import { command, folder, ownProcess } from './command.ts';

const lines = (text: string): readonly Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('schedules', () => {
  it('adds, lists, pauses, resumes, triggers, backfills and removes', async () => {
    const cwd = folder();
    const run = (...words: string[]): ReturnType<typeof command> => command(cwd, ['schedules', ...words]);
    expect((await run('list')).stdout).toContain('No schedules yet.');
    const added = await run('add', 'plan-execute', '123 * 456', '--cron', '0 9 * * 1-5', '--time-zone', 'Asia/Seoul', '--name', 'sums');
    expect([added.code, added.stdout]).toEqual([0, expect.stringMatching(/^sums {2}added, next at 20\d\d-\d\d-\d\dT00:00:00\.000Z\n$/)]);
    expect((await run('list')).stdout).toMatch(/sums +active +plan_execute +0 9 \* \* 1-5 Asia\/Seoul/);
    expect((await run('pause', 'sums')).stdout).toBe('sums  paused\n');
    expect(lines((await run('list', '--json')).stdout)).toMatchObject([
      { name: 'sums', status: 'paused', overlap: 'skip', missed: 'once' },
    ]);
    expect((await run('resume', 'sums')).stdout).toContain('sums  resumed, next at');
    const [first] = lines((await run('trigger', 'sums', '--key', 'a', '--json')).stdout);
    expect(lines((await run('trigger', 'sums', '--key', 'a', '--json')).stdout)).toEqual([{ ...first, isNew: false }]);
    const week = ['--from', '2026-03-02', '--to', '2026-03-07T00:00+09:00'];
    const ids = ['02', '03', '04', '05', '06'].map((day) => `sums_202603${day}T000000Z`);
    const dry = await run('backfill', 'sums', ...week, '--dry-run');
    expect(dry.stdout).toBe(ids.map((id) => `${id}  would start\n`).join(''));
    expect((await run('backfill', 'sums', ...week)).stdout).toBe(ids.map((id) => `${id}  left to the workers\n`).join(''));
    expect((await run('backfill', 'sums', ...week)).stdout).toBe(ids.map((id) => `${id}  exists already\n`).join(''));
    const working = ownProcess(cwd, ['work']);
    await working.sees('sums_20260302T000000Z  done');
    working.kill('SIGTERM');
    expect((await working).code).toBe(0);
    expect((await run('remove', 'sums')).stdout).toBe('sums  removed\n');
    const entries = lines((await command(cwd, ['audit', '--json'])).stdout);
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'remove', schedule: 'sums', by: expect.objectContaining({ via: 'cli' }) }),
    );
    expect((await command(cwd, ['runs', '--status', 'done'])).stdout).toContain('sums_20260302T000000Z');
  });

  it('is started by a worker that runs already', async () => {
    const cwd = folder();
    await command(cwd, ['run', 'plan-execute', '1 + 1']);
    const working = ownProcess(cwd, ['work']);
    await working.sees('Resuming the runs');
    await command(cwd, ['schedules', 'add', 'plan-execute', '6 * 7', '--cron', '* * * * * *', '--name', 'often']);
    await working.sees('started by the schedule often');
    await working.sees('done: done');
    working.kill('SIGTERM');
    expect((await working).code).toBe(0);
  });

  it.each([
    [['add', 'plan-execute', 'x', '--cron', 'every day'], 2, 'OPTION_INVALID'],
    [['add', 'plan-execute', 'x', '--cron', '0 9 * * *', '--name', 'a b'], 2, 'OPTION_INVALID'],
    [['add', 'plan-execute', 'x', '--cron', '0 9 * * *', '--time-zone', 'Mars/Olympus'], 2, 'Mars/Olympus'],
    [['add', 'plan-execute', 'x', '--cron', '0 9 * * *', '--jitter', '2h'], 2, 'jitterMs'],
    [['add', 'plan-execute', 'x', '--cron', '0 9 * * *', '--overlap', 'never'], 2, 'overlap'],
    [['add', 'plan-execute', 'x', '--cron', '0 9 * * *', '--mcp', 'server'], 2, '--mcp'],
    [['add', 'plan-execute', 'x'], 2, '--cron'],
    [['add', 'unknown', 'x', '--cron', '0 9 * * *'], 2, 'unknown'],
    [['pause', 'none'], 1, 'SCHEDULE_UNKNOWN'],
    [['remove', 'none'], 1, 'SCHEDULE_UNKNOWN'],
    [['trigger', 'none'], 1, 'SCHEDULE_UNKNOWN'],
    [['backfill', 'none', '--from', '2026-03-02', '--to', '2026-03-03T09:00'], 2, 'offset'],
    [['backfill', 'none', '--from', '2026-03-02', '--to', '2026-03-03'], 1, 'SCHEDULE_UNKNOWN'],
  ])('rejects %j with the exit code %i', async (words, code, why) => {
    const result = await command(folder(), ['schedules', ...words]);
    expect([result.code, result.stdout, result.stderr]).toEqual([code, '', expect.stringContaining(why)]);
  });
});
