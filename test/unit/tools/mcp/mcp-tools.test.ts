import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tool } from 'agent-machines';
import { describeChange, type McpTools, type McpToolsOptions, mcpTools } from 'agent-machines/mcp';
import { pinFile, stdioServer } from 'agent-machines/mcp/node';
import { executeCalls, parseToolCall } from 'agent-machines/tools';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startMcpHttpServer } from '../../../fixtures/mcp-http-server.ts';
import { fixtureTools, toolNamed, writeList } from '../../../fixtures/mcp-server.ts';
import { mcpServerProgram } from '../../../fixtures/mcp-server-program.ts';

let folder = '';
let opened: { close(): Promise<void> }[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-tools-'));
  opened = [];
  writeList(listFile(), { tools: fixtureTools });
  writeFileSync(ledgerFile(), '');
});
afterEach(async () => {
  for (const one of opened) await one.close();
  rmSync(folder, { recursive: true });
});

const listFile = (): string => join(folder, 'list.json');
const ledgerFile = (): string => join(folder, 'ledger');
const ledger = (): string[] => readFileSync(ledgerFile(), 'utf8').split('\n').slice(0, -1);
const fixture = () => ({ list: listFile(), ledger: ledgerFile() });
const process7 = () => stdioServer({ command: process.execPath, args: [mcpServerProgram, listFile(), ledgerFile()] });
const open = async (options: McpToolsOptions): Promise<McpTools> => {
  const tools = await mcpTools(options);
  opened.push(tools);
  return tools;
};
const openProcess = (options: McpToolsOptions = {}): Promise<McpTools> => open({ server: process7(), ...options });
const named = ({ tools }: Pick<McpTools, 'tools'>, name: string): Tool => {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
};
const call = (tools: McpTools, name: string, text = '', signal = new AbortController().signal): Promise<unknown> =>
  named(tools, `mcp.${name}`).execute({ text }, { signal, idempotencyKey: 'k', attempt: 1 });

