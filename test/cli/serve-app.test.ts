// `agent-machines serve --app`: a module of the user's, loaded again while it serves.
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AgentClient, createClient } from 'agent-machines/client';
import { expect, it, vi } from 'vitest';
import { appModule } from '../../src/cli/app-module.ts';
import { type Command, command, folder, sourceCommand } from './command.ts';

vi.setConfig({ testTimeout: 120_000 });
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A folder in which the package is installed. */
function appFolder(): { readonly cwd: string; write(name: string, text: string): void } {
  const cwd = folder();
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(root, join(cwd, 'node_modules/agent-machines'), 'dir');
  symlinkSync(join(root, 'node_modules/xstate'), join(cwd, 'node_modules/xstate'), 'dir');
  copyFileSync(new URL('../fixtures/log-workflow.ts', import.meta.url), join(cwd, 'log-workflow.ts'));
  return { cwd, write: (name, text) => writeFileSync(join(cwd, name), text) };
}

/** Works until a file named by the thread is there, then asks. */
const app = (more = ''): string => `
import { existsSync } from 'node:fs';
import { failure, final, logWorkflow, node, waiting } from './log-workflow.ts';
import { greeting } from './greeting.ts';

const talk = logWorkflow({
  id: 'talk',
  initial: 'work',
  states: { work: node('work', 'ask'), ask: waiting({ SAY: '${more === '' ? 'done' : 'more'}' }), ${more} done: final, failed: failure },
  nodes: {
    work: async (state, io) => {
      while (state.log[0] && !existsSync(state.log[0])) await new Promise((resolve) => setTimeout(resolve, 10));
      return { log: [greeting] };
    },
    ${more === '' ? '' : "more: async () => ({ log: ['and more'] }),"}
  },
});

export default { workflows: [talk], model: { name: 'a model of mine' } };
`;
const greeting = (text: string): string => `export const greeting: string = '${text}';\n`;

async function serve(cwd: string, ...more: readonly string[]): Promise<{ readonly process: Command; readonly client: AgentClient }> {
  const process = sourceCommand(cwd, ['serve', '--app', './app.ts', '--json', '--db', 'runs.db', '--port', '0', ...more]);
  await process.sees('"url":"http://127.0.0.1:');
  const { url, token } = JSON.parse(await process.firstLine()) as { url: string; token: string };
  return { process, client: createClient({ baseUrl: url, token }) };
}

const start = async (client: AgentClient, input: object = {}): Promise<string> =>
  (await client.startRun({ body: { workflow: 'talk', input: { ...input } } })).id;

async function asked(client: AgentClient, id: string): Promise<void> {
  for await (const _ of client.events(id));
}

async function say(client: AgentClient, id: string): Promise<unknown> {
  const { interrupts } = await client.getRun({ params: { id } });
  await client.send({ params: { id }, body: { interruptId: interrupts[0]?.id ?? '', event: { type: 'SAY', text: 'yes' } } });
  for await (const _ of client.events(id, { follow: true }));
  return (await client.getRun({ params: { id } })).output;
}

it('serves a module, and reloads it while its runs continue', async () => {
  const { cwd, write } = appFolder();
  write('app.ts', app());
  write('greeting.ts', greeting('one'));
  const { process, client } = await serve(cwd, '--watch');
  expect(await client.listWorkflows()).toMatchObject([{ id: 'talk' }]);
  expect(await client.getModel()).toEqual({ name: 'a model of mine', offline: false });
  const waiting = await start(client);
  await asked(client, waiting);
  const gate = join(cwd, 'gate');
  const driven = await start(client, { log: [gate] });

  write('greeting.ts', greeting('two'));
  await process.sees('Loaded ./app.ts again.');
  const second = await start(client);
  await asked(client, second);
  expect(await say(client, second)).toBe('two,yes');

  write('greeting.ts', 'export const greeting = = ;');
  await process.sees('The previous version keeps running. ./app.ts cannot be loaded.');
  const third = await start(client);
  await asked(client, third);
  expect(await say(client, third)).toBe('two,yes');

  write('app.ts', app("more: node('more', 'done'),"));
  write('greeting.ts', greeting('three'));
  await vi.waitFor(async () => expect((await client.getWorkflow({ params: { id: 'talk' } })).graph.states.length).toBe(5));
  const fourth = await start(client);
  await asked(client, fourth);
  expect(await say(client, fourth)).toBe('three,yes,and more');

  expect((await client.getRun({ params: { id: driven } })).status).toBe('running');
  write('gate', '');
  for await (const _ of client.events(driven));
  expect(await say(client, driven)).toBe(`${gate},one,yes`);
  expect(await say(client, waiting)).toBe('one,yes');
  process.kill('SIGTERM');
  const { code, stderr } = await process;
  expect(stderr).toContain('greeting.ts');
  expect(code).toBe(0);
});

it('keeps the previous version when a module never finishes loading, and loads the next change at once', async () => {
  const { cwd, write } = appFolder();
  write('greeting.ts', greeting('hello'));
  write('app.ts', app());
  const { process, client } = await serve(cwd, '--watch');
  write('greeting.ts', "process.stderr.write('It hangs.\\n');\nawait new Promise(() => {});\nexport const greeting = 'never';\n");
  await process.sees('It hangs.');
  const id = await start(client);
  await asked(client, id);
  expect(await say(client, id)).toBe('hello,yes');
  write('greeting.ts', greeting('hello again'));
  await process.sees('Loaded ./app.ts again.');
  const next = await start(client);
  await asked(client, next);
  expect(await say(client, next)).toBe('hello again,yes');
  process.kill('SIGTERM');
  expect((await process).code).toBe(0);
});

