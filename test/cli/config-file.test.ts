import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entries } from 'agent-machines/machines';
import { describe, expect, it } from 'vitest';
import { readConfigFile, withConfig } from '../../src/cli/config-file.ts';
import { startOpenaiServer } from '../fixtures/openai-server.ts';
import { command, folder } from './command.ts';

type Settings = Parameters<typeof withConfig>[0];

const json = 'agent-machines.config.json';

function withFile(value: unknown, name = json): string {
  const cwd = folder();
  writeFileSync(join(cwd, name), typeof value === 'string' ? value : JSON.stringify(value));
  return cwd;
}

const allNodes = ['planner', 'final_answer', 'router'];
async function settingsOf(model: unknown, settings: Settings = {}, env: NodeJS.ProcessEnv = {}): Promise<Settings> {
  const file = await readConfigFile(withFile({ model }));
  return file ? withConfig(settings, file, { env, nodes: ['planner', 'final_answer'], allNodes }) : settings;
}

describe('the config file', () => {
  it('is read from the current folder, or is absent', async () => {
    expect(await readConfigFile(folder())).toBeUndefined();
    expect(await readConfigFile(withFile({}))).toMatchObject({ path: json, model: {} });
    const cwd = withFile('const idleMs: number = 7;\nexport default { model: { idleMs } };', 'agent-machines.config.ts');
    expect(await readConfigFile(cwd)).toMatchObject({ model: { settings: { modelIdleMs: 7 } } });
    writeFileSync(join(cwd, json), '{}');
    await expect(readConfigFile(cwd)).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining('There are') });
  });

  it('sets the same settings as the flags', async () => {
    const model = {
      ...{ firstByteMs: 1, idleMs: 2, totalMs: 3, retryAfterMs: 4, reasoningEffort: 'low', maxOutputTokens: 5, maxRepairs: 0 },
      ...{ contextTokens: 8_000, extraBody: { top_k: 1 } },
    };
    expect(await settingsOf(model)).toEqual({
      ...{
        modelFirstByteMs: 1,
        modelIdleMs: 2,
        modelTotalMs: 3,
        modelRetryAfterMs: 4,
        reasoningEffort: 'low',
        maxOutputTokens: 5,
        maxRepairs: 0,
      },
      ...{ contextTokens: 8_000, extraBody: { top_k: 1 } },
    });
  });

  it.each<[string, unknown, Settings, NodeJS.ProcessEnv, Settings]>([
    ['the file alone', { name: 'a', idleMs: 1 }, {}, {}, { model: 'a', modelIdleMs: 1 }],
    ['a flag', { name: 'a', idleMs: 1 }, { model: 'b', modelIdleMs: 2 }, {}, { model: 'b', modelIdleMs: 2 }],
    ['the environment', { name: 'a' }, {}, { OPENAI_MODEL: 'c' }, { model: 'c' }],
    ['a flag before the environment', { name: 'a' }, { model: 'b' }, { OPENAI_MODEL: 'c' }, { model: 'b' }],
    [
      'nodes, one by one',
      { models: { planner: 'p', final_answer: 'f', router: 'r' } },
      { model: 'planner=x' },
      {},
      { model: 'planner=x,final_answer=f' },
    ],
    ['the default among nodes', { models: { default: 'd' } }, {}, {}, { model: 'd' }],
    ['nothing said of a model', { idleMs: 1 }, {}, { OPENAI_MODEL: 'c' }, { modelIdleMs: 1 }],
    [
      'extra fields, joined where both are objects',
      { extraBody: { a: { b: 1, c: 2 }, d: [1] } },
      { extraBody: { a: { b: 3 }, d: [2] } },
      {},
      { extraBody: { a: { b: 3, c: 2 }, d: [2] } },
    ],
    ['the interface', { api: 'responses' }, {}, {}, { api: 'responses' }],
    ['the interface of a flag', { api: 'responses' }, { api: 'chat' }, {}, { api: 'chat' }],
    ['an address', { baseUrl: 'http://a.example/v1' }, {}, {}, { baseUrl: 'http://a.example/v1', keyless: true }],
    ['an address of the environment', { baseUrl: 'http://a.example/v1' }, {}, { OPENAI_BASE_URL: 'http://b.example' }, {}],
    [
      'an address of a flag',
      { baseUrl: 'http://a.example/v1' },
      { baseUrl: 'http://b.example', keyless: false },
      {},
      { baseUrl: 'http://b.example', keyless: false },
    ],
  ])('%s', async (_, model, settings, env, expected) => {
    expect(await settingsOf(model, settings, env)).toEqual(expected);
  });

  it.each<[string, unknown, string, string]>([
    ['no JSON', '{ model: ', 'cannot be read', 'Write one JSON object'],
    ['a list', [], 'is not an object', ''],
    ['another section', { modle: {} }, 'unknown key: modle', 'Did you mean "model"?'],
    ['an unknown key', { model: { idle_ms: 1 } }, 'unknown key: model.idle_ms', 'Did you mean "idleMs"?'],
    ['an interface that there is not', { model: { api: 'soap' } }, 'model.api', ''],
    ['input of its own', { model: { extraBody: { input: [] } } }, 'extraBody', ''],
    ['a text for a number', { model: { idleMs: '10' } }, 'model.idleMs', ''],
    ['no address', { model: { baseUrl: 'localhost:1234' } }, 'model.baseUrl', ''],
    ['a password in an address', { model: { baseUrl: 'http://me:pw@a.example/' } }, 'holds a password', ''],
    ['messages of its own', { model: { extraBody: { messages: [] } } }, 'extraBody', ''],
    ['a key', { model: { apiKey: 'x' } }, 'looks like a key, at model.apiKey', 'OPENAI_API_KEY'],
    ['headers', { model: { headers: { a: 'b' } } }, 'looks like a key, at model.headers', '--header'],
    ['a key somewhere inside', { model: { extraBody: { a: [{ b: 'sk-proj-abcdefghij0123456789' }] } } }, 'at model.extraBody.a.0.b', ''],
  ])('refuses %s', async (_, value, message, advice) => {
    const refused = readConfigFile(withFile(value));
    for (const words of [message, advice]) {
      await expect(refused).rejects.toMatchObject({ code: 'OPTION_INVALID', message: expect.stringContaining(words) });
    }
    await expect(refused).rejects.not.toThrow('sk-proj');
  });

  it('rejects an unknown node, and one model under two names', async () => {
    await expect(settingsOf({ models: { plannr: 'x' } })).rejects.toMatchObject({
      message: expect.stringContaining('Did you mean "planner"?'),
    });
    await expect(settingsOf({ name: 'a', models: { default: 'b' } })).rejects.toThrow('mean the same');
  });

  it.each(entries)('knows the model nodes of $name', async ({ name, modelNodes }) => {
    const exported = (await import(`agent-machines/machines/${name}`)) as Readonly<Record<string, object>>;
    const rules = exported[`${name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Rules`] ?? {};
    expect([...modelNodes].sort()).toEqual(
      Object.keys(rules)
        .map((task) => task.slice(task.indexOf('.') + 1))
        .sort(),
    );
  });
});

