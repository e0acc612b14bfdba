import type { ChatModel } from 'agent-machines';
import { describe, expect, it, vi } from 'vitest';
import { parseModelNames, printModelNames } from '../../../src/cli/model-names.ts';
import { modelOf, modelsOf } from '../../../src/cli/model-of.ts';
import { startLocalModelServer } from '../../fixtures/local-model-server.ts';
import { startOpenaiServer } from '../../fixtures/openai-server.ts';

type Settings = Parameters<typeof modelsOf>[0];

const request = { task: 't', messages: [{ role: 'user', content: 'Hello' }] } as const;
const ask = async (model: ChatModel | undefined): Promise<string | undefined> => (await model?.generate(request))?.text;

describe('parseModelNames', () => {
  it.each([
    [undefined, { nodes: {} }],
    ['gpt-5', { default: 'gpt-5', nodes: {} }],
    ['local/qwen3:8b', { default: 'local/qwen3:8b', nodes: {} }],
    ['planner=gpt-5, small', { default: 'small', nodes: { planner: 'gpt-5' } }],
    ['default=a=b', { default: 'a=b', nodes: {} }],
    ['hf.co/unsloth/Qwen3-GGUF:Q4', { default: 'hf.co/unsloth/Qwen3-GGUF:Q4', nodes: {} }],
  ])('reads %j', (text, names) => {
    expect(parseModelNames(text)).toEqual(names);
    if (text !== undefined) expect(parseModelNames(printModelNames(names))).toEqual(names);
  });

  it.each([
    ['', 'lacks a name'],
    ['planner=', 'lacks a name'],
    ['a,,b', 'lacks a name'],
    ['a,b', 'two models for all nodes'],
    ['planner=a,planner=b', 'two models for planner'],
  ])('reads %j', (text, what) => expect(() => parseModelNames(text)).toThrow(what));
});

describe('modelsOf', () => {
  it('creates each model once, and requests it by its name', async () => {
    await using server = await startOpenaiServer(async ({ model }) => ({ type: 'completion', text: `I am ${String(model)}.` }));
    const { model, models = {} } = await modelsOf({ model: 'large,router=small,agent=small', baseUrl: server.url }, {});
    expect(models.router).toBe(models.agent);
    expect([await ask(model), await ask(models.router)]).toEqual(['I am large.', 'I am small.']);
  });

  it('returns no model without a key and a server, and rejects a named one', async () => {
    expect(await modelsOf({}, {})).toEqual({});
    await expect(modelsOf({ model: 'planner=gpt-5' }, {})).rejects.toThrow('--model gpt-5 needs OPENAI_API_KEY');
  });

  describe('local', () => {
    it('finds a server on this machine, reports it, and sends it no key', async () => {
      const { port, asked, origin } = await startLocalModelServer({ ids: ['qwen3:8b', 'llama3.2:latest'], text: 'I am here.' });
      const env = { OPENAI_API_KEY: 'sk-secret-of-somebody-else', AGENT_MACHINES_LOCAL_PORTS: String(port) };
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      const { model, models = {} } = await modelsOf({ model: 'local,planner=local/llama3.2' }, env);
      const lines = said.mock.calls.map(([line]) => line);
      said.mockRestore();
      expect(lines).toEqual([
        `Model: qwen3:8b of port ${port} (${origin}/v1).\n`,
        `Model: llama3.2:latest of port ${port} (${origin}/v1).\n`,
      ]);
      expect([await ask(model), await ask(models.planner)]).toEqual(['I am here.', 'I am here.']);
      expect(asked.filter(({ authorization }) => authorization?.includes('secret'))).toEqual([]);
    });

    it.each<[string, Settings, NodeJS.ProcessEnv, string]>([
      ['with an address', { model: 'local', baseUrl: 'http://127.0.0.1:1' }, {}, 'Remove --base-url'],
      ['with the Responses API', { model: 'local', api: 'responses' }, {}, 'Remove --api responses'],
      ['with an invalid port', { model: 'local' }, { AGENT_MACHINES_LOCAL_PORTS: '80,x' }, '"x" is not a port'],
    ])('is refused %s', async (_, settings, env, what) => {
      await expect(modelsOf(settings, env)).rejects.toThrow(what);
    });
  });

  describe('the key of the environment', () => {
    it.each<[string, Settings, (origin: string) => NodeJS.ProcessEnv, string]>([
      ['goes to the address of the command line', { keyless: false }, () => ({}), 'Bearer sk-own-key-1234'],
      ['does not go to the address of a file', { keyless: true }, () => ({}), 'Bearer none'],
      [
        'does not go there for another host of the environment',
        { keyless: true },
        () => ({ OPENAI_BASE_URL: 'https://a.example' }),
        'Bearer none',
      ],
      [
        'goes there when the environment names the same host',
        { keyless: true },
        (url) => ({ OPENAI_BASE_URL: url }),
        'Bearer sk-own-key-1234',
      ],
    ])('%s', async (_, settings, env, sent) => {
      await using server = await startOpenaiServer(async () => ({ type: 'completion', text: 'Hi.' }));
      const own = { OPENAI_API_KEY: 'sk-own-key-1234', ...env(server.url) };
      await ask(await modelOf({ ...settings, baseUrl: server.url, model: 'm' }, own));
      expect(server.requests[0]?.headers.authorization).toBe(sent);
    });
  });
});
