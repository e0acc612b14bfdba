// `agent-machines eval --against REF`: needs git.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sourceCommand } from '../cli/command.ts';
import { evalOf, forty, model, project } from '../fixtures/eval-project.ts';

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', ...args], {
    cwd,
    encoding: 'utf8',
  });

it('compares with a git ref, which keeps its own recording', async () => {
  const path = project(evalOf(forty));
  git(path, 'init', '-q');
  writeFileSync(join(path, '.gitignore'), 'node_modules\n');
  expect((await sourceCommand(path, ['eval', 'sums.eval.ts', '--record'])).code).toBe(0);
  git(path, 'add', '.');
  git(path, 'commit', '-qm', 'first');
  writeFileSync(join(path, 'instructions.ts'), "export const instructions = 'Be polite.';\n");
  writeFileSync(join(path, 'model.ts'), model.replace('wrong = 0', 'wrong = 1'));
  expect((await sourceCommand(path, ['eval', 'sums.eval.ts', '--record'])).code).toBe(1);
  const compared = await sourceCommand(path, ['eval', 'sums.eval.ts', '--against', 'HEAD', '--fail-on-regression']);
  expect(compared.code).toBe(1);
  expect(compared.stdout).toContain('HEAD → now, 40 cases in both');
  expect(compared.stdout).toMatch(/contains +1\.00 +0\.00 +−1\.00 to −1\.00 +0:40 +< 0\.001 +worse\n/);
  expect(compared.stdout).toMatch(/trajectory exact +1\.00 +1\.00 .* same\n/);
  expect(git(path, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  const nowhere = await sourceCommand(path, ['eval', 'sums.eval.ts', '--against', '--upload-pack=x']);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('is neither a JSON file of an earlier run nor a commit') });
});
