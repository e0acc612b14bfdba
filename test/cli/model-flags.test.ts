import { describe, expect, it } from 'vitest';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder, ownProcess } from './command.ts';

describe('flags of model requests', () => {
  it('are in each request, and remembered for resume, except headers', async () => {
    await using server = await startOpenaiServer();
    server.answer({ type: 'completion', text: '{"route":"agent","reason":"talk"}' }, { type: 'silence' });
    const cwd = folder();
    const running = ownProcess(cwd, [
      ...['run', 'chat-agent', 'Hello', '--base-url', server.url, '--model', 'm', '--reasoning-effort', 'high'],
      ...['--max-output-tokens', '900', '--extra-body', '{"top_k":3}', '--header', 'x-one: 1', '--header', 'x-auth: tok-0123456789'],
      ...['--model-idle-ms', '60000'],
    ]);
    while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    running.kill('SIGINT');
    const { stderr } = await running;
    server.answer({ type: 'completion', text: 'Hello!' });
    const runId = /run (\S+)/.exec(stderr)?.[1] ?? '';
    expect(await command(cwd, ['resume', runId])).toMatchObject({ code: 0, stdout: 'Hello!\n' });
    for (const { body } of server.requests) expect(body).toMatchObject({ reasoning_effort: 'high', max_tokens: 900, top_k: 3 });
    expect(server.requests.map(({ headers }) => headers['x-auth'])).toEqual(['tok-0123456789', 'tok-0123456789', undefined]);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-one': '1' });
    const shown = await command(cwd, ['show', runId, '--json']);
    expect(shown.stdout).not.toContain('tok-0123456789');
  });

  it('ends a silent model, and names the flag that allows it more time', async () => {
    await using server = await startOpenaiServer();
    server.answer({ type: 'silence' });
    const args = ['run', 'chat-agent', 'Hello', '--base-url', server.url, '--model-first-byte-ms', '300'];
    const { code, stdout, stderr } = await command(folder(), args);
    expect(code).not.toBe(0);
    expect(`${stdout}${stderr}`.replaceAll(/\s+/g, ' ')).toMatch(/300 ms \(firstByteTimeoutMs\).*--model-first-byte-ms/);
  });

  it.each([
    [['--extra-body', '{"messages":[]}'], 'messages'],
    [['--extra-body', '[]'], 'not a JSON object'],
    [['--header', 'nonsense'], 'name: value'],
    [['--model-idle-ms', '0'], 'whole number'],
    [['--max-repairs', '11'], 'whole number from 0 to 10'],
    [['--max-output-tokens', '1.5'], 'whole number'],
  ])('rejects %j', async (flags, what) => {
    const { code, stderr } = await command(folder(), ['run', 'plan-execute', 'q', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(what)]);
  });
});
