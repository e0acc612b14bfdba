// What the AI SDK makes: its own mock of a language model, a provider over a real socket, and its types.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ChatMessage, ChatModel } from 'agent-machines';
import { type AiSdkModelOptions, aiSdkModel } from 'agent-machines/models';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { completionChunk, eventStream, type OpenaiServer, startOpenaiServer, usageChunk } from '../fixtures/openai-server.ts';
import { importAiSdk } from './import-ai-sdk.ts';
import { installedFile } from './install-folder.ts';

vi.setConfig({ testTimeout: 60_000 });
let sdk: Awaited<ReturnType<typeof importAiSdk>>;
beforeAll(async () => {
  sdk = await importAiSdk();
}, 300_000);

const messages: readonly ChatMessage[] = [{ role: 'user', content: 'Hello' }];
const usage = { inputTokens: { total: 4, cacheRead: 1 }, outputTokens: { total: 2, reasoning: 1 } };

describe('aiSdkModel on the mock of ai/test', () => {
  it('reads a stream, and sends reasoning back', async () => {
    const metadata = { mock: { signature: 'c2ln' } };
    const parts = [
      { type: 'stream-start', warnings: [] },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
      { type: 'reasoning-end', id: '1', providerMetadata: metadata },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: '{"a":1}' },
      { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } },
    ];
    const stream = (): object => ({
      stream: new ReadableStream({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    });
    const mock = new sdk.MockLanguageModelV4({ doStream: async () => stream() });
    const model = aiSdkModel(mock);
    const { text, toolCalls, reasoning, providerData, usage: spent } = await model.generate({ task: 't', messages });
    expect([toolCalls, reasoning, spent]).toEqual([
      [{ id: 'c1', name: 'add', arguments: '{"a":1}' }],
      'Hm.',
      { inputTokens: 4, outputTokens: 2, cachedInputTokens: 1, reasoningTokens: 1 },
    ]);
    const answer: ChatMessage = { role: 'assistant', content: text, toolCalls, ...(providerData ? { providerData } : {}) };
    await model.generate({ task: 't', messages: [...messages, answer, { role: 'tool', callId: 'c1', content: '2' }] });
    expect(mock.doStreamCalls[1]?.prompt).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: metadata },
          { type: 'tool-call', toolCallId: 'c1' },
        ],
      },
      { role: 'tool' },
    ]);
  });
});

