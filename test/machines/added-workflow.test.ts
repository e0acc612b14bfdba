// A workflow is one folder and one line of `machines/index.ts`: each consumer of the registry finds it in a copy of the repository.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { folderForTests } from '../fixtures/folder-for-test.ts';

const execute = promisify(execFile);
const copy = folderForTests('agent-machines-added-');

const files: Readonly<Record<string, string>> = {
  'index.ts': `export { echoAgent } from './echo-agent.ts';\n`,
  'echo-agent.ts': `import { defineMachine, defineWorkflow, final, node, schemaState } from 'agent-machines';
import { z } from 'zod';

const state = schemaState(z.object({ input: z.string(), answer: z.string().default('') }));
const machine = defineMachine(state, {
  id: 'echo_agent',
  version: '1',
  initial: 'echo',
  output: ({ answer }) => ({ answer }),
  states: { echo: node('echo', { done: 'done', error: 'stopped' }), done: final(), stopped: final('failure') },
});

/** Answers with the question. */
export const echoAgent = () => defineWorkflow({ machine, nodes: { echo: async ({ input }) => ({ answer: input }) } });
`,
  'entry.ts': `import type { WorkflowEntry } from 'agent-machines/machines';

export const echoAgentEntry: WorkflowEntry = {
  name: 'echo-agent',
  description: 'answers with the question',
  examples: ['Hello'],
  modelNodes: [],
  load: async () => (await import('./load.ts')).loadedEntry,
};
`,
  'load.ts': `import type { LoadedEntry } from 'agent-machines/machines';
import { echoAgent } from './echo-agent.ts';

export const loadedEntry: LoadedEntry = {
  create: async () => echoAgent(),
  draft: () => echoAgent(),
  source: { imports: ["import { echoAgent } from 'agent-machines/machines/echo-agent';"], expression: 'echoAgent()' },
  describe: () => ({ summary: 'echoes' }),
  promises: () => import('./invariants.ts'),
};
`,
  'invariants.ts': `import { always, canReach, eventually } from 'agent-machines/testing';

export const exploreOptions = { inputs: [{ input: 'a' }], outcomes: { echo: [{ name: 'an answer', patch: { answer: 'a' } }] } };
export const invariants = [
  always('a successful run has an answer', ({ isIn, state }) => isIn('done') === (state.answer !== '')),
  eventually('every run ends', ({ done }) => done),
  canReach('a question can be answered', ({ isIn }) => isIn('done'), ({ isIn }) => isIn('echo')),
];
`,
  'README.md': '# echo-agent\n\n<!-- drawing: echo-agent -->\n<!-- /drawing -->\n',
};

const node = async (...args: readonly string[]): Promise<string> => {
  const env = { PATH: process.env.PATH, HOME: copy, NO_COLOR: '1' };
  const { stdout } = await execute(process.execPath, ['--conditions=@agent-machines/source', ...args], { cwd: copy, env });
  return stdout;
};
const command = (...args: readonly string[]): Promise<string> => node('src/cli/bin.ts', ...args);

beforeAll(() => {
  for (const name of ['src', 'machines', 'scripts', 'docs', 'benchmarks', 'package.json', 'tsconfig.json', 'README.md', 'CHANGELOG.md'])
    cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  mkdirSync(join(copy, 'machines/echo-agent'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, 'machines/echo-agent', name), text);
  const registry = join(copy, 'machines/index.ts');
  const text = readFileSync(registry, 'utf8').replace(/= \[\s*toolAgentEntry,/, '$& echoAgentEntry,');
  writeFileSync(registry, `import { echoAgentEntry } from './echo-agent/entry.ts';\n${text}`);
});

describe('a workflow added to the registry', () => {
  it('runs', async () => {
    expect(await command('run', 'echo-agent', 'Hello')).toBe('Hello\n');
  });

  it('is listed when a name is unknown', async () => {
    await expect(command('run', 'other', 'x')).rejects.toMatchObject({ stderr: expect.stringContaining('tool-agent, echo-agent, plan') });
  });

  it('is drawn by graph', async () => {
    expect(await command('graph', 'echo-agent')).toContain('echo');
  });

  it('is verified', async () => {
    expect(await command('verify', 'echo-agent')).toMatch(/every run ends +holds/);
  });

  it('has drawings of both themes, and one in its README', async () => {
    expect(await node('scripts/drawings.ts')).toContain('docs/drawings/echo-agent.svg, docs/drawings/echo-agent-dark.svg');
    expect(readFileSync(join(copy, 'machines/echo-agent/README.md'), 'utf8')).toContain('../../docs/drawings/echo-agent-dark.svg');
    expect(await node('scripts/drawings.ts', '--check')).toContain('up to date');
  });

  it('has a size within the default limit', async () => {
    expect(await node('scripts/size.ts', 'echo-agent')).toMatch(/✓ machine echo-agent, with its runtime: \d+\.\d kB, at most 95/);
  });

  it('has a mutation score', async () => {
    expect(await node('scripts/mutate.ts', 'echo-agent')).toMatch(/^echo-agent +\d+ +\d+ +100\.0/m);
  });

  it('has entry points, which the site documents', async () => {
    const program = "import { doors } from './scripts/doors.ts'; console.log(Object.keys(doors).join('\\n'));";
    const paths = (await node('--input-type=module', '--eval', program)).split('\n');
    expect(paths).toEqual(expect.arrayContaining(['./machines/echo-agent', './machines/echo-agent/testing']));
  });
});
