import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { final, logWorkflow, node, says } from '../fixtures/log-workflow.ts';
import { command, folder, program, typed } from './command.ts';

describe('errors', () => {
  it.each([
    [['run', 'nothing', 'q', '--json'], 2, { code: 'USAGE', message: expect.stringContaining('There is no workflow "nothing"') }],
    [
      ['run', 'plan-execute', 'q', '--json', '--nope'],
      2,
      { code: 'USAGE', message: "unknown option '--nope'", hint: `Try: ${program} run --help` },
    ],
    [['memory', 'forget', '--json'], 2, { code: 'USAGE', hint: `Try: ${program} memory forget --help` }],
    [['nothing', '--json'], 2, { code: 'USAGE', hint: `Try: ${program} --help` }],
    [['show', '--json'], 2, { code: 'USAGE', message: "missing required argument 'run'" }],
    [['runs', '--json', '--limit', 'many'], 2, { code: 'USAGE' }],
    [['runs', '--json', '--db', ''], 2, { code: 'USAGE', message: expect.stringContaining('Give a file name.') }],
    [['resume', 'r_nobody', '--json'], 1, { code: 'RUN_UNKNOWN', hint: expect.stringContaining(`${program} runs`) }],
    [
      ['run', 'plan-execute', '  ', '--json'],
      1,
      { code: 'INPUT_INVALID', hint: 'Pass the question in quotes, or a long one on standard input.' },
    ],
    [['articles', 'missing.md', '--json'], 1, { code: 'FILE_NOT_FOUND' }],
    [['run', 'plan-execute', 'q', '--thread', '../x', '--json'], 2, { code: 'ID_INVALID' }],
    [['chat', '--thread', 'my thread', '--json'], 2, { code: 'ID_INVALID' }],
    [
      ['run', 'chat-agent', 'q', '--time-zone', 'Mars/Olympus', '--json'],
      2,
      { code: 'USAGE', message: expect.stringContaining('IANA name') },
    ],
  ])('prints %j as one line of JSON', async (args, exitCode, error) => {
    const { code, stdout, stderr } = await command(folder(), args);
    expect([code, stderr]).toEqual([exitCode, '']);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'error', exitCode, ...error });
    expect(stdout.trim().split('\n')).toHaveLength(1);
  });

  it('prints a rejected line of a conversation as a line of JSON', async () => {
    const { code, stdout, stderr } = await command(folder(), ['chat', '--json'], {}, `${'x'.repeat(1_000_001)}\n1+1\n`);
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, stderr, said[0]]).toMatchObject([1, '', { type: 'error', code: 'INPUT_INVALID' }]);
    expect(said.at(-1)).toMatchObject({ type: 'result', status: 'done' });
  });

  it.each([
    [['runs']],
    [['runs', '--json']],
    [['show', 'r_1']],
    [['resume', 'r_1']],
    [['cancel', 'r_1']],
    [['send', 'r_1', 'APPROVE']],
    [['memory', 'list']],
  ])('creates no database for %j', async (args) => {
    const cwd = folder();
    const { stdout, stderr } = await command(cwd, [...args, '--db', 'no such.db']);
    expect(readdirSync(cwd)).toEqual([]);
    if (args[1] === 'r_1') expect(stderr).toContain('there is no database no such.db.\n');
    else if (args[1] === undefined)
      expect(stdout).toBe(`No runs yet. Start one: ${program} run plan-execute "123 * 456" --db 'no such.db'\n`);
  });
});

