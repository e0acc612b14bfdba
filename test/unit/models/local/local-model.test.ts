import type { RequestListener } from 'node:http';
import type { JsonObject } from 'agent-machines';
import { findLocalServers, type LocalPort, localModel, localPorts } from 'agent-machines/models/openai';
import { describe, expect, it } from 'vitest';
import { isChatModelId } from '../../../../src/models/local/is-chat-model-id.ts';
import { freePort } from '../../../fixtures/free-port.ts';
import { sendJson, startHttpServer } from '../../../fixtures/http-server.ts';
import { startLocalModelServer } from '../../../fixtures/local-model-server.ts';

const portsOf = (...ports: readonly number[]): readonly LocalPort[] =>
  ports.map((port, index) => ({ name: ['Ollama', 'LM Studio', 'llama.cpp', 'vLLM'][index] ?? '', port, tags: index === 0 }));

describe('localModel', () => {
  it('uses the first chat model of the first server that has one, and sends no key', async () => {
    const ollama = await startLocalModelServer({ ids: ['nomic-embed-text:latest'] });
    const studio = await startLocalModelServer({ ids: ['text-embedding-nomic-embed-text-v1.5', 'qwen3-8b', 'gemma-3-4b'], text: 'Hi.' });
    const vllm = await startLocalModelServer({ ids: ['meta-llama/Llama-3.1-8B-Instruct'] });
    const model = await localModel({ ports: portsOf(ollama.port, studio.port, await freePort(), vllm.port) });
    expect([model.name, model.choice]).toEqual([
      'qwen3-8b (LM Studio)',
      { model: 'qwen3-8b', server: 'LM Studio', baseURL: `${studio.origin}/v1` },
    ]);
    expect(await model.generate({ task: 't', messages: [{ role: 'user', content: 'Hello' }] })).toMatchObject({ text: 'Hi.' });
    expect([...ollama.asked, ...vllm.asked].map(({ authorization }) => authorization)).toEqual([undefined, undefined, undefined]);
    expect(studio.asked).toEqual([
      { path: 'GET /v1/models', authorization: undefined },
      { path: 'POST /v1/chat/completions', authorization: 'Bearer none' },
    ]);
  });

  it('skips remote and embedding models of Ollama whatever their names', async () => {
    const ids = ['gpt-oss:120b-cloud', 'big:671b', 'vectors:latest', 'llama3.2:latest', 'llama3.2:1b'];
    const tags: JsonObject[] = [
      { name: 'big:671b', remote_host: 'https://elsewhere.example:443', details: { family: 'big' } },
      { name: 'vectors:latest', details: { family: 'nomic-bert' } },
      { name: 'llama3.2:latest', details: { family: 'llama' } },
    ];
    const { port } = await startLocalModelServer({ ids, tags });
    const [server] = await findLocalServers({ ports: portsOf(port) });
    expect(server?.models).toEqual(['llama3.2:latest', 'llama3.2:1b']);
  });

  it('uses the requested model on any server that has it', async () => {
    const ollama = await startLocalModelServer({ ids: ['llama3.2:latest', 'qwen3:8b'] });
    const studio = await startLocalModelServer({ ids: ['gemma-3-4b'] });
    const ports = portsOf(ollama.port, studio.port);
    for (const [asked, taken] of [
      ['llama3.2', 'llama3.2:latest'],
      ['qwen3:8b', 'qwen3:8b'],
      ['gemma-3-4b', 'gemma-3-4b'],
    ] as const) {
      expect((await localModel({ ports, model: asked })).choice.model).toBe(taken);
    }
    await expect(localModel({ ports, model: 'qwen' })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: `No model "qwen" was found on this machine. Tried: Ollama (${ollama.origin}/v1) has llama3.2:latest, qwen3:8b; LM Studio (${studio.origin}/v1) has gemma-3-4b.`,
    });
  });

  it('lists the tried servers when none has a model', async () => {
    const free = await freePort();
    await expect(localModel({ ports: [{ name: 'Ollama', port: free, tags: true }] })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      message: `No model server was found on this machine. Tried: Ollama (http://127.0.0.1:${free}/v1) is not running.`,
      data: { tried: [{ name: 'Ollama', baseURL: `http://127.0.0.1:${free}/v1`, problem: 'is not running' }] },
    });
  });

  it('stops the search on abort', async () => {
    const { port } = await startHttpServer(() => {}); // never answers
    const abort = new AbortController();
    const looking = localModel({ ports: portsOf(port), signal: abort.signal, timeoutMs: 60_000 });
    abort.abort(new Error('enough'));
    await expect(looking).rejects.toThrow('enough');
  });

  it.each([{ timeoutMs: 0 }, { ports: [{ name: 'x', port: 0 }] }, { ports: [{ name: 'x', port: 65_536 }] }])(
    'rejects %j',
    async (options) => {
      await expect(localModel(options)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    },
  );
});

