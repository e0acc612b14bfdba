import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

describe('init', () => {
  it('writes a project whose property test passes, and which resumes where it stopped', async () => {
    const project = join(folder(), 'My Project');
    init(project);
    expect(readdirSync(project).sort()).toEqual(['.gitignore', 'README.md', 'package.json', 'src', 'test', 'tsconfig.json']);
    expect(packageOf(project)).toMatchObject({ name: 'my-project', dependencies: { 'agent-machines': `file:${resolve('.')}` } });
    // what npm install would do, from what is here
    mkdirSync(join(project, 'node_modules'));
    for (const name of ['zod', 'fast-check', 'typescript', '@types'])
      symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name));
    symlinkSync(resolve('.'), join(project, 'node_modules', 'agent-machines'));
    const node = (...args: string[]) => execute(process.execPath, ['--conditions=@agent-machines/source', ...args], { cwd: project });
    expect((await node('--test')).stdout).toMatch(/pass 2\n.*fail 0/s);
    const unasked = await node('src/main.ts', 'APPROVE'); // a text that nobody has seen
    expect(unasked.stdout).toContain('write → review');
    expect(unasked.stdout).not.toContain('published:');
    await expect(node('src/main.ts', '')).rejects.toMatchObject({ code: 1, stderr: expect.not.stringContaining('    at ') });
    expect((await node('src/main.ts', 'in one line')).stdout).toContain('in one line');
    expect((await node('src/main.ts', 'APPROVE')).stdout).toContain('publish → published');
  });

  it('accepts a tarball or a version as the package', () => {
    const path = folder();
    writeFileSync(join(path, 'agent-machines.tgz'), '');
    init(join(path, 'one'), join(path, 'agent-machines.tgz'));
    init(join(path, 'two'), '0.1.0');
    expect(packageOf(join(path, 'one')).dependencies['agent-machines']).toBe('file:../agent-machines.tgz');
    expect(packageOf(join(path, 'two')).dependencies['agent-machines']).toBe('0.1.0');
  });

  it('writes nothing into a folder with files, or into a file', () => {
    const path = folder();
    writeFileSync(join(path, 'mine.txt'), 'mine');
    expect(() => init(path)).toThrow(/not empty/);
    expect(() => init(join(path, 'mine.txt'))).toThrow(/is a file/);
    expect(readdirSync(path)).toEqual(['mine.txt']);
    expect(existsSync(join(path, 'package.json'))).toBe(false);
  });

  it.each([
    ['a folder in a file', (path: string) => init(join(path, 'mine.txt', 'sub')), /cannot be written/],
    ['a folder where none can be', () => init('/proc/no-such-folder'), /cannot be written/],
    ['no name', () => init(''), /has no name/],
    ['a missing tarball', (path: string) => init(join(path, 'new'), '../no-such.tgz'), /no package at "..\/no-such.tgz"/],
    ['no package', (path: string) => init(join(path, 'new'), ''), /no package at ""/],
  ])('reports the reason and writes nothing: %s', (_what, make, message) => {
    const path = folder();
    writeFileSync(join(path, 'mine.txt'), 'mine');
    expect(() => make(path)).toThrow(expect.objectContaining({ name: 'UsageError', message: expect.stringMatching(message) }));
    expect(readdirSync(path)).toEqual(['mine.txt']);
  });

  it.each([
    ['my app', "cd 'my app' &&"],
    ['-x', 'cd ./-x &&'],
    ['.', '\n  npm install'],
  ])('prints the next commands in shell syntax: %s', (name, command) => {
    const path = folder();
    const written: string[] = [];
    vi.mocked(process.stdout.write).mockImplementation((text) => written.push(String(text)) > 0);
    const before = process.cwd();
    process.chdir(path);
    onTestFinished(() => process.chdir(before));
    init(name);
    expect(written.join('')).toContain(command);
  });
});