describe('printed lines', () => {
  it('can be typed as shown: the printed line answers a waiting run, whatever the name of its database', async () => {
    const cwd = folder();
    const asked = await command(cwd, ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어', '--db', "it's mine.db"]);
    const line = asked.stderr.split('\n').find((text) => text.includes(' CANCEL ')) ?? '';
    const { code, stdout } = await typed(cwd, line);
    expect([code, stdout]).toEqual([0, expect.stringContaining('취소했습니다')]);
    expect(existsSync(join(cwd, "it's mine.db"))).toBe(true);
  });

  it('distinguishes no match from no runs', async () => {
    const cwd = folder();
    await command(cwd, ['run', 'plan-execute', '1/0 계산해줘']);
    expect((await command(cwd, ['runs', '--thread', 'nope'])).stdout).toBe(`No run matches. All runs: ${program} runs\n`);
    const { stderr } = await command(cwd, ['runs', '--workflow', 'nope', '--code', 'none']);
    expect(stderr).toMatch(
      /^No run has the workflow "nope"\. Workflows with runs: plan_execute\.\nNo run has the error code "none"\. Codes of failed runs: [A-Z_]+\.\n$/,
    );
    expect((await command(cwd, ['runs', '--workflow', 'plan_execute', '--status', 'queued'])).stderr).toBe('');
  });

  it('marks a stopped run as failed, not done', async () => {
    const cwd = folder();
    const { code, stderr } = await command(cwd, ['run', 'plan-execute', '1/0 계산해줘']);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/\n✗ Stopped: [A-Z_]+: /)]);
    expect((await command(cwd, ['runs'])).stdout).toMatch(/^r_\w+\s+failed\s/m);
    const id = /run (r_\w+)/.exec(stderr)?.[1] ?? '';
    const show = await command(cwd, ['show', id]);
    expect([show.code, show.stdout, show.stderr]).toEqual([
      0,
      expect.stringMatching(/^r_\w+ {2}failed /),
      expect.stringContaining('✗ Stopped: '),
    ]);
  });

  it("shows a run of a user's own workflow from its journal", async () => {
    const cwd = folder();
    const store = sqliteStore({ path: join(cwd, 'own.db') });
    const runtime = createRuntime({ store });
    const run = runtime.start(
      logWorkflow({ states: { write: node('write', 'done', 'done'), done: final }, nodes: { write: says('a') } }),
      {},
    );
    await run.result;
    await runtime.close();
    await store.close();
    const shown = await command(cwd, ['show', run.id, '--db', 'own.db']);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(run.id)]);
    expect(shown.stderr).toMatch(/✓ \w+ +\w+/);
    expect(await command(cwd, ['resume', run.id, '--db', 'own.db'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/WORKFLOW_UNKNOWN[\s\S]*Use the program that started it\./),
    });
  });

  it('shows the question of a waiting run, and the commands that answer it', async () => {
    const cwd = folder();
    const asked = await command(cwd, ['run', 'guide-agent', '유튜브 쇼츠를 만들어서 올리고 싶어']);
    const shown = await command(cwd, ['show', /run (r_\w+)/.exec(asked.stderr)?.[1] ?? '']);
    const question = asked.stderr.slice(asked.stderr.indexOf('Plan, revision 1:'));
    expect(question).toContain(' APPROVE --interrupt ');
    expect([shown.code, shown.stderr.endsWith(question)]).toEqual([0, true]);
  });

  it("shows the question of a user's own workflow without commands that would fail", async () => {
    const cwd = folder();
    const store = sqliteStore({ path: join(cwd, 'own.db') });
    const runtime = createRuntime({ store });
    const own = logWorkflow({
      states: { ask: { tags: 'waiting', on: { GO: { target: 'done', actions: 'merge' } } }, done: final },
      questions: { ask: () => ({ sure: 'very?' }) },
    });
    const run = runtime.start(own, {});
    const result = await run.result;
    await runtime.close();
    await store.close();
    const { code, stderr } = await command(cwd, ['show', run.id, '--db', 'own.db']);
    const id = result.status === 'waiting' ? result.interrupt?.id : undefined;
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `{"sure":"very?"}\n  ask#1 asks (GO), as the interrupt ${id}\nWaiting for you. Resume it in the program that started it.\n`,
      ),
    ]);
    expect(stderr).not.toContain(' send ');
  });
});