describe('aiSdkModel on @ai-sdk/openai-compatible over a socket', () => {
  const modelOf = (server: OpenaiServer, options?: AiSdkModelOptions): ChatModel =>
    aiSdkModel(
      sdk.createOpenAICompatible({ name: 'local', baseURL: server.url, apiKey: 'sk-key-12345678', includeUsage: true })('test-model'),
      options,
    );

  it.each([true, false])('requests text and tools (stream: %s)', async (stream) => {
    await using server = await startOpenaiServer();
    server.answer(
      { type: 'completion', text: 'Hello there' },
      { type: 'completion', toolCalls: [{ id: 'c1', name: 'add', arguments: '{"a": 1}' }] },
    );
    const model = modelOf(server, { stream });
    const told: string[] = [];
    expect(await model.generate({ task: 't', messages, onToken: (text) => told.push(text) })).toMatchObject({
      text: 'Hello there',
      usage: { inputTokens: 10, outputTokens: 3, cachedInputTokens: 5 },
      metadata: { id: 'chatcmpl-1', model: 'test-model-2026-01-01' },
    });
    expect(told.join('')).toBe('Hello there');
    const tools = [{ name: 'add', description: 'Adds.', inputSchema: { type: 'object', properties: { a: { type: 'number' } } } }];
    const { toolCalls } = await model.generate({ task: 't', messages, tools, toolChoice: 'required' });
    expect(toolCalls).toEqual([{ id: 'c1', name: 'add', arguments: '{"a": 1}' }]);
    expect(server.requests[1]?.body).toMatchObject({ tool_choice: 'required', tools: [{ type: 'function', function: { name: 'add' } }] });
  });

  it('sends calls, results, pictures and reasoning', async () => {
    await using server = await startOpenaiServer();
    const thinking = [
      completionChunk({ reasoning_content: 'Let me see.' }),
      completionChunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }] }),
      completionChunk({}, 'tool_calls'),
      usageChunk(),
    ];
    server.answer({ type: 'bytes', bytes: eventStream(thinking) }, { type: 'completion', text: 'A cat.' });
    const model = modelOf(server);
    const picture: ChatMessage = { role: 'user', content: 'Look', files: [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }] };
    const { text, toolCalls, reasoning, providerData } = await model.generate({ task: 't', messages: [picture] });
    expect(reasoning).toBe('Let me see.');
    const answer: ChatMessage = { role: 'assistant', content: text, toolCalls, ...(providerData ? { providerData } : {}) };
    await model.generate({ task: 't', messages: [picture, answer, { role: 'tool', callId: 'c1', content: 'done' }] });
    expect(server.requests[1]?.body.messages).toMatchObject([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        ],
      },
      { role: 'assistant', reasoning_content: 'Let me see.', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ]);
  });

  it('puts a schema into the prompt after the provider drops it once', async () => {
    await using server = await startOpenaiServer(async () => ({ type: 'completion', text: '{"a":1}' }));
    const model = modelOf(server);
    const output = { type: 'json-schema', name: 'answer', schema: { type: 'object', title: 'Answer' } } as const;
    for (const _ of [1, 2]) expect(await model.generate({ task: 't', messages, output })).toMatchObject({ text: '{"a":1}' });
    const asked = server.requests.map(({ body }) => JSON.stringify(body.messages).includes('JSON Schema'));
    expect([asked.at(-1), asked.filter((inWords) => !inWords).length <= 1]).toEqual([true, true]);
  });

  it.each([
    [401, 'MODEL_REQUEST_REFUSED', {}],
    [429, 'MODEL_UNAVAILABLE', { retryAfterMs: 90_000 }],
    [500, 'MODEL_UNAVAILABLE', {}],
  ])('reports status %i without a key', async (status, code, fields) => {
    await using server = await startOpenaiServer(async () => ({
      type: 'json',
      status,
      headers: { 'x-none': '', ...(status === 429 ? { 'retry-after': '90' } : {}) } as Record<string, string>,
      body: { error: { message: 'No: sk-key-12345678' } },
    }));
    const refused = modelOf(server, { maxRetries: 0 }).generate({ task: 't', messages });
    await expect(refused).rejects.toMatchObject({ code, message: expect.not.stringContaining('sk-key'), ...fields });
  });

  it('reports a cut stream and an unreachable server', async () => {
    const server = await startOpenaiServer();
    const [first = '', ...rest] = eventStream([completionChunk({ content: 'Hi' }), completionChunk({}, 'stop')]).split('\n\n');
    expect(rest.length).toBeGreaterThan(1);
    server.answer({ type: 'bytes', bytes: `${first}\n\n` }, { type: 'bytes', bytes: `${first}\n\n`, ending: 'cut' });
    const model = modelOf(server, { maxRetries: 0 });
    for (const _ of [1, 2]) await expect(model.generate({ task: 't', messages })).rejects.toMatchObject({ code: 'MODEL_STREAM_CUT' });
    await server.close();
    await expect(model.generate({ task: 't', messages })).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  });

  it('closes the connection when the caller leaves', async () => {
    await using server = await startOpenaiServer(async () => ({
      type: 'bytes',
      bytes: eventStream([completionChunk({ content: 'Hi' })]).slice(0, -14),
      ending: 'stall',
    }));
    const abort = new AbortController();
    const asked = modelOf(server).generate({ task: 't', messages, signal: abort.signal, onToken: () => abort.abort(new Error('enough')) });
    await expect(asked).rejects.toThrow('enough');
    expect(await server.requests[0]?.closed).toBe(false);
  });
});

it('accepts the language models of the specification at compile time', () => {
  const file = installedFile('ai-sdk', 'fits.ts');
  const model = fileURLToPath(new URL('../../src/models/ai-sdk/language-model.ts', import.meta.url));
  writeFileSync(
    file,
    `import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import type { AiSdkLanguageModel } from '${model}';
const take = (_: AiSdkLanguageModel): void => {};
declare const v4: LanguageModelV4;
declare const v3: LanguageModelV3;
take(v4);
take(v3);
// @ts-expect-error no language model
take({ modelId: 'x' });
`,
  );
  const flags = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--allowImportingTsExtensions',
    '--ignoreConfig',
  ];
  execFileSync('node_modules/.bin/tsc', [...flags, fileURLToPath(file)], { stdio: 'pipe', encoding: 'utf8' });
});
