import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { init } from '../../../src/cli/init.ts';

const execute = promisify(execFile);

describe('init', () => {
  it('writes a project that resumes after a kill, and asks for the outcome of a call', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-machines-init-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    const project = join(folder, 'killed');
    await init(project, { package: '0.1.0' });
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(resolve('node_modules/zod'), join(project, 'node_modules/zod'));
    symlinkSync(resolve('.'), join(project, 'node_modules/agent-machines'));
    const main = join(project, 'src/main.ts');
    const dying = (node: string) => `process.env.DIE_IN === '${node}' && process.kill(process.pid, 'SIGKILL');`;
    const text = readFileSync(main, 'utf8')
      .replace('write: async (topic, remarks) => [', `write: async (topic, remarks) => (${dying('write').slice(0, -1)}, 0) || [`)
      .replace('publish: async (text) => {', (found) => `${found} ${dying('publish')}`);
    writeFileSync(main, text);
    const start = async (dieIn: string, ...args: string[]) => {
      const env = { ...process.env, DIE_IN: dieIn };
      return (await execute(process.execPath, ['--conditions=@agent-machines/source', main, ...args], { cwd: project, env })).stdout;
    };
    await expect(start('write')).rejects.toMatchObject({ signal: 'SIGKILL' });
    expect(await start('')).toContain('npm start -- APPROVE');
    await expect(start('publish', 'APPROVE')).rejects.toMatchObject({ signal: 'SIGKILL' });
    expect(await start('')).toContain('Has it happened?');
    expect(await start('', 'https://example.com/here')).toContain('publish → published');
    const runtime = createRuntime({ store: sqliteStore({ path: join(project, 'runs.db') }) });
    onTestFinished(() => runtime.close());
    expect((await runtime.list()).map(({ status }) => status)).toEqual(['done']);
  });
});
