import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entries } from 'agent-machines/machines';
import { expect, it } from 'vitest';
import { splitWords } from '../../src/cli/shell-words.ts';
import { drafts } from '../fixtures/drafts.ts';
import { startMcpHttpServer } from '../fixtures/mcp-http-server.ts';
import { toolNamed, writeList } from '../fixtures/mcp-server.ts';
import { mcpServerProgram } from '../fixtures/mcp-server-program.ts';
import { command, folder, ownProcess } from './command.ts';

function server(): { readonly cwd: string; readonly list: string; readonly mcp: string } {
  const cwd = folder();
  const list = join(cwd, 'list.json');
  writeList(list, { tools: [toolNamed('echo'), toolNamed('note')] });
  writeFileSync(join(cwd, 'ledger'), '');
  return { cwd, list, mcp: `local='${process.execPath}' ${mcpServerProgram} ${list} ${join(cwd, 'ledger')}` };
}

const pinsOf = (cwd: string): string => readFileSync(join(cwd, '.agent-machines', 'mcp-pins.json'), 'utf8');

it('lists the tools of an MCP server, disables a changed one, and accepts it on command', async () => {
  const { cwd, list, mcp } = server();
  const first = await command(cwd, ['tools', '--mcp', mcp]);
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/yes +local\.echo[\s\S]*yes +local\.note/)]);
  const pins = pinsOf(cwd);
  writeList(list, { tools: [toolNamed('echo', { description: 'Changed.\u001b[31m' }), toolNamed('note')] });
  expect((await command(cwd, ['tools', '--mcp', mcp])).stdout).toMatch(/no +local\.echo .*is disabled[\s\S]*yes +local\.note/);
  expect(pinsOf(cwd)).toBe(pins);
  const accepted = await command(cwd, ['mcp', 'accept', mcp, 'local.echo']);
  expect([accepted.code, accepted.stdout]).toEqual([0, 'Accepted local.echo:\n  - Does echo.\n  + Changed.[31m\n']);
  expect((await command(cwd, ['tools', '--mcp', mcp])).stdout).toMatch(/yes +local\.echo/);
});

it('runs a workflow with MCP tools, and does not record how their server starts', async () => {
  const { cwd, mcp } = server();
  expect(await command(cwd, ['run', '--mcp', mcp, 'tool-agent', '12*12'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('144'),
  });
  const { stdout } = await command(cwd, ['runs', '--json']);
  const { id } = JSON.parse(stdout) as { id: string };
  expect((await command(cwd, ['show', id, '--json'])).stdout).not.toContain('mcp-server-process');
});

it('sends headers to their server only, and applies the declarations of its tools', async () => {
  const { cwd, list } = server();
  await using remote = await startMcpHttpServer({ list, ledger: join(cwd, 'ledger') });
  const said = ['--mcp', `far=${remote.url}`, '--mcp-header', 'far=Authorization: Bearer of-mine', '--mcp-declare', 'far=untrusted'];
  const { code, stdout } = await command(cwd, ['tools', '--json', ...said, '--mcp-declare', 'far.note=none,pure']);
  expect(code).toBe(0);
  expect(new Set(remote.tokens)).toEqual(new Set(['Bearer of-mine']));
  const tools = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string });
  expect(tools.filter(({ name }) => name.startsWith('far.'))).toMatchObject([
    { name: 'far.echo', capabilities: { private: false, untrusted: true, external: false } },
    { name: 'far.note', effect: 'pure', capabilities: { private: false, untrusted: false, external: false } },
  ]);
  expect(readFileSync(join(cwd, '.agent-machines', 'mcp-pins.json'), 'utf8')).not.toContain('of-mine');
});

it.each([
  [['tools', '--mcp', 'a=x', '--mcp', 'b=y', '--mcp-header', 'k: secret'], 2, 'names no server, and there are several'],
  [['tools', '--mcp-header', 'no header secret'], 2, 'is not a header'],
  [['tools', '--mcp-header', 'b=k: secret'], 2, 'which --mcp does not define'],
  [['tools', '--mcp-declare', 'a=cheap'], 2, 'with words of'],
  [['tools', '--mcp-declare', 'a=none,private'], 2, 'contradict each other'],
  [['tools', '--mcp-declare', 'a=pure,once'], 2, 'contradict each other'],
  [['tools', '--mcp', "'open"], 2, 'neither an address nor a command'],
  [['tools', '--mcp', 'a=no-such-program', '--mcp', 'a=other'], 1, 'MCP_UNAVAILABLE'],
  [['run', 'guide-agent', 'x', '--mcp', 'no-such-program'], 2, 'accepts no MCP tools'],
  [['mcp', 'accept', 'ftp://x'], 1, 'MCP_UNAVAILABLE'],
])('reports the mistake in %j', async (args, code, text) => {
  expect(await command(folder(), args)).toMatchObject({ code, stderr: expect.stringContaining(text) });
});

it('serves the workflows on standard output, and writes nothing else there', async () => {
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('');
  const { code, stdout } = await ownProcess(folder(), ['mcp'], {}, input);
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: { tools?: { name: string }[] } });
  expect([code, answers.map(({ id }) => id)]).toEqual([0, [1, 2]]);
  const names = answers[1]?.result.tools?.map(({ name }) => name);
  const offered = entries.filter(({ missing }) => missing?.({}) === undefined).map(({ name }) => drafts.get(name)?.id);
  expect(names).toEqual([...offered, 'answer_run', 'show_run']);
  expect(names).not.toContain('contract_agent'); // no contract is set
});

it.each([
  ['npx -y a', ['npx', '-y', 'a']],
  [`a 'b c' "d 'e"f ''`, ['a', 'b c', "d 'ef", '']],
  ['  ', []],
  ["a 'b", undefined],
])('splits %j', (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