it.each([
  ['an await at its top', 'await new Promise(() => {});\nexport default {};'],
  ['what it makes', 'export default () => new Promise(() => {});'],
])('reports a module that never finishes loading: %s', async (_, text) => {
  const cwd = folder();
  const path = join(cwd, 'app.mjs');
  writeFileSync(path, text);
  await expect(appModule(path, 50).load()).rejects.toThrow('app.mjs did not load within 0.05 seconds');
});

it('keeps no timer for a module that is abandoned while loading', async () => {
  const path = join(folder(), 'app.mjs');
  writeFileSync(path, 'await new Promise(() => {});');
  const timers = new Set<object>();
  const schedule = (): (() => void) => {
    const timer = {};
    timers.add(timer);
    return () => timers.delete(timer);
  };
  const left = new AbortController();
  const loaded = appModule(path, 50, { schedule }).load(left.signal);
  expect(timers.size).toBe(1);
  left.abort(new Error('left'));
  await expect(loaded).rejects.toThrow('left');
  expect(timers.size).toBe(0);
});

it.each(['SIGINT', 'SIGTERM'] as const)('stops at once at %s while a first or a changed module is loading', async (signal) => {
  const { cwd, write } = appFolder();
  const hangs = "process.stderr.write('It hangs.\\n');\nawait new Promise(() => {});\nexport const greeting = 'never';\n";
  write('app.ts', app());
  write('greeting.ts', hangs);
  const first = sourceCommand(cwd, ['serve', '--app', './app.ts', '--db', 'runs.db', '--port', '0']);
  await first.sees('It hangs.');
  first.kill(signal);
  expect(await first).toMatchObject({ code: 0, stdout: '' });
  write('greeting.ts', greeting('hello'));
  const { process } = await serve(cwd, '--watch');
  write('greeting.ts', hangs);
  await process.sees('It hangs.');
  process.kill(signal);
  expect((await process).code).toBe(0);
});

it('ends the sessions and streams of MCP clients when it stops', async () => {
  const { cwd, write } = appFolder();
  write('app.ts', app());
  write('greeting.ts', greeting('one'));
  const process = sourceCommand(cwd, ['serve', '--app', './app.ts', '--json', '--db', 'runs.db', '--port', '0', '--drain', '600']);
  await process.sees('"url":"http://127.0.0.1:');
  const { url, token } = JSON.parse(await process.firstLine()) as { url: string; token: string };
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const begun = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
  await begun.text();
  const session = begun.headers.get('mcp-session-id') ?? '';
  expect(session).not.toBe('');
  const stream = await fetch(`${url}/mcp`, { headers: { ...headers, 'mcp-session-id': session } });
  expect(stream.status).toBe(200);
  process.kill('SIGTERM');
  await stream.text().catch(() => undefined); // it ends, politely or not
  expect((await process).code).toBe(0);
});

it.each([
  ['no file', [], 'There is no file ./app.ts.'],
  ['no default export', ['export const a = 1;'], 'has no workflows'],
  ['no workflows', ['export default { workflows: [] };'], 'has no workflows'],
  ['something else in its list', ['export default { workflows: [{}] };'], 'has no workflows'],
  ['a function that fails', ["export default () => { throw new Error('no key'); };"], 'no key'],
] as const)('reports an app with %s', async (_name, [text], said) => {
  const { cwd, write } = appFolder();
  if (text !== undefined) write('app.ts', text);
  const { code, stdout, stderr } = await command(cwd, ['serve', '--app', './app.ts', '--port', '0']);
  expect(stderr).toContain(said);
  expect(stdout).toBe('');
  expect(code).not.toBe(0);
});

it('reports a module that has another copy of the package', async () => {
  const { cwd, write } = appFolder();
  rmSync(join(cwd, 'node_modules/agent-machines'));
  mkdirSync(join(cwd, 'node_modules/agent-machines'));
  write('node_modules/agent-machines/package.json', '{ "name": "agent-machines", "exports": { "./package.json": "./package.json" } }');
  write('app.ts', app());
  const { code, stderr } = await command(cwd, ['serve', '--app', './app.ts', '--port', '0']);
  expect(stderr).toContain('npx agent-machines serve');
  expect(code).toBe(2);
});

it('rejects --watch without --app', async () => {
  const { cwd } = appFolder();
  expect(await command(cwd, ['serve', '--watch'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--watch needs --app FILE') });
});

it('counts the cost of model calls by the prices of the module', async () => {
  const { cwd, write } = appFolder();
  write(
    'app.ts',
    `import { failure, final, logWorkflow, node } from './log-workflow.ts';
     const usage = { inputTokens: 1_000_000, outputTokens: 500_000 };
     const work = async (_state, io) => {
       io.emit({ type: 'model-start', task: 't', model: 'm' });
       io.emit({ type: 'model-end', task: 't', model: 'm', durationMs: 1, usage, cached: false });
       return { log: ['x'] };
     };
     const states = { work: node('work', 'done'), done: final, failed: failure };
     const talk = logWorkflow({ id: 'talk', initial: 'work', states, nodes: { work } });
     export default { workflows: [talk], prices: { m: { inputPerMillion: 2, outputPerMillion: 10 } } };`,
  );
  const { process, client } = await serve(cwd);
  await asked(client, await start(client));
  expect(await client.getMetrics()).toContain('agent_machines_model_cost_total{model="m"} 7\n');
  process.kill('SIGTERM');
  expect((await process).code).toBe(0);
});
