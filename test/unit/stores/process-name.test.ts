import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isAlive, processName } from '../../../src/stores/process-name.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const start = (program: string, args: readonly string[], options: { readonly argv0?: string } = {}): ReturnType<typeof spawn> => {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], ...options });
  cleanups.push(() => child.kill('SIGKILL'));
  return child;
};

/** State and start of a process, as Linux writes them behind the bracket that closes its program's name. */
function statOf(pid: number): { readonly state: string; readonly startedAt: string } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/);
  return { state: fields[0] ?? '', startedAt: fields[19] ?? '' };
}

const nameOf = (pid: number | undefined, startedAt: string): string => `${hostname()}:${pid}:${startedAt}`;

describe('processName', () => {
  it('names machine, process id and start of this process', () => {
    expect(processName).toBe(nameOf(process.pid, statOf(process.pid).startedAt));
    expect(processName).toMatch(/:\d+:\d+$/);
  });
});

describe('isAlive', () => {
  it('is true of this process', () => {
    expect(isAlive(processName)).toBe(true);
  });

  it('is true of another process while it runs, and false when it has ended', async () => {
    const child = start('sleep', ['1000']);
    const name = nameOf(child.pid, statOf(child.pid ?? 0).startedAt);
    expect(isAlive(name)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(name)).toBe(false);
  });

  it('is true of a process that is stopped', async () => {
    const child = start('sleep', ['1000']);
    const pid = child.pid ?? 0;
    child.kill('SIGSTOP');
    await vi.waitFor(() => expect(statOf(pid).state).toBe('T'));
    expect(isAlive(nameOf(pid, statOf(pid).startedAt))).toBe(true);
  });

  it('is false of a process that is dead but not buried', async () => {
    // the shell becomes `sleep`, which never asks after the child that it has inherited; until then it might bury the child
    const parent = start('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
    const [line] = await once(parent.stdout ?? parent, 'data');
    const pid = Number(String(line));
    cleanups.push(() => spawn('kill', ['-9', String(pid)], { stdio: 'ignore' }));
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
    const name = nameOf(pid, statOf(pid).startedAt);
    expect(isAlive(name)).toBe(true);
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(statOf(pid).state).toBe('Z'));
    expect(isAlive(name)).toBe(false);
    expect(isAlive(nameOf(pid, ''))).toBe(false);
  });

  it('is false when the process id belongs to a later process', () => {
    const child = start('sleep', ['1000']);
    expect(isAlive(nameOf(child.pid, '1'))).toBe(false);
    expect(isAlive(nameOf(process.pid, '1'))).toBe(false);
  });

  it('goes by the process id alone when the start is not known', () => {
    const child = start('sleep', ['1000']);
    expect(isAlive(nameOf(child.pid, ''))).toBe(true);
    expect(isAlive(`${hostname()}:${child.pid}`)).toBe(true);
  });

  it('reads the state behind a program name that looks like one', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'process-name-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const program = join(folder, ') Z 1 (x) Z');
    symlinkSync(execFileSync('sh', ['-c', 'command -v sleep'], { encoding: 'utf8' }).trim(), program);
    const child = start(program, ['1000'], { argv0: 'sleep' });
    expect(readFileSync(`/proc/${child.pid}/comm`, 'utf8')).toBe(') Z 1 (x) Z\n');
    const { startedAt } = statOf(child.pid ?? 0);
    expect(isAlive(nameOf(child.pid, startedAt))).toBe(true);
    expect(isAlive(nameOf(child.pid, '1'))).toBe(false);
  });

  it('is true of a process of another user, which may not be signalled', async () => {
    const isRoot = process.getuid?.() === 0;
    const pid = isRoot ? process.pid : 1; // the first process belongs to root
    const source = new URL('../../../src/stores/process-name.ts', import.meta.url);
    const script = `
      import { isAlive } from ${JSON.stringify(source)};
      if (${isRoot}) process.setuid(65534);
      let code = 'none';
      try { process.kill(${pid}, 0) } catch (error) { code = error.code }
      console.log(code, isAlive(${JSON.stringify(nameOf(pid, ''))}));`;
    const child = start(process.execPath, ['--input-type=module', '-e', script]);
    const [line] = await once(child.stdout ?? child, 'data');
    expect(String(line).trim()).toBe('EPERM true');
  });

  it('is true of every process of another machine', () => {
    expect(isAlive(`other-${hostname()}:${process.pid}:1`)).toBe(true);
    expect(isAlive(`${hostname()}.other:999999999:1`)).toBe(true);
  });

  it('is true of what is no name at all, so that its lease runs out by itself', () => {
    for (const name of ['', ':', '::', 'nobody', `${hostname()}::`, `${hostname()}:x:1`])
      expect([name, isAlive(name)]).toEqual([name, true]);
  });
});
