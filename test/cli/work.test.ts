// `agent-machines work`: it looks after the runs of a database, and hands them over when it is told to stop.

import { join } from 'node:path';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, waiting } from '../fixtures/log-workflow.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder, ownProcess } from './command.ts';

const completion = (value: unknown) => ({ type: 'completion', text: typeof value === 'string' ? value : JSON.stringify(value) }) as const;
const intent = completion({ intent: 'new_question', rewritten_query: 'sum', needs_tool: true, constraints: null });
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const runId = (stderr: string): string => /run (r_\w+)/.exec(stderr)?.[1] ?? '';

describe('work', () => {
  it('resumes a run of a killed process with its settings, and stops cleanly', async () => {
    await using server = await startOpenaiServer();
    const cwd = folder();
    server.answer({ type: 'silence' });
    const running = ownProcess(cwd, ['run', 'plan-execute', 'add', '--base-url', server.url, '--db', 'my.db']);
    await until(() => server.requests.length > 0);
    running.kill('SIGKILL');
    const id = runId((await running).stderr);

    server.answer({ type: 'silence' });
    const first = ownProcess(cwd, ['work', '--db', 'my.db', '--drain', '1']);
    await first.sees(`${id}  resumes: its process died`);
    await until(() => server.requests.length > 1);
    first.kill('SIGTERM');
    expect(await first).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining(`${id}  paused`) });

    server.answer(intent, completion({ steps: [{ step_id: 1, tool: 'calculator', input: '6*7' }] }), completion('42 it is.'));
    const second = ownProcess(cwd, ['work', '--db', 'my.db', '--json']);
    await second.sees('"type":"rested"');
    second.kill('SIGINT');
    const { code, stdout } = await second;
    expect([
      code,
      ...stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ]).toMatchObject([
      0,
      { type: 'taken', runId: id, why: 'due' },
      { type: 'rested', runId: id, result: { status: 'done', output: { answer: '42 it is.' } } },
    ]);
  });

  it('skips runs of another program, and `runs` and `doctor` report what they need', async () => {
    const cwd = folder();
    const store = sqliteStore({ path: join(cwd, 'my.db') });
    const runtime = createRuntime({ store });
    const own = logWorkflow({ id: 'own', version: '7', states: { ask: waiting({ STOP: 'done' }, { 500: 'done' }), done: final } });
    const run = runtime.start(own, {});
    await run.result;
    await runtime.close();
    const before = await store.read(run.id);
    const working = ownProcess(cwd, ['work', '--db', 'my.db']);
    await working.sees(`${run.id}  left alone: WORKFLOW_UNKNOWN`);
    working.kill('SIGTERM');
    expect((await working).code).toBe(0);
    expect(await store.read(run.id)).toEqual(before);
    await store.close();
    expect((await command(cwd, ['runs', '--db', 'my.db'])).stdout).toContain('waiting, needs own 7');
    expect((await command(cwd, ['doctor', '--db', 'my.db'])).stdout).toContain(
      `run ${run.id}: waiting, but this program has no workflow own`,
    );
  });
});