const html: RequestListener = (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>');

describe('findLocalServers', () => {
  it('knows the default ports of common programs', () => {
    expect(localPorts.map(({ name, port }) => `${name} ${port}`)).toEqual([
      'Ollama 11434',
      'LM Studio 1234',
      'llama.cpp 8080',
      'vLLM 8000',
    ]);
  });

  it.each<[string, RequestListener, string]>([
    ['a web page', html, 'is not a model server'],
    ['something that is not found', (_, response) => sendJson(response, {}, 404), 'is not a model server'],
    ['other JSON', (_, response) => sendJson(response, { data: 'no' }), 'is not a model server'],
    ['nothing', (_, response) => response.end(), 'is not a model server'],
    ['an endless list', (_, response) => void response.write(`{"data":["${'x'.repeat(5_000_000)}`), 'is not a model server'],
    ['a refusal', (_, response) => sendJson(response, {}, 401), 'requires a key'],
    [
      'a redirect to another host',
      (_, response) => response.writeHead(302, { location: 'http://192.0.2.1/' }).end(),
      'is not a model server',
    ],
    ['an empty list', (_, response) => sendJson(response, { object: 'list', data: [] }), 'has no chat model'],
    ['the list of a fresh Ollama', (_, response) => sendJson(response, { object: 'list', data: null }), 'has no chat model'],
    [
      'names with control characters',
      (_, response) => sendJson(response, { data: [{ id: 'a\u001b[31m' }, { id: '' }, 7] }),
      'has no chat model',
    ],
    ['a closed connection', (request) => void request.socket.destroy(), 'is not running'],
  ])('reports the problem of %s', async (_, handler, problem) => {
    const { port, origin } = await startHttpServer(handler);
    expect(await findLocalServers({ ports: [{ name: 'vLLM', port }], timeoutMs: 30_000 })).toEqual([
      { name: 'vLLM', baseURL: `${origin}/v1`, models: [], problem },
    ]);
  });

  it.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['begins and hangs', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":[')],
  ])('does not wait for a server that %s, and finds the others', async (_, handler) => {
    const hanging = await startHttpServer(handler);
    const studio = await startLocalModelServer({ ids: ['qwen3-8b'] });
    const found = await findLocalServers({ ports: portsOf(hanging.port, studio.port), timeoutMs: 2_000 });
    expect(found.map(({ models, problem }) => problem ?? models)).toEqual(['did not answer within 2000 ms', ['qwen3-8b']]);
  });
});

describe('isChatModelId', () => {
  it.each([
    ...['llama3.2:latest', 'qwen3:8b', 'mistralai/Mistral-7B-Instruct-v0.3', 'deepseek-r1:14b', 'gpt-oss:20b', 'gemma-3-4b-it-Q4_K_M.gguf'],
    ...[
      'hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:Q4_K_M',
      'phi4',
      'exaone3.5:7.8b',
      'solar-10.7b',
      'nous-hermes2',
      'command-r',
      'gpt-5.1-mini',
    ],
    ...['starcoder2', 'e5000', 'attsuo-7b', 'clipper-8b', '/models/llama.gguf'],
  ])('is true for %s', (id) => expect(isChatModelId(id)).toBe(true));

  it.each([
    ...[
      'nomic-embed-text:latest',
      'mxbai-embed-large',
      'bge-m3',
      'BAAI/bge-reranker-v2-m3',
      'intfloat/multilingual-e5-large',
      'all-minilm:l6-v2',
    ],
    ...[
      'snowflake-arctic-embed2',
      'text-embedding-3-small',
      'embeddinggemma',
      'Qwen/Qwen3-Embedding-8B',
      'Qwen3-Reranker-4B',
      'granite-embedding:278m',
    ],
    ...[
      'whisper-large-v3',
      'kokoro-82m',
      'stable-diffusion-xl',
      'llama-guard3',
      'mmproj-model-f16.gguf',
      'gpt-oss:120b-cloud',
      'kimi-k2:cloud',
    ],
    ...['sentence-transformers/all-mpnet-base-v2', 'jina-embeddings-v3', 'paraphrase-multilingual-MiniLM', 'thenlper/gte-large'],
  ])('is false for %s', (id) => expect(isChatModelId(id)).toBe(false));
});