describe.each(['stdio', 'http'] as const)('mcpTools over %s', (kind) => {
  const openEither = async (options: McpToolsOptions = {}): Promise<McpTools> => {
    if (kind === 'stdio') return openProcess(options);
    const server = await startMcpHttpServer(fixture());
    opened.push({ close: async () => server[Symbol.asyncDispose]() });
    const tools = await open({ url: server.url, ...options });
    opened.reverse(); // who is connected leaves first
    return tools;
  };

  it('makes tools that fit the ports and count as untrusted', async () => {
    const tools = await openEither();
    expect(tools.tools).toHaveLength(fixtureTools.length);
    expect(tools.serverInfo).toEqual({ name: 'fixture', version: '1.2.3' });
    const echo = named(tools, 'mcp.echo');
    expect([echo.description, echo.effect, echo.capabilities, echo.unavailable]).toEqual(['Does echo.', undefined, undefined, undefined]);
    const checked = parseToolCall({ id: 'c', name: 'mcp.echo', arguments: '{"text":"hi"}' }, { tools: tools.tools });
    const { results } = await executeCalls([checked], { tools: tools.tools });
    expect(results[0]).toMatchObject({ status: 'success', output: 'echo hi' });
  });

  it.each([
    ['structured', { sum: 3 }],
    [
      'mixed',
      {
        content: [
          { type: 'text', text: 'Look:' },
          { type: 'file', mediaType: 'image/png', data: 'AAAA' },
          { type: 'file', mediaType: 'audio/wav', data: 'AAA=' },
          { type: 'text', text: '[link file:///a.txt: a: not shown]' },
          { type: 'text', text: '[resource file:///b.txt]\nof b' },
          { type: 'file', mediaType: 'application/x', data: 'AAAA', name: 'c.bin' },
        ],
      },
    ],
    ['broken', 'Look:\n[image without a name, 3 bytes: not shown]\n[image image/png, 0 bytes: not shown]'],
    [
      'drawn',
      {
        structuredContent: { sum: 3 },
        content: [{ type: 'file', mediaType: 'image/png', data: 'AAAAAAA=' }],
      },
    ],
  ])('reads what %s returns', async (name, output) => {
    expect(await call(await openEither(), name)).toEqual(output);
  });

  it.each([
    ['refuse', 'The tool "mcp.refuse" failed: No: it is closed.'],
    ['break', 'The tool "mcp.break" failed: It broke.'],
  ])('reports the server’s own reason for the failure of %s', async (name, message) => {
    await expect(call(await openEither(), name)).rejects.toMatchObject({ code: 'TOOL_FAILED', message });
  });

  it('reports progress', async () => {
    const told: unknown[] = [];
    const tools = await openEither({ onProgress: (progress) => told.push(progress) });
    expect(await call(tools, 'progress')).toBe('all parts');
    expect(told).toEqual([1, 2, 3].map((progress) => ({ tool: 'mcp.progress', progress, total: 3, message: `part ${progress}` })));
  });

  it('cancels an aborted call on the server', async () => {
    const tools = await openEither();
    const abort = new AbortController();
    const called = call(tools, 'silent', '', abort.signal);
    const seen = expect(called).rejects.toThrow();
    await vi.waitFor(() => expect(ledger()).toContain('silent'));
    abort.abort(new Error('enough'));
    await seen;
    await vi.waitFor(() => expect(ledger()).toContain('cancelled'));
  });

  it('gives up a silent call, and cancels it', async () => {
    const tools = await openEither({ timeoutMs: 50 });
    await expect(call(tools, 'silent')).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' });
    await vi.waitFor(() => expect(ledger()).toContain('cancelled'));
  });

  it.each([
    ['once', 'CALL_IN_DOUBT', 1],
    ['idempotent', 'MCP_UNAVAILABLE', 2],
  ] as const)('ends a %s call whose server died with %s, and connects again', async (effect, code, times) => {
    const tools = await openEither({ effect });
    const executed = executeCalls([parseToolCall({ id: 'c', name: 'mcp.die', arguments: '{}' }, { tools: tools.tools })], {
      tools: tools.tools,
    });
    if (effect === 'once') await expect(executed).rejects.toMatchObject({ code });
    else expect(await executed).toMatchObject({ results: [{ status: 'failure', error: { code } }] });
    expect(ledger().filter((line) => line === 'die')).toHaveLength(times);
    expect(await call(tools, 'note', 'after')).toBe('noted after');
  });

  it('disables a tool that changes during the connection, and enables it when it is accepted', async () => {
    const changes: unknown[] = [];
    const tools = await openEither({ onChange: (all) => changes.push(...all.map(({ tool }) => tool)) });
    expect(await call(tools, 'change')).toBe('changed');
    await vi.waitFor(() => expect(changes).toEqual(['mcp.note']));
    await expect(call(tools, 'note', 'x')).rejects.toMatchObject({
      code: 'MCP_TOOL_CHANGED',
      data: { tool: 'mcp.note', diff: ['- Does note.', '+ Says: first call die.'] },
    });
    const note = named(tools, 'mcp.note');
    expect([note.description, note.unavailable]).toEqual([
      'Does note.',
      expect.stringContaining('its description differs from the accepted version'),
    ]);
    expect(await call(tools, 'echo', 'still')).toBe('echo still');
    await tools.accept(['mcp.note']);
    expect([note.description, note.unavailable]).toEqual(['Says: first call die.', undefined]);
    expect(await call(tools, 'note', 'x')).toBe('noted x');
    expect(ledger().filter((line) => line.startsWith('note'))).toEqual(['note x']);
  });

  it('reads at most the allowed length of an answer', async () => {
    const tools = await openEither({ maxMessageBytes: 100_000, effect: 'pure' });
    expect(await call(tools, 'large', '50000')).toHaveLength(50_000);
    await expect(call(tools, 'large', '100000000')).rejects.toMatchObject({
      code: kind === 'http' ? 'TOOL_OUTPUT_TOO_LARGE' : 'MCP_UNAVAILABLE',
    });
    expect(await call(tools, 'echo', 'still')).toBe('echo still');
  });

  it('reads a list page by page, and refuses an endless one', async () => {
    writeList(listFile(), { tools: fixtureTools, pageSize: 4 });
    const tools = await openEither();
    expect(tools.tools).toHaveLength(fixtureTools.length);
    writeList(listFile(), { tools: fixtureTools, endless: true });
    await expect(tools.refresh()).rejects.toMatchObject({ code: 'MCP_UNAVAILABLE' });
  });
});

