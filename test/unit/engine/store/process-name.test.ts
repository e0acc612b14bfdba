import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { firstPidNamespace, ownProcess, parseName, processName, toName } from '../../../../src/engine/store/process-name.ts';
import { processState } from '../../../../src/engine/store/process-state.ts';

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

const nameOf = (pid: number | undefined, startedAt: string): string => toName({ ...ownProcess, pid: String(pid), startedAt });

const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

describe('processName', () => {
  it('contains the machine, the process id and its start, the start of the machine, and the namespace of the id', () => {
    const namespace = readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
    expect(processName).toBe(toName(ownProcess));
    expect(ownProcess).toEqual({
      host: hostname(),
      pid: String(process.pid),
      startedAt: statOf(process.pid).startedAt,
      boot: bootId(),
      pidNamespace: namespace,
      machine: expect.stringMatching(/^[0-9a-f]{16}$|^$/),
    });
    expect(processName.startsWith(`${hostname()}:${process.pid}:${statOf(process.pid).startedAt}:${bootId()}:${namespace}:`)).toBe(true);
  });

  it('hides the id of the machine', () => {
    expect(processName).not.toContain(readFileSync('/etc/machine-id', 'utf8').trim());
  });

  it('parses back to the same parts for any host name', () => {
    for (const host of ['a:b', 'a/b', '50%', '%zz', '호스트', '']) {
      expect(parseName(toName({ ...ownProcess, host }))).toEqual({ ...ownProcess, host });
      expect(toName({ ...ownProcess, host })).not.toContain('/');
    }
    expect(parseName('%zz:1')).toMatchObject({ host: '%zz', pid: '1', boot: '' });
  });
});

describe('processState', () => {
  it('returns alive for this process', () => {
    expect(processState(processName)).toBe('alive');
  });

  it('returns alive for another process while it runs, and gone after its end', async () => {
    const child = start('sleep', ['1000']);
    const name = nameOf(child.pid, statOf(child.pid ?? 0).startedAt);
    expect(processState(name)).toBe('alive');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(processState(name)).toBe('gone');
  });

  it('returns alive for a stopped process', async () => {
    const child = start('sleep', ['1000']);
    const pid = child.pid ?? 0;
    child.kill('SIGSTOP');
    await vi.waitFor(() => expect(statOf(pid).state).toBe('T'));
    expect(processState(nameOf(pid, statOf(pid).startedAt))).toBe('alive');
  });

  it('returns gone for a zombie process', async () => {
    // the shell becomes `sleep`, which never asks after the child that it has inherited; until then it might bury the child
    const parent = start('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000']);
    const [line] = await once(parent.stdout ?? parent, 'data');
    const pid = Number(String(line));
    cleanups.push(() => spawn('kill', ['-9', String(pid)], { stdio: 'ignore' }));
    await vi.waitFor(() => expect(readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n'));
    const name = nameOf(pid, statOf(pid).startedAt);
    expect(processState(name)).toBe('alive');
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(statOf(pid).state).toBe('Z'));
    expect(processState(name)).toBe('gone');
    expect(processState(nameOf(pid, ''))).toBe('gone');
  });

  it('returns gone when the process id belongs to a later process', () => {
    const child = start('sleep', ['1000']);
    expect(processState(nameOf(child.pid, '1'))).toBe('gone');
    expect(processState(nameOf(process.pid, '1'))).toBe('gone');
  });

  it('uses the process id alone when the start is unknown', () => {
    const child = start('sleep', ['1000']);
    expect(processState(nameOf(child.pid, ''))).toBe('alive');
  });

  it('reads the state after a program name that looks like a state', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'process-name-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const program = join(folder, ') Z 1 (x) Z');
    symlinkSync(execFileSync('sh', ['-c', 'command -v sleep'], { encoding: 'utf8' }).trim(), program);
    const child = start(program, ['1000'], { argv0: 'sleep' });
    expect(readFileSync(`/proc/${child.pid}/comm`, 'utf8')).toBe(') Z 1 (x) Z\n');
    const { startedAt } = statOf(child.pid ?? 0);
    expect(processState(nameOf(child.pid, startedAt))).toBe('alive');
    expect(processState(nameOf(child.pid, '1'))).toBe('gone');
  });

  it('returns alive for a process of another user, which may not be signalled', async () => {
    const isRoot = process.getuid?.() === 0;
    const pid = isRoot ? process.pid : 1; // the first process belongs to root
    const source = new URL('../../../../src/engine/store/process-state.ts', import.meta.url);
    const script = `
      import { processState } from ${JSON.stringify(source)};
      if (${isRoot}) process.setuid(65534);
      let code = 'none';
      try { process.kill(${pid}, 0) } catch (error) { code = error.code }
      console.log(code, processState(${JSON.stringify(nameOf(pid, ''))}));`;
    const child = start(process.execPath, ['--input-type=module', '-e', script]);
    const [line] = await once(child.stdout ?? child, 'data');
    expect(String(line).trim()).toBe('EPERM alive');
  });

  const here = { ...ownProcess, machine: 'm', pidNamespace: firstPidNamespace };
  const noProcess = { ...here, pid: String(2 ** 22 + 1), startedAt: '1' };
  it.each([
    ['a process of this machine that has ended', noProcess, 'gone'],
    ['one before this machine restarted', { ...noProcess, boot: 'earlier' }, 'gone'],
    ['one of a machine with another name', { ...noProcess, boot: 'other', host: 'other' }, 'unknown'],
    ['one of another machine with the same name', { ...noProcess, boot: 'other', machine: 'n' }, 'unknown'],
    ['one of a machine without an id and with the same name', { ...noProcess, boot: 'other', machine: '' }, 'unknown'],
    ['one in a container of another machine, made from the same image', { ...noProcess, boot: 'other', pidNamespace: '7' }, 'unknown'],
    ['one in another container of this machine', { ...noProcess, pidNamespace: '7' }, 'unknown'],
    ['one in a container, with the id of this process', { ...here, pidNamespace: '7' }, 'unknown'],
    ['one of a system without namespaces', { ...noProcess, pidNamespace: '' }, 'unknown'],
    ['one of a system without a boot time', { ...noProcess, boot: '' }, 'unknown'],
    ['one with a process id that is a group', { ...noProcess, pid: '0' }, 'unknown'],
    ['one with an invalid process id', { ...noProcess, pid: '-1' }, 'unknown'],
  ] as const)('returns the known state for %s', (_name, there, state) => {
    expect(processState(toName(there), here)).toBe(state);
  });

  it('returns unknown in a container without a known namespace', () => {
    expect(processState(toName(noProcess), { ...here, pidNamespace: '' })).toBe('unknown');
  });

  it('distinguishes a container from its machine for any id', () => {
    const inside = { ...here, pidNamespace: '7' };
    expect(processState(toName({ ...noProcess, boot: 'earlier' }), inside)).toBe('unknown');
    expect(processState(toName(noProcess), inside)).toBe('unknown');
  });

  it('returns unknown for an invalid name, so that its lease expires', () => {
    for (const name of ['', ':', '::', 'nobody', `${hostname()}::`, `${hostname()}:x:1`, `${hostname()}:999999999:1`])
      expect([name, processState(name)]).toEqual([name, 'unknown']);
  });
});
