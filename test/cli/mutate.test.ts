import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, sourceCommand } from './command.ts';

const workflow = `import { defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { z } from 'zod';
const state = schemaState(z.object({ tries: z.number().default(0) }), { events: { YES: null, NO: null } });
export const asking = ({ work = async () => ({}) }) =>
  defineWorkflow({
    machine: defineMachine(state, {
      id: 'asking',
      initial: 'work',
      guards: { isTired: ({ tries }) => tries >= 2 },
      states: {
        work: { node: 'work', done: [{ guard: 'isTired', target: 'failed' }, 'ask'], error: 'failed' },
        ask: { waiting: { YES: 'agreed', NO: 'work' } },
        agreed: { final: true },
        failed: { final: 'failure' },
      },
    }),
    nodes: { work },
  });
`;

/** Plays one run, and expects its path. */
const strict = `import assert from 'node:assert/strict';
import { createRuntime } from 'agent-machines';
import { asking } from './workflow.mjs';
const path = async (tries, answer, broken = false) => {
  const work = async () => { if (broken) throw new Error('broken'); return { tries }; };
  const runtime = createRuntime();
  let run = runtime.start(asking({ work }), {});
  const first = await run.result;
  if (first.status === 'waiting') run = await runtime.send(run.id, { type: answer }, { interruptId: first.interrupt.id });
  await run.result;
  const events = (await runtime.history(run.id)).flatMap((entry) => entry.events);
  return events.filter(({ type }) => type === 'edge').map(({ to }) => to).join(' ');
};
assert.equal(await path(1, 'YES'), 'ask agreed');
assert.equal(await path(1, 'NO'), 'ask work ask');
assert.equal(await path(2, 'YES'), 'failed');
assert.equal(await path(0, 'YES', true), 'failed');
`;

function project(test: string, scripts: object = { test: 'node test.mjs' }): string {
  const home = folder();
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(resolve('.'), join(home, 'node_modules', 'agent-machines'));
  symlinkSync(resolve('node_modules/zod'), join(home, 'node_modules', 'zod'));
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module', scripts }));
  writeFileSync(join(home, 'workflow.mjs'), workflow);
  writeFileSync(join(home, 'test.mjs'), test);
  return home;
}

const mutate = (home: string, ...flags: readonly string[]) => sourceCommand(home, ['mutate', 'workflow.mjs', ...flags]);

describe('agent-machines mutate', () => {
  it('exits with 0 when the test fails for every mutant', async () => {
    const { code, stdout, stderr } = await mutate(project(strict), '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { ok, workflows } = JSON.parse(stdout);
    expect({ ok, workflows }).toEqual({
      ok: true,
      workflows: [expect.objectContaining({ workflow: 'asking', percent: 100, survived: [], late: 0 })],
    });
    expect(workflows[0].mutants).toBeGreaterThan(5);
    expect(workflows[0].rejected).toBeGreaterThan(0);
  });

  it('lists the mutants that survive, with what to do, and exits with 1', async () => {
    const loose = strict.replace(/^assert.*NO.*\n|^assert.*path\(2.*\n/gm, '');
    const { code, stdout, stderr } = await mutate(project(loose));
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/✗ asking: the test kills \d of \d+ mutants \(\d+\.\d %\).*at least 95 % are required\n/);
    expect(stdout).toContain(
      "survived: ask --NO--> work: edge retargeted, agreed\n  Promise where it leads: never('…', ({ took, isIn }) => took('ask', 'NO') && !isIn('work')).",
    );
    expect(stdout).toContain('survived: work --done [isTired]--> failed: guard off by one, isTired with tries - 1');
  });

  it('accepts a lower percentage with --min', async () => {
    const loose = strict.replace(/^assert.*NO.*\n/gm, '');
    expect(await mutate(project(loose), '--min', '50')).toMatchObject({ code: 0, stdout: expect.stringContaining('survived: ') });
  });

  it('stops a mutant that never ends', { timeout: 60_000 }, async () => {
    const endless = `${strict}if ((await path(1, 'NO')) !== 'ask work ask') for (;;);\n`.replace(/^assert.*NO.*\n/gm, '');
    const { code, stdout } = await mutate(project(endless), '--concurrency', '4', '--time-limit', '4');
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d of them at the time limit/) });
  });

  it.each([
    ['fails without a mutant', 'throw new Error("red");', 'OPTION_INVALID: The test fails without a mutant: node test.mjs'],
    ['defines no such workflow', '', 'OPTION_INVALID: The test does not define the workflow "asking": node test.mjs'],
  ])('rejects a test that %s', async (_, test, message) => {
    const { code, stderr } = await mutate(project(test));
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('rejects a project without a test, a name, and a file without a workflow', async () => {
    const home = project(strict, {});
    expect(await mutate(home)).toMatchObject({ code: 2, stderr: expect.stringContaining('has no script "test"') });
    expect(await sourceCommand(home, ['mutate', 'asking'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a file') });
    writeFileSync(join(home, 'other.mjs'), 'export const other = 1;');
    expect(await sourceCommand(home, ['mutate', 'other.mjs'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exports no workflow'),
    });
  });
});