describe('the command line with a config file', () => {
  it("calls the model of the file, without the environment's key, and resumes with it", async () => {
    await using server = await startOpenaiServer(async () => ({ type: 'completion', text: '{"route":"agent","reason":"talk"}' }));
    const cwd = withFile({
      model: { baseUrl: server.url, name: 'small', models: { agent: 'large', planner: 'other' }, reasoningEffort: 'low' },
    });
    const { code, stderr } = await command(cwd, ['run', 'chat-agent', 'Tell me something.'], { OPENAI_API_KEY: 'sk-of-somebody-else' });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`OPENAI_API_KEY is not sent to ${server.url}`)]);
    expect(server.requests.map(({ body, headers }) => [body.model, body.reasoning_effort, headers.authorization])).toEqual([
      ['small', 'low', 'Bearer none'],
      ['large', 'low', 'Bearer none'],
    ]);
  });

  it('reports a mistake in it, also in doctor', async () => {
    const cwd = withFile({ model: { idleMS: 1, nmae: 'x' } });
    expect(await command(cwd, ['run', 'chat-agent', 'Hello'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Did\s+you\s+mean\s+"idleMs"\?/),
    });
    expect(await command(cwd, ['doctor'], { AGENT_MACHINES_LOCAL_PORTS: '1' })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('✗ config: OPTION_INVALID'),
    });
  });
});
