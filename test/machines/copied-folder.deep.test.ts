// A user copies a folder of `machines/` and changes it: each must compile and run with nothing around it but the package and its peers.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const execute = promisify(execFile);
const names = readdirSync('machines', { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** What a user would write beside the copies. */
const program = `import { createRuntime } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from './chat-agent/copied/index.ts';
import { contractAgent } from './contract-agent/copied/index.ts';
import { createKnowledgeBase, guideAgent } from './guide-agent/copied/index.ts';
import { planExecute } from './plan-execute/copied/index.ts';
import { toolAgent } from './tool-agent/copied/index.ts';

const contract = parseContract({ name: 'c', text: '제1조(목적) 이 계약은 자전거를 빌려주는 일을 정한다.' });
const runs = [
  createRuntime().start(planExecute(), { input: '123 * 456' }),
  createRuntime().start(contractAgent({ contracts: [{ contract }] }), { input: '제1조 보여줘' }),
  createRuntime().start(chatAgent(), { input: '2 + 3' }),
  createRuntime().start(guideAgent({ knowledge: createKnowledgeBase([], []) }), { input: '안녕하세요' }),
  createRuntime().start(toolAgent(), { input: '2 + 3' }),
];
for (const run of runs) {
  const result = await run.result;
  if (result.status !== 'done') throw new Error(JSON.stringify(result));
  console.log(result.finalState, result.output.answer.replaceAll('\\n', ' '));
}
`;

it('copies each folder of machines/, compiles it and runs it', async () => {
  const project = mkdtempSync(join(tmpdir(), 'agent-machines-copied-'));
  try {
    // apart from each other, so that none finds another beside itself
    for (const name of names) cpSync(join('machines', name), join(project, name, 'copied'), { recursive: true });
    for (const name of ['agent-machines', 'xstate', 'zod', '@types/node']) {
      const link = join(project, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(resolve(name === 'agent-machines' ? '.' : join('node_modules', name)), link);
    }
    writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    // a user may be as strict as we are
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ extends: resolve('tsconfig.json'), include: ['*.ts', '*/copied'] }));
    writeFileSync(join(project, 'start.ts'), program);

    const checked = execute(resolve('node_modules/.bin/tsc'), ['--noEmit', '--singleThreaded', '-p', project]).catch(
      (error: { stdout: string }) => error,
    );
    const ran = execute(process.execPath, ['--conditions=@agent-machines/source', 'start.ts'], { cwd: project });
    expect((await checked).stdout).toBe('');
    expect((await ran).stdout.trim().split('\n')).toEqual([
      'done 123 * 456 = 56088',
      'done 제1조(목적) > 이 계약은 자전거를 빌려주는 일을 정한다.',
      expect.stringMatching(/^done .*5/),
      expect.stringMatching(/^done 안녕하세요/),
      'done 2 + 3 = 5',
    ]);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
