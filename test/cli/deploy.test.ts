// Version 2 of an app is deployed beside version 1, on one database and under load.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type AgentClient, createClient } from 'agent-machines/client';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Command, folder, sourceCommand } from './command.ts';

vi.setConfig({ testTimeout: 240_000 });
const root = fileURLToPath(new URL('../../', import.meta.url));

/** An app whose runs end with its version: at once, or after an answer. Version 2 has a state more, and both versions of the machine. */
const app = (versions: readonly number[]): string => `
import { defineMachine, defineWorkflow, schemaState } from 'agent-machines';
import { defineApp } from 'agent-machines/server';
import { z } from 'zod';

const publish = (version) => defineWorkflow({
  machine: defineMachine(schemaState(z.object({ asks: z.boolean(), text: z.string().default('') }), { events: { GO: null } }), {
    id: 'publish',
    version,
    initial: 'write',
    output: ({ text }) => text,
    guards: { asks: ({ asks }) => asks },
    states: {
      write: { node: 'write', done: [{ guard: 'asks', target: 'review' }, version === '1' ? 'done' : 'check'], error: 'failed' },
      review: { waiting: { GO: version === '1' ? 'done' : 'check' } },
      ...(version === '1' ? {} : { check: { node: 'check', done: 'done', error: 'failed' } }),
      done: { final: true },
      failed: { final: 'failure' },
    },
  }),
  nodes: {
    write: async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { text: 'written by ' + version };
    },
    ...(version === '1' ? {} : { check: async () => ({}) }),
  },
});

export default defineApp({ version: '${versions[0]}.0.0', workflows: [${versions.map((version) => `publish('${version}')`)}] });
`;

interface Served {
  readonly process: Command;
  readonly url: string;
}

it('loses no run and refuses no start while version 2 takes over from two processes of version 1', async () => {
  const cwd = folder();
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(root, join(cwd, 'node_modules/agent-machines'), 'dir');
  symlinkSync(join(root, 'node_modules/zod'), join(cwd, 'node_modules/zod'), 'dir');
  writeFileSync(join(cwd, 'app1.js'), app([1]));
  writeFileSync(join(cwd, 'app2.js'), app([2, 1]));
  const token = 'a-token-of-all-servers';
  const serve = async (file: string): Promise<Served> => {
    const limits = ['--max-starts', '100000', '--max-changes', '100000', '--max-running', '100'];
    const process = sourceCommand(cwd, ['serve', '--app', file, '--json', '--db', 'runs.db', '--port', '0', '--token', token, ...limits]);
    onTestFinished(() => process.kill('SIGKILL'));
    await process.sees('"url":"http://127.0.0.1:');
    return { process, url: (JSON.parse(await process.firstLine()) as { readonly url: string }).url };
  };
  const former = [await serve('./app1.js'), await serve('./app1.js')];

  // the proxy: a request goes to one of these, and again if its server has ended
  let servers: readonly Served[] = former;
  let turn = 0;
  const proxied: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    for (const until = performance.now() + 30_000; performance.now() < until; await pause(20)) {
      const server = servers[turn++ % servers.length];
      const response = await fetch(`${server?.url}${pathname}${search}`, init).catch(() => undefined);
      if (response && response.status !== 503) return response;
    }
    throw new Error('no server has answered');
  };
  const client: AgentClient = createClient({ baseUrl: 'http://proxy.test', token, fetch: proxied });

  const accepted: { readonly id: string; readonly version: string }[] = [];
  let number = 0;
  let isOver = false;
  const start = async (asks: boolean): Promise<string> => {
    const { id, version } = await client.startRun(
      { body: { workflow: 'publish', input: { asks } } },
      { idempotencyKey: `start-${number++}` },
    );
    accepted.push({ id, version });
    return id;
  };
  const waiting = await start(true);
  const lanes = [0, 1, 2].map(async () => {
    while (!isOver) await start(false);
  });
  await expect.poll(() => accepted.length).toBeGreaterThan(20);
  const current = await serve('./app2.js');
  servers = [current];
  for (const { process } of former) process.kill('SIGTERM');
  expect((await Promise.all(former.map(({ process }) => process))).map(({ code }) => code)).toEqual([0, 0]);
  const before = accepted.length;
  await expect.poll(() => accepted.length).toBeGreaterThan(before + 20);
  isOver = true;
  await Promise.all(lanes); // rejects if a start was refused

  // a run of version 1 is answered by version 2 of the app, and ends on its own machine
  const { interrupts } = await client.getRun({ params: { id: waiting } });
  await client.send({ params: { id: waiting }, body: { interruptId: interrupts[0]?.id ?? '', event: { type: 'GO' } } });
  const unfinished = async (): Promise<number> =>
    (await Promise.all((['running', 'waiting'] as const).map((status) => client.listRuns({ query: { status } })))).flatMap(
      ({ runs }) => runs,
    ).length;
  await expect.poll(unfinished).toBe(0);
  expect((await client.listWorkers()).workers).toMatchObject([{ role: 'server', version: '2.0.0', workflows: ['publish 2', 'publish 1'] }]);
  current.process.kill('SIGTERM');
  await current.process;

  const store = sqliteStore({ path: join(cwd, 'runs.db') });
  onTestFinished(() => store.close());
  expect(await store.list({ limit: 100_000 })).toHaveLength(accepted.length);
  for (const { id, version } of accepted) {
    expect(await store.read(id)).toMatchObject({ status: 'done', version });
    const ends = (await store.journal(id)).filter(({ kind, outcome }) => kind === 'settle' && JSON.stringify(outcome).includes('"done"'));
    expect(ends).toMatchObject([{ outcome: { status: 'done' } }]);
    expect(JSON.stringify((await store.journal(id)).map(({ outcome }) => outcome))).toContain(`written by ${version}`);
  }
  expect(new Set(accepted.map(({ version }) => version))).toEqual(new Set(['1', '2']));
  expect(accepted.slice(before).map(({ version }) => version)).not.toContain('1');
});
