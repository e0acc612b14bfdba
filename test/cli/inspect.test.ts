// `agent-machines inspect`: it serves runs to this machine until it is told to stop.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRuntime } from 'agent-machines';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readFeed } from '../fixtures/feed-reader.ts';
import { final, logWorkflow, waiting } from '../fixtures/log-workflow.ts';
import { command, folder, program } from './command.ts';

/** Starts the command, and reads where it is to be found. */
async function inspect(cwd: string, ...args: string[]) {
  const [node = '', ...rest] = program.split(' ');
  const child = spawn(node, [...rest, 'inspect', '--json', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, ended, ...(JSON.parse(line) as { url: string; webSocketUrl: string }) };
}

describe('inspect', () => {
  it('shows runs of another program on a listening page, and ends cleanly at Ctrl-C', async () => {
    const cwd = folder();
    const { child, ended, url, webSocketUrl } = await inspect(cwd, '--db', 'my.db', '--live');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/#live$/);
    expect(webSocketUrl).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    expect(existsSync(join(cwd, 'my.db'))).toBe(false);
    const feed = readFeed(new URL('feed', url.split('#')[0]).href);
    await feed.until((messages) => messages.some(([name]) => name === 'trouble'));
    const store = sqliteStore({ path: join(cwd, 'my.db') });
    const runtime = createRuntime({ store });
    const run = runtime.start(logWorkflow({ id: 'own', states: { ask: waiting({ STOP: 'done' }), done: final } }), {});
    await run.result;
    await feed.until((messages) => messages.some(([name, { runs }]) => name === 'runs' && (runs as { id: string }[])[0]?.id === run.id));
    await runtime.close();
    await store.close();
    child.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    await feed.ended;
  });

  it('opens one run, and reports a missing or unknown one', async () => {
    const cwd = folder();
    expect(await command(cwd, ['inspect', 'r_none', '--db', 'my.db'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('r_none'),
    });
    const store = sqliteStore({ path: join(cwd, 'my.db') });
    const runtime = createRuntime({ store });
    const run = runtime.start(logWorkflow({ id: 'own', states: { ask: waiting({ STOP: 'done' }), done: final } }), {});
    await run.result;
    await runtime.close();
    await store.close();
    const { child, ended, url } = await inspect(cwd, run.id, '--db', 'my.db');
    expect(url.endsWith(`/#run=${run.id}`)).toBe(true);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await command(cwd, ['inspect', 'r_none', '--db', 'my.db'])).toMatchObject({ code: 1 });
  });

  it('rejects a port that is in use or invalid, and a run together with --live', async () => {
    const cwd = folder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    expect(await command(cwd, ['inspect', '--port', String(port)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${port} is in use`),
    });
    expect(await command(cwd, ['inspect', '--port', '70000'])).toMatchObject({ code: 2 });
    expect(await command(cwd, ['inspect', 'r_1', '--live'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--live') });
  });
});
