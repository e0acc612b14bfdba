// `agent-machines eval` as a newcomer types it, in a folder of its own: record in one process, replay in another.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { evalOf, forty, model, project } from '../fixtures/eval-project.ts';
import { type Command, sourceCommand } from './command.ts';

describe('agent-machines eval', () => {
  it('records in one process, replays in others with equal JSON, and names what a change misses', async () => {
    const path = project(evalOf(forty));
    const missing = await sourceCommand(path, ['eval', 'sums.eval.ts']);
    expect(missing.code).toBe(1);
    expect(missing.stdout).toContain(
      'CASSETTE_MISS: The cassette has no reply for "tool_agent.agent" in the case "sum/0": nothing was recorded for it.',
    );
    expect(missing.stdout).toContain('Record again: agent-machines eval sums.eval.ts --record.');
    expect(existsSync(join(path, 'sums.eval.cassette.json'))).toBe(false);

    const recorded = await sourceCommand(path, ['eval', 'sums.eval.ts', '--record', '--json', '--junit', 'out.xml']);
    expect(recorded).toMatchObject({ code: 0, stderr: 'Recorded in sums.eval.cassette.json: 80 replies.\n' });
    writeFileSync(join(path, 'model.ts'), "export const model = () => { throw new Error('No key.'); };\n");
    const replayed = await sourceCommand(path, ['eval', 'sums.eval.ts', '--json']);
    expect(replayed).toEqual({ ...recorded, stderr: '' });
    expect(readFileSync(join(path, 'out.xml'), 'utf8')).toContain('tests="40" failures="0" errors="0"');
    expect(readdirSync(path).filter((name) => name.endsWith('.tmp'))).toEqual([]);

    const table = await sourceCommand(path, ['eval', 'sums.eval.ts', '--only', 'sum/1']);
    expect(table.stdout).toMatch(/^sums: tool_agent, 11 cases, sums-1\nGRADER +MEAN +PASSED\ncontains +1\.00 +11\/11 +ok\n/);

    writeFileSync(join(path, 'instructions.ts'), "export const instructions = 'Be polite.';\n");
    const changed = await sourceCommand(path, ['eval', 'sums.eval.ts']);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toContain('message 1 differs: recorded "system: Be brief.');
  });

  it('runs the eval of its guide', async () => {
    const text = readFileSync('test/fixtures/sums.eval.ts', 'utf8');
    expect(readFileSync('docs/guides/evals.md', 'utf8')).toContain(`\`\`\`ts\n// sums.eval.ts\n${text}\`\`\``);
    const { code, stdout } = await sourceCommand('.', ['eval', 'test/fixtures/sums.eval.ts']);
    expect(stdout).toMatch(/^sums: tool_agent, 2 cases, scripted\nGRADER .*\n(?:.* 2\/2 +ok\n){4}4 model calls, 1312 tokens/);
    expect(code).toBe(0);
  });

  it('compares with what an earlier run has written', async () => {
    const path = project(evalOf(forty));
    const { stdout } = await sourceCommand(path, ['eval', 'sums.eval.ts', '--record', '--json']);
    writeFileSync(join(path, 'before.json'), stdout);
    const same = await sourceCommand(path, ['eval', 'sums.eval.ts', '--against', 'before.json', '--json']);
    expect(JSON.parse(same.stdout)).toMatchObject({
      against: 'before.json',
      comparisons: [{ cases: 40, graders: [{ verdict: 'same' }, { verdict: 'same' }] }],
    });
  });

  it('compares models, each with a recording of its own', async () => {
    const path = project(evalOf(forty));
    const names = ['--models', 'vendor/good,worse'];
    expect((await sourceCommand(path, ['eval', 'sums.eval.ts', ...names, '--record'])).code).toBe(1);
    expect(readdirSync(path).filter((name) => name.endsWith('.cassette.json'))).toEqual([
      'sums.eval.vendor%2Fgood.cassette.json',
      'sums.eval.worse.cassette.json',
    ]);
    const { code, stdout } = await sourceCommand(path, ['eval', 'sums.eval.ts', ...names, '--fail-on-regression']);
    expect(code).toBe(1);
    expect(stdout).toContain('vendor/good → worse, 40 cases in both');
    expect(stdout).toContain('worse\n');
  });

  it('refuses --auto in CI', async () => {
    const path = project(`process.env.CI = 'true';\n${evalOf(forty)}`);
    const { code, stderr } = await sourceCommand(path, ['eval', 'sums.eval.ts', '--auto']);
    expect(code).toBe(2);
    expect(stderr).toContain('The mode "auto" is refused because CI is set.');
  });

  it('reads cases from a file beside the eval, and names a broken line', async () => {
    const path = project(evalOf("'./cases.jsonl'"));
    const run = () => sourceCommand(path, ['eval', 'sums.eval.ts', '--record']);
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file ./cases.jsonl') });
    writeFileSync(join(path, 'cases.jsonl'), '{"name": "a/b", "input": {"input": "What is 2 * 3?"}, "expected": "6"}\n{"input": ');
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('CASES_INVALID: ./cases.jsonl, line 2: it is not JSON') });
    writeFileSync(join(path, 'cases.jsonl'), '{"name": "a/b", "input": {"input": "What is 2 * 3?"}, "expected": "6"}\n');
    expect(await run()).toMatchObject({ code: 0 });
  });

  it.each([
    ['const x = ;', 2, 'sums.eval.ts cannot be loaded.'],
    ['export const x = 1;', 2, 'The default export of sums.eval.ts is no eval. Write: export default defineEval('],
    ["import 'no-such-package';", 2, 'sums.eval.ts cannot be loaded.'],
    [evalOf('[]'), 2, 'OPTION_INVALID: The eval "sums" has no cases.'],
    [evalOf(forty, 'treshold: 1,'), 2, 'defineEval has no option "treshold"'],
    [evalOf(forty).replace("'agent -> tools'", "'agent -> tool'"), 2, 'names an edge that the machine does not have: agent -> tool.'],
  ])('reports a wrong file: %s', async (text, code, message) => {
    const { code: exit, stderr, stdout } = await sourceCommand(project(text), ['eval', 'sums.eval.ts']);
    expect(stderr).toContain(message);
    expect([exit, stdout]).toEqual([code, '']);
  });

  it.each([
    [['--record', '--auto'], '--record and --auto exclude each other'],
    [['--models', 'one'], '--models needs at least two names'],
    [['--fail-on-regression'], 'needs something to compare with'],
    [['--only', 'nothing'], 'No case of "sums" has "nothing" in its name.'],
    [['--from-runs'], '--from-runs needs --out'],
  ])('rejects %j', async (flags, message) => {
    const { code, stderr } = await sourceCommand(project(evalOf(forty)), ['eval', 'sums.eval.ts', ...flags]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('writes cases from stored runs, and personal data only when told to', async () => {
    const path = project(
      evalOf("'./cases.jsonl'").replace('model: (name)', 'expectedFromOutput: (output) => output.answer,\n  model: (name)'),
    );
    for (const question of ['What is 12 * 12?', 'What is 3 * 4?'])
      await sourceCommand(path, ['run', 'tool-agent', question, '--db', 'runs.db']);
    writeFileSync(join(path, 'cases.jsonl'), '{"input": {"input": "x"}, "expected": "x"}\n');
    const write = (...flags: readonly string[]) =>
      sourceCommand(path, ['eval', 'sums.eval.ts', '--from-runs', '--db', 'runs.db', '--out', ...flags]);
    expect(await write('new.jsonl')).toMatchObject({ code: 0, stdout: expect.stringContaining('2 cases in new.jsonl.') });
    const [first] = readFileSync(join(path, 'new.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(first).toMatchObject({ input: { input: 'What is 3 * 4?' }, expected: expect.stringContaining('12') });
    expect(await write('new.jsonl')).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a new file') });
    await sourceCommand(path, ['run', 'tool-agent', 'Is 3 * 4 the number of kim@example.com?', '--db', 'runs.db']);
    const store = sqliteStore({ path: join(path, 'runs.db') });
    const [newest] = await store.list({ limit: 1 });
    await store.rate?.(newest?.id ?? '', 'down');
    await store.close();
    expect(await write('up.jsonl', '--rated', 'up')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has no run of tool_agent'),
    });
    expect(await write('down.jsonl', '--rated', 'down', '--personal-data')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1 case/),
    });
    expect(await write('more.jsonl')).toMatchObject({ code: 2, stderr: expect.stringContaining('1 of 3 runs hold personal data') });
    expect(existsSync(join(path, 'more.jsonl'))).toBe(false);
    expect(await write('more.jsonl', '--personal-data', '--json')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"cases":3,"personalData":1'),
    });
  });

  it('leaves a complete recording when its process is killed', async () => {
    const path = project(evalOf(forty));
    await sourceCommand(path, ['eval', 'sums.eval.ts', '--record']);
    const before = readFileSync(join(path, 'sums.eval.cassette.json'), 'utf8');
    writeFileSync(
      join(path, 'model.ts'),
      model.replace(
        "if (process.env.NO_MODEL) throw new Error('No network.');",
        "console.error('asked'); await new Promise((done) => setTimeout(done, 50));",
      ),
    );
    const killed: Command = sourceCommand(path, ['eval', 'sums.eval.ts', '--record']);
    await killed.sees('asked');
    killed.kill('SIGKILL');
    await killed.catch(() => {});
    expect(readFileSync(join(path, 'sums.eval.cassette.json'), 'utf8')).toBe(before);
    expect((await sourceCommand(path, ['eval', 'sums.eval.ts'])).code).toBe(0);
  });
});
