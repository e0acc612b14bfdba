// Files, instructions and the interface of a model, as they are typed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { messageItem, responseEvents, responseStream } from '../fixtures/responses-server.ts';
import { command, folder, ownProcess } from './command.ts';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
const pdf = Buffer.from('%PDF-1.4\n%%EOF\n');
const route = { type: 'completion' as const, text: '{"route":"agent","reason":"talk"}' };

const userIn = (body: JsonObject | undefined): unknown =>
  [body?.messages ?? []]
    .flat()
    .findLast((message) => typeof message === 'object' && message !== null && 'role' in message && message.role === 'user');

function withFiles(): string {
  const cwd = folder();
  writeFileSync(join(cwd, 'a cat.png'), png);
  writeFileSync(join(cwd, 'letter.pdf'), pdf);
  writeFileSync(join(cwd, 'notes.txt'), 'plain words');
  writeFileSync(join(cwd, 'renamed.png'), 'no picture');
  writeFileSync(join(cwd, 'large.png'), Buffer.concat([png, Buffer.alloc(4_000_001)]));
  return cwd;
}

describe('--file', { timeout: 120_000 }, () => {
  it.each([['tool-agent'], ['chat-agent']])('goes to the model with the question (%s)', async (workflow) => {
    await using server = await startOpenaiServer();
    if (workflow === 'chat-agent') server.answer(route);
    server.answer({ type: 'completion', text: 'A cat.' });
    const args = ['run', workflow, 'What is it?', '--base-url', server.url, '--file', 'a cat.png', '--file', 'letter.pdf'];
    expect(await command(withFiles(), args)).toMatchObject({ code: 0, stdout: 'A cat.\n' });
    expect(userIn(server.requests.at(-1)?.body)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
        { type: 'file', file: { filename: 'letter.pdf', file_data: `data:application/pdf;base64,${pdf.toString('base64')}` } },
      ],
    });
  });

  it('belongs to the first message of a chat, and is absent from the command that continues it', async () => {
    await using server = await startOpenaiServer();
    server.answer(route, { type: 'completion', text: 'A cat.' }, route, { type: 'completion', text: 'Black.' });
    const args = ['chat', '--base-url', server.url, '--file', 'a cat.png'];
    const { code, stdout, stderr } = await command(withFiles(), args, {}, 'What is it?\nOf which colour?\n');
    expect([code, stdout]).toEqual([0, 'A cat.\n\nBlack.\n']);
    expect(JSON.stringify(server.requests.at(-1)?.body).match(/image_url"}|data:image/g)).toHaveLength(1);
    expect(stderr).not.toContain('--file');
  });

  it.each([
    [['chat-agent', '--file', 'none.png'], 'cannot be read'],
    [['chat-agent', '--file', '.'], 'not a regular file'],
    [['tool-agent', '--file', 'notes.txt'], 'not a PNG, JPEG, GIF, WebP, PDF, WAV or MP3 file'],
    [['tool-agent', '--file', 'renamed.png'], 'not a PNG'],
    [['tool-agent', '--file', 'large.png'], 'too large'],
    [['plan-execute', '--file', 'a cat.png'], 'plan-execute does not accept --file. Only tool-agent and chat-agent do.'],
    [['guide-agent', '--instructions', 'Be short.'], 'guide-agent does not accept --instructions'],
    [['tool-agent', '--instructions', ' '], 'It is empty'],
    [['tool-agent', '--api', 'soap'], 'Allowed choices are chat, responses'],
  ])('is rejected where it cannot be used: %j', async ([workflow = '', ...flags], what) => {
    const { code, stderr } = await command(withFiles(), ['run', workflow, 'q', ...flags]);
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(what)]);
  });

  it('needs a model that accepts images', async () => {
    const { stdout } = await command(withFiles(), ['run', 'tool-agent', 'What is it?', '--file', 'a cat.png']);
    expect(stdout).toContain('MODEL_INPUT_UNSUPPORTED');
  });
});

describe('--instructions and --api responses', { timeout: 120_000 }, () => {
  it('are sent, and remembered for resume', async () => {
    await using server = await startOpenaiServer();
    const cwd = folder();
    server.answer({ type: 'silence' });
    const running = ownProcess(cwd, [
      ...['run', 'tool-agent', 'Hello', '--base-url', server.url, '--api', 'responses', '--instructions', 'You are a pirate.'],
      ...['--reasoning-effort', 'low', '--extra-body', '{"reasoning":{"summary":"auto"}}'],
    ]);
    while (server.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    running.kill('SIGINT');
    const { stderr } = await running;
    server.answer({ type: 'bytes', bytes: responseStream(responseEvents({ output: [messageItem('Arr.')] })) });
    const resumed = await command(cwd, ['resume', /run (\S+)/.exec(stderr)?.[1] ?? '']);
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Arr.\n']);
    for (const { path, body } of server.requests) {
      expect([path, body]).toMatchObject(['/v1/responses', { reasoning: { effort: 'low', summary: 'auto' } }]);
      expect(JSON.stringify(body)).toContain('You are a pirate.');
    }
  });
});
