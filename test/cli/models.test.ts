import { describe, expect, it } from 'vitest';
import { startHttpServer } from '../fixtures/http-server.ts';
import { startLocalModelServer } from '../fixtures/local-model-server.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder, ownProcess } from './command.ts';

const completion = (reply: unknown) => ({ type: 'completion' as const, text: typeof reply === 'string' ? reply : JSON.stringify(reply) });
const intent = { intent: 'new_question', rewritten_query: 'sum', needs_tool: true, constraints: null };
const plan = { steps: [{ step_id: 1, tool: 'calculator', input: '20+22' }] };

describe('--model NODE=NAME', () => {
  it("calls each node's own model, and remembers that for resume", async () => {
    await using server = await startOpenaiServer();
    server.answer(completion(intent), completion(plan), { type: 'silence' });
    const cwd = folder();
    const running = ownProcess(cwd, [
      ...['run', 'plan-execute', 'add 20 and 22', '--base-url', server.url],
      ...['--model', 'small', '--model', 'planner=large,final_answer=writer'],
    ]);
    await running.sees('✓ executor');
    while (server.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    running.kill('SIGINT');
    const { stderr } = await running;
    expect(stderr).toContain('plan-execute · small, large, writer · run');
    server.answer(completion('42.'));
    const resumed = await command(cwd, ['resume', /run (\S+)/.exec(stderr)?.[1] ?? '']);
    expect([resumed.code, resumed.stdout]).toEqual([0, '42.\n']);
    expect(server.requests.map(({ body }) => body.model)).toEqual(['small', 'large', 'writer', 'writer']);
  });

  it('rejects a node without a model, and suggests the nearest one', async () => {
    const args = ['run', 'plan-execute', 'q', '--base-url', 'http://127.0.0.1:1/v1', '--model', 'plannner=large'];
    expect(await command(folder(), args)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/OPTION_INVALID: No node "plannner" calls a model\.\s+Did you mean "planner"\?/),
    });
  });
});

describe('--model local', () => {
  it('finds a model on this machine, reports it, and sends it no key', async () => {
    const hanging = await startHttpServer(() => {});
    const server = await startLocalModelServer({ ids: ['nomic-embed-text', 'qwen3:8b'], text: '{"route":"agent","reason":"talk"}' });
    const other = await startLocalModelServer({ ids: ['gemma3'] });
    const env = { AGENT_MACHINES_LOCAL_PORTS: `${hanging.port},${server.port},${other.port}`, OPENAI_API_KEY: 'sk-of-somebody-else' };
    const { code, stdout, stderr } = await command(folder(), ['run', 'chat-agent', 'Tell me something.', '--model', 'local'], env);
    expect([code, stdout]).toEqual([0, '{"route":"agent","reason":"talk"}\n']);
    expect(stderr).toContain(`Model: qwen3:8b of port ${server.port} (${server.origin}/v1).\n`);
    expect(server.asked.map(({ path, authorization }) => [path, authorization])).toEqual(
      expect.arrayContaining([['POST /v1/chat/completions', 'Bearer none']]),
    );
    expect(JSON.stringify([server.asked, other.asked])).not.toContain('sk-of-somebody-else');
  });

  it('lists the tried servers when none is found', async () => {
    const page = await startHttpServer((_, response) => response.end('<p>Hello</p>'));
    const env = { AGENT_MACHINES_LOCAL_PORTS: String(page.port) };
    const { code, stderr } = await command(folder(), ['run', 'chat-agent', 'Hello', '--model', 'local'], env);
    expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      1,
      expect.stringContaining(
        `MODEL_UNAVAILABLE: No model server was found on this machine. Tried: port ${page.port} (${page.origin}/v1) is not a model server.`,
      ),
    ]);
  });
});

describe('answers that need a model', () => {
  const answers = (question: string, env: Record<string, string>) => command(folder(), ['run', 'chat-agent', question], env);

  it('names the model server on this machine', async () => {
    const server = await startLocalModelServer({ ids: ['nomic-embed-text', 'qwen3:8b'] });
    const env = { AGENT_MACHINES_LOCAL_PORTS: String(server.port) };
    expect((await answers('who wrote Hamlet', env)).stdout).toBe(
      `Answering this needs a language model (qwen3:8b, port ${server.port} on this machine: --model local, or OPENAI_API_KEY or --base-url).\n`,
    );
    expect((await answers('한국의 수도는?', env)).stdout).toContain(
      `(이 컴퓨터의 qwen3:8b, port ${server.port}: --model local, OPENAI_API_KEY`,
    );
    expect(server.asked.filter(({ path }) => path.startsWith('POST'))).toEqual([]);
  });

  it('names no server when none answers, and searches none for an answer of its own', async () => {
    const page = await startHttpServer((_, response) => response.end('<p>Hello</p>'));
    const server = await startLocalModelServer({ ids: ['qwen3:8b'] });
    const none = 'Answering this needs a language model (OPENAI_API_KEY or --base-url).\n';
    expect((await answers('who wrote Hamlet', { AGENT_MACHINES_LOCAL_PORTS: String(page.port) })).stdout).toBe(none);
    expect((await answers('who wrote Hamlet', { AGENT_MACHINES_LOCAL_PORTS: '1' })).stdout).toBe(none);
    expect((await answers('What is 6*7?', { AGENT_MACHINES_LOCAL_PORTS: String(server.port) })).stdout).toContain('42');
    expect(server.asked).toEqual([]);
  });
});

describe('doctor', () => {
  it('reports the model, the key and the model servers of this machine', async () => {
    const server = await startLocalModelServer({ ids: ['qwen3:8b', 'bge-m3', 'gemma3'] });
    const page = await startHttpServer((_, response) => response.end('<p>Hello</p>'));
    const env = { AGENT_MACHINES_LOCAL_PORTS: `${server.port},${page.port},1` };
    const found = await command(folder(), ['doctor'], env);
    expect(found.code).toBe(0);
    for (const line of [
      '· model: offline (rules); set OPENAI_API_KEY or --base-url for a language model, or use one of this machine: --model local',
      '· key: OPENAI_API_KEY is not set',
      `✓ local port ${server.port}: ${server.origin}/v1 has qwen3:8b, gemma3`,
      `· local port ${page.port}: ${page.origin}/v1 is not a model server`,
      'package chromadb: is ',
    ])
      expect(found.stdout).toContain(line);
    expect(found.stdout).not.toContain('local port 1:'); // nothing listens there
    const chosen = await command(folder(), ['doctor', '--model', 'local'], env);
    expect(chosen.stdout).toContain(`✓ model: qwen3:8b (port ${server.port})`);
  });

  it('reports an unavailable model along with everything else', async () => {
    const page = await startHttpServer((_, response) => response.end('<p>Hello</p>'));
    const env = { AGENT_MACHINES_LOCAL_PORTS: String(page.port), OPENAI_API_KEY: 'sk-never-shown' };
    const { code, stdout } = await command(folder(), ['doctor', '--model', 'local'], env);
    expect([code, stdout]).toEqual([1, expect.stringContaining('✗ model: MODEL_UNAVAILABLE: No model server was found')]);
    expect(stdout).toContain('✓ key: OPENAI_API_KEY is set');
    expect(stdout).toContain('✓ node:');
    expect(stdout).not.toContain('sk-never-shown');
  });
});
