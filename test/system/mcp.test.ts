// Two public MCP servers as tools, and our server under the protocol's own conformance suite.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Json } from 'agent-machines';
import { type McpTools, mcpTools } from 'agent-machines/mcp';
import { stdioServer } from 'agent-machines/mcp/node';
import { executeCalls, parseToolCall } from 'agent-machines/tools';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callEnd } from '../fixtures/call-end.ts';
import { freePort } from '../fixtures/free-port.ts';
import { installedFile, installFolder } from './install-folder.ts';
import { startConformanceServer } from './mcp-conformance-server.ts';

vi.setConfig({ testTimeout: 300_000 });
const programOf = (path: string): string => fileURLToPath(installedFile('mcp', `@modelcontextprotocol/${path}`));
const folder = mkdtempSync(join(tmpdir(), 'mcp-servers-'));
const started: ChildProcess[] = [];
const opened: McpTools[] = [];
beforeAll(() => installFolder('mcp'), 300_000);
afterAll(async () => {
  for (const tools of opened) await tools.close();
  for (const child of started) child.kill();
  rmSync(folder, { recursive: true });
});

const open = async (options: Parameters<typeof mcpTools>[0]): Promise<McpTools> => {
  const tools = await mcpTools(options);
  opened.push(tools);
  return tools;
};

/** As an agent calls it: through the gate's rules and the executor. */
async function call({ tools }: McpTools, name: string, args: object = {}): Promise<Json | undefined> {
  const checked = parseToolCall({ id: 'c', name, arguments: JSON.stringify(args) }, { tools });
  const { results } = await executeCalls([checked], { tools });
  expect(results).toMatchObject([{ status: 'success' }]);
  return results.map(callEnd)[0];
}

const openEverything = {
  stdio: () =>
    open({ name: 'all', server: stdioServer({ command: process.execPath, args: [programOf('server-everything/dist/index.js')] }) }),
  async http() {
    const port = await freePort();
    const child = spawn(process.execPath, [programOf('server-everything/dist/index.js'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    started.push(child);
    return vi.waitFor(() => open({ name: 'all', url: `http://127.0.0.1:${port}/mcp` }), { timeout: 60_000, interval: 200 });
  },
};

describe.each(['stdio', 'http'] as const)('server-everything over %s', (kind) => {
  it('has callable tools', async () => {
    const tools = await openEverything[kind]();
    const usable = tools.tools.filter(({ unavailable }) => unavailable === undefined).map(({ name }) => name);
    expect(usable).toEqual(expect.arrayContaining(['all.echo', 'all.get-sum', 'all.get-structured-content']));
    expect(await call(tools, 'all.echo', { message: 'Hello' })).toBe('Echo: Hello');
    expect(await call(tools, 'all.get-sum', { a: 2, b: 3 })).toContain('5');
    expect(await call(tools, 'all.get-structured-content', { location: 'Chicago' })).toMatchObject({ temperature: expect.any(Number) });
    const image = { type: 'file', mediaType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) };
    expect(await call(tools, 'all.get-tiny-image')).toMatchObject({ content: expect.arrayContaining([image]) });
    expect(tools.refused).toEqual([]);
  });
});

describe('server-filesystem over stdio', () => {
  it('reads and writes in its folder, and reports a forbidden access', async () => {
    writeFileSync(join(folder, 'a.txt'), 'What is in it.');
    const tools = await open({
      name: 'files',
      server: stdioServer({ command: process.execPath, args: [programOf('server-filesystem/dist/index.js'), folder] }),
      declare: { read_text_file: { effect: 'pure' } },
    });
    expect(JSON.stringify(await call(tools, 'files.read_text_file', { path: join(folder, 'a.txt') }))).toContain('What is in it.');
    await call(tools, 'files.write_file', { path: join(folder, 'b.txt'), content: 'New.' });
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('New.');
    const tool = tools.tools.find(({ name }) => name === 'files.read_text_file');
    const outside = tool?.execute({ path: '/etc/hostname' }, { signal: new AbortController().signal, idempotencyKey: 'k', attempt: 1 });
    await expect(outside).rejects.toMatchObject({ code: 'TOOL_FAILED', message: expect.stringContaining('denied') });
  });
});

/** Scenarios that the guide says do not apply. */
const listed = [...(readFileSync('docs/guides/mcp.md', 'utf8').split('| scenario |')[1] ?? '').matchAll(/^\| `([^|]*)` \|/gm)].flatMap(
  ([, names = '']) => names.split('`, `'),
);

it('passes all scenarios of the conformance suite except the listed ones, which fail', async () => {
  const server = await startConformanceServer();
  try {
    const args = [programOf('conformance/dist/index.js'), 'server', '--url', server.url, '--suite', 'all'];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => error);
    const scenarios = [...stdout.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gmu)];
    expect(scenarios.length).toBeGreaterThan(25);
    expect(
      scenarios
        .filter(([, mark]) => mark === '✗')
        .map(([, , name]) => name)
        .sort(),
    ).toEqual([...listed].sort());
  } finally {
    await server.close();
  }
});
