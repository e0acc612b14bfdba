import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { init } from '../../../src/cli/init.ts';

const execute = promisify(execFile);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-machines-init-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  return path;
}

const packageOf = (path: string) =>
  JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as { name: string; dependencies: Record<string, string> };

/** A project of a template, with what npm install would put there, from what is here. */
async function installed(template: string): Promise<string> {
  const project = join(folder(), 'my-project');
  await init(project, { template, package: resolve('.') });
  mkdirSync(join(project, 'node_modules'));
  for (const name of ['zod', 'fast-check', 'typescript', '@types'])
    symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name));
  symlinkSync(resolve('.'), join(project, 'node_modules', 'agent-machines'));
  return project;
}

const nodeIn =
  (cwd: string, env: NodeJS.ProcessEnv = {}) =>
  (...args: string[]) =>
    execute(process.execPath, ['--conditions=@agent-machines/source', ...args], { cwd, env: { ...process.env, ...env } });

describe('init', () => {
  it.each(['workflow', 'tool-agent', 'approval-page', 'nextjs'])(
    'writes a project of the template %s whose tests and types are right',
    async (template) => {
      const project = await installed(template);
      expect(readdirSync(project)).toEqual(
        expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'src', 'test', 'tsconfig.json']),
      );
      expect(packageOf(project)).toMatchObject({
        name: 'my-project',
        dependencies: { 'agent-machines': `file:${relative(project, resolve('.'))}` },
      });
      const node = nodeIn(project);
      expect((await node('--test', 'test/*.test.ts')).stdout).toMatch(/pass \d+\n.*fail 0/s);
      expect(readdirSync(join(project, 'test'))).toEqual(['workflow.test.ts']);
      // not those of the package's sources, which have a stricter configuration
      const types = await node('node_modules/typescript/bin/tsc', '--customConditions', '@agent-machines/source').catch((error) => error);
      expect(types.stdout.split('\n').filter((line: string) => /^(?:src|test)\//.test(line))).toEqual([]);
      await node(resolve('src/cli/bin.ts'), 'verify', 'src/promises.ts');
    },
  );

  it('writes a workflow that resumes where it stopped', async () => {
    const node = nodeIn(await installed('workflow'));
    const unasked = await node('src/main.ts', 'APPROVE'); // a text that nobody has seen
    expect(unasked.stdout).toContain('write → review');
    expect(unasked.stdout).not.toContain('published:');
    await expect(node('src/main.ts', '')).rejects.toMatchObject({ code: 1, stderr: expect.not.stringContaining('    at ') });
    expect((await node('src/main.ts', 'in one line')).stdout).toContain('in one line');
    expect((await node('src/main.ts', 'APPROVE')).stdout).toContain('publish → published');
  });

  it('accepts a tarball or a version as the package, and a name', async () => {
    const path = folder();
    writeFileSync(join(path, 'agent-machines.tgz'), '');
    await init(join(path, 'one'), { package: join(path, 'agent-machines.tgz') });
    await init(join(path, 'Two'), { package: '0.1.0', name: '@mine/two' });
    expect(packageOf(join(path, 'one')).dependencies['agent-machines']).toBe('file:../agent-machines.tgz');
    expect(packageOf(join(path, 'Two'))).toMatchObject({ name: '@mine/two', dependencies: { 'agent-machines': '0.1.0' } });
  });

  it.each([
    ['a folder with files', (path: string) => init(path), /not empty/, 'new folder'],
    ['a file', (path: string) => init(join(path, 'mine.txt')), /is a file/, 'new folder'],
    ['a folder in a file', (path: string) => init(join(path, 'mine.txt', 'sub')), /cannot be written/, 'another folder'],
    ['a folder where none can be', () => init('/proc/no-such-folder'), /cannot be written/, 'another folder'],
    ['no name', () => init(''), /has no name/, 'new folder'],
    [
      'a missing tarball',
      (path: string) => init(join(path, 'new'), { package: '../no-such.tgz' }),
      /no package at "..\/no-such.tgz"/,
      'npm pack',
    ],
    ['no package', (path: string) => init(join(path, 'new'), { package: '' }), /no package at ""/, 'npm pack'],
    [
      'an unknown template',
      (path: string) => init(join(path, 'new'), { template: 'workflows' }),
      /no template "workflows"/,
      '--template workflow',
    ],
    [
      'a folder whose name is no package name',
      (path: string) => init(join(path, 'My App')),
      /"My App" is not a package name/,
      '--name my-app',
    ],
    ['a wrong name', (path: string) => init(join(path, 'new'), { name: '.x' }), /".x" is not a package name/, '--name x'],
    ['the name of a module', (path: string) => init(join(path, 'http')), /"http" is taken/, '--name my-http'],
    ['our name', (path: string) => init(join(path, 'agent-machines')), /is taken/, '--name my-agent-machines'],
  ])('reports the reason and the next step, and writes nothing: %s', async (_what, make, message, hint) => {
    const path = folder();
    writeFileSync(join(path, 'mine.txt'), 'mine');
    await expect(make(path)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(message),
      hint: expect.stringContaining(hint),
    });
    expect(readdirSync(path)).toEqual(['mine.txt']);
  });

  it.each([
    ['my-app', 'cd my-app &&'],
    ['my app', "cd 'my app' &&"],
    ['-x', 'cd ./-x &&'],
    ['.', '\n  npm install'],
  ])('prints the next commands in shell syntax: %s', async (name, command) => {
    const path = folder();
    const written: string[] = [];
    vi.mocked(process.stdout.write).mockImplementation((text) => written.push(String(text)) > 0);
    const before = process.cwd();
    process.chdir(path);
    onTestFinished(() => process.chdir(before));
    await init(name, { name: 'x', package: '0.1.0' });
    expect(written.join('')).toContain(command);
  });
});