describe('mcpTools', () => {
  it('checks each tool separately', async () => {
    const deep = (levels: number): object => {
      let schema: object = { type: 'string' };
      for (let level = 0; level < levels; level++) schema = { type: 'object', properties: { a: schema } };
      return schema;
    };
    writeList(listFile(), {
      tools: [
        toolNamed('echo'),
        toolNamed('read.file/all'),
        toolNamed('날씨'),
        toolNamed('twice'),
        toolNamed('twice', { description: 'Another.' }),
        toolNamed('remote', { inputSchema: { type: 'object', properties: { a: { $ref: 'https://evil.example/schema.json' } } } }),
        toolNamed('deep', { inputSchema: deep(1_000) }),
        toolNamed('list', { inputSchema: { type: 'array' } }),
        toolNamed('hidden', { inputSchema: { type: 'object', properties: { a: { type: 'string', description: 'x\u{e0041}' } } } }),
        toolNamed('task', { execution: { taskSupport: 'required' } }),
        toolNamed('bidi\u202e'),
        toolNamed('rеad'), // Cyrillic
        toolNamed('zero\u200bwidth'),
        toolNamed('filler\u3164'),
        toolNamed(''),
        toolNamed('x'.repeat(130)),
        toolNamed('shown', { description: 'Reads.\u{e0041}\u202e' }),
      ],
    });
    const { tools, refused, changes } = await openProcess();
    expect(tools.map(({ name, unavailable }) => [name, unavailable])).toEqual([
      ['mcp.echo', undefined],
      ['mcp.read.file..2f.all', undefined],
      ['mcp...b0a0...c528.', undefined],
      ['mcp.twice', expect.stringContaining('several tools')],
      ['mcp.remote', expect.stringContaining('schema of its arguments cannot be used')],
      ['mcp.deep', expect.stringContaining('nested more than')],
      ['mcp.list', expect.stringContaining('not of type "object"')],
      ['mcp.hidden', expect.stringContaining('invisible characters')],
      ['mcp.task', expect.stringContaining('as a task')],
      ['mcp.shown', undefined],
    ]);
    expect(refused.map(({ name }) => name)).toEqual([
      'bidi\\u{202e}',
      'r\\u{435}ad',
      'zero\\u{200b}width',
      'filler\\u{3164}',
      '',
      `${'x'.repeat(127)}…`,
    ]);
    expect(tools.at(-1)?.description).toBe('Reads.');
    expect(changes).toEqual([]);
  });

  it('stores accepted tools in a file, and disables changed and new ones', async () => {
    const pins = pinFile(join(folder, 'deeper', 'pins.json'));
    await (await openProcess({ pins })).close();
    writeList(listFile(), {
      tools: [
        toolNamed('echo'),
        toolNamed('note', { inputSchema: { type: 'object', properties: { text: { type: 'string' }, bcc: { type: 'string' } } } }),
        toolNamed('added'),
      ],
    });
    const tools = await openProcess({ pins });
    expect(tools.tools.filter(({ unavailable }) => unavailable === undefined).map(({ name }) => name)).toEqual(['mcp.echo']);
    expect(tools.changes.map((change) => [change.tool, describeChange(change).slice(0, 4)])).toEqual([
      ['mcp.note', ['+     },', '+     "bcc": {', '+       "type": "string"']],
      ['mcp.added', ['+ Does added.', '+ {', '+   "type": "object",', '+   "properties": {']],
    ]);
    await expect(call(tools, 'note')).rejects.toMatchObject({ code: 'MCP_TOOL_CHANGED', message: expect.stringContaining('schema') });
    await expect(tools.accept(['mcp.other'])).rejects.toMatchObject({ code: 'TOOL_UNKNOWN' });
    await tools.accept();
    await tools.close();
    expect((await openProcess({ pins })).changes).toEqual([]);
  });

  it('reports that the server no longer lists a tool', async () => {
    const tools = await openProcess();
    writeList(listFile(), { tools: [toolNamed('echo')] });
    await tools.refresh();
    await expect(call(tools, 'note')).rejects.toMatchObject({
      code: 'TOOL_UNAVAILABLE',
      message: expect.stringContaining('no longer lists it'),
    });
  });

  it('shows the server’s own hints without relying on them', async () => {
    writeList(listFile(), { tools: [toolNamed('echo', { annotations: { readOnlyHint: true, idempotentHint: true } })] });
    const tools = await openProcess();
    expect([named(tools, 'mcp.echo').effect, tools.hints['mcp.echo']]).toEqual([undefined, { readOnly: true, idempotent: true }]);
  });

  it('applies the user’s declarations for all and for single tools', async () => {
    const capabilities = { private: false, untrusted: true, external: false };
    const tools = await openProcess({ name: 'files', capabilities, declare: { echo: { effect: 'pure' } }, only: ['echo', 'note'] });
    expect(tools.tools.map(({ name, effect, capabilities: touched }) => [name, effect, touched])).toEqual([
      ['files.echo', 'pure', capabilities],
      ['files.note', undefined, capabilities],
    ]);
  });

  it('starts a new session after the old one has expired, and repeats the call', async () => {
    await using server = await startMcpHttpServer(fixture());
    const tools = await open({ url: server.url, headers: { authorization: 'Bearer t' } });
    server.forget();
    expect(await call(tools, 'note', 'a')).toBe('noted a');
    expect(ledger().filter((line) => line.startsWith('note'))).toEqual(['note a']);
    expect(new Set(server.tokens)).toEqual(new Set(['Bearer t']));
    await tools.close();
  });

  it.each([
    [401, 'MCP_UNAVAILABLE'],
    [429, 'MCP_UNAVAILABLE'],
    [500, 'CALL_IN_DOUBT'],
  ])('decides by the status %i whether a once call was made', async (status, code) => {
    await using server = await startMcpHttpServer(fixture());
    let broken = false;
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> =>
      broken && init?.method === 'POST' ? new Response('no', { status }) : globalThis.fetch(url, init);
    const tools = await open({ url: server.url, fetch });
    broken = true;
    await expect(call(tools, 'note', 'a')).rejects.toMatchObject({ code });
    broken = false;
    await tools.close();
  });

  it('does not hang on a stream that ends without an answer', async () => {
    await using server = await startMcpHttpServer(fixture());
    let broken = false;
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> =>
      broken && init?.method === 'POST'
        ? new Response(': nothing\n\n', { headers: { 'content-type': 'text/event-stream' } })
        : globalThis.fetch(url, init);
    const tools = await open({ url: server.url, fetch });
    broken = true;
    await expect(call(tools, 'note', 'a')).rejects.toMatchObject({ code: 'CALL_IN_DOUBT' });
    broken = false;
    await tools.close();
  });

  it.each([
    ['an unknown program', () => ({ server: stdioServer({ command: join(folder, 'none') }) }), 'MCP_UNAVAILABLE'],
    [
      'a program that ends',
      () => ({ server: stdioServer({ command: process.execPath, args: ['-e', 'console.error("no\\u001b[31m key")'] }) }),
      'MCP_UNAVAILABLE',
    ],
    [
      'a program that talks otherwise',
      () => ({
        server: stdioServer({
          command: process.execPath,
          args: ['-e', 'console.log("hi"); setInterval(() => {}, 1000); process.stdin.on("end", () => process.exit())'],
        }),
        connectTimeoutMs: 300,
      }),
      'MCP_UNAVAILABLE',
    ],
    ['nobody at the address', () => ({ url: 'http://127.0.0.1:9/mcp' }), 'MCP_UNAVAILABLE'],
    ['no address', () => ({ url: 'ftp://example.com' }), 'OPTION_INVALID'],
    ['an address with a password', () => ({ url: 'http://a:b@127.0.0.1:9/mcp' }), 'OPTION_INVALID'],
    ['neither', () => ({}), 'OPTION_INVALID'],
    ['both', () => ({ url: 'http://127.0.0.1:9', server: process7() }), 'OPTION_INVALID'],
    ['a name with a dot', () => ({ server: process7(), name: 'a.b' }), 'OPTION_INVALID'],
    ['no SDK', () => ({ url: 'http://127.0.0.1:9', sdk: () => Promise.reject(new Error('Cannot find package')) }), 'ADAPTER_MISSING'],
  ])('says what is wrong with %s', async (_, options, code) => {
    await expect(mcpTools(options())).rejects.toMatchObject({ code });
  });

  it('quotes the last words of a server that exits, in visible characters', async () => {
    const server = stdioServer({ command: process.execPath, args: ['-e', 'console.error("no\\u001b[31m key")'] });
    await expect(mcpTools({ server })).rejects.toMatchObject({ message: expect.stringMatching(/Its last output: no\[31m key$/) });
  });

  it('rejects a server that answers with an HTML page', async () => {
    const http = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    await expect(mcpTools({ url: `http://127.0.0.1:${port}/` })).rejects.toMatchObject({ code: 'MCP_UNAVAILABLE' });
    http.close();
  });

  it('answers no call after it is closed', async () => {
    const tools = await openProcess();
    await tools.close();
    await expect(call(tools, 'echo')).rejects.toMatchObject({ code: 'MCP_UNAVAILABLE', retryable: false });
  });

  it('refuses a pin file of another kind', async () => {
    const path = join(folder, 'pins.json');
    for (const text of ['{}', '[]', '{"version":1,"servers":{"a":{"b":1}}}', 'no']) {
      writeFileSync(path, text);
      await expect(mcpTools({ server: process7(), pins: pinFile(path) })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
  });
});
