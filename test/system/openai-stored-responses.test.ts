// Responses that exist, and repeated requests, with OpenAI's own client over a real socket.
import { createRuntime, memoryStore, type Runtime } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { type ScriptedReply, scriptedModel } from 'agent-machines/models';
import { createServer, openaiRoutes } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import OpenAI from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { token } from '../fixtures/served.ts';
import { held } from '../fixtures/text-tools.ts';
import { knowledge } from '../machines/guide-agent/helpers.ts';

vi.setConfig({ testTimeout: 60_000 });
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface World {
  readonly client: OpenAI;
  readonly runtime: Runtime;
  readonly baseURL: string;
}

async function serve(...made: readonly { readonly id: string }[]): Promise<World> {
  const store = memoryStore();
  const workflows = made as never;
  const runtime = createRuntime({ store, workflows });
  const limits = { starts: { perMinute: 1_000, burst: 1_000 }, writes: { perMinute: 1_000, burst: 1_000 } };
  const listener = await listen({
    server: (hosts) => createServer({ hosts, tokens: token, store, runtime, workflows, limits, mounts: [(space) => openaiRoutes(space)] }),
  });
  closing.push(
    () => runtime.close(),
    () => listener.close(),
  );
  const baseURL = `${listener.url}/v1`;
  return { client: new OpenAI({ baseURL, apiKey: token, maxRetries: 0 }), runtime, baseURL };
}

const talk = (...replies: readonly string[]) => toolAgent({ model: scriptedModel(replies.map((reply): ScriptedReply => ({ reply }))) });
const ask = { model: 'tool_agent', input: 'hi' };
const request = '유튜브 영상을 만들고 자막을 넣고 싶어';

/** An agent whose tool does not return before its run is cancelled. */
const slowAgent = () => {
  const slow = held('slow');
  const model = scriptedModel([{ reply: { toolCalls: [{ name: 'slow', arguments: { text: 'x' } }] } }]);
  return { slow, agent: toolAgent({ model, tools: [slow] }) };
};

describe('a response', () => {
  it('is read again, streamed and not', async () => {
    const { client } = await serve(talk('First.'));
    const first = await client.responses.create(ask);
    expect(await client.responses.retrieve(first.id)).toEqual(first);
    const events = [];
    for await (const event of await client.responses.retrieve(first.id, { stream: true })) events.push(event);
    const { output_text: _, ...sent } = first; // the client adds it
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: sent });
    const rest = [];
    for await (const event of await client.responses.retrieve(first.id, { stream: true, starting_after: 3 })) rest.push(event);
    expect(rest).toEqual(events.slice(4));
  });

  it('that has asked is the same after the answer', async () => {
    const { client } = await serve(guideAgent({ knowledge }));
    const asked = await client.responses.create({ model: 'guide_agent', input: request });
    const answered = await client.responses.create({ model: 'guide_agent', input: 'APPROVE', previous_response_id: asked.id });
    const read = await client.responses.retrieve(asked.id);
    expect([read.output_text, read.metadata]).toEqual([asked.output_text, asked.metadata]);
    expect((await client.responses.retrieve(answered.id)).output_text).toBe(answered.output_text);
    const repeated = await client.responses.create({ model: 'guide_agent', input: 'approve', previous_response_id: asked.id });
    expect(repeated).toEqual(answered);
    for (const input of ['REVISE make it shorter', 'hm']) {
      const other = client.responses.create({ model: 'guide_agent', input, previous_response_id: asked.id });
      await expect(other).rejects.toMatchObject({ status: 409 });
    }
  });

  it('goes on in the background, and is cancelled once, or twice', async () => {
    const { slow, agent } = slowAgent();
    const { client, runtime } = await serve(agent);
    const started = await client.responses.create({ ...ask, background: true });
    expect([started.status, started.background]).toEqual(['in_progress', true]);
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    expect((await client.responses.retrieve(started.id)).status).toBe('in_progress');
    await expect(client.responses.delete(started.id)).rejects.toMatchObject({ status: 409, code: 'RUN_BUSY' });
    const cancelled = await Promise.all([client.responses.cancel(started.id), client.responses.cancel(started.id)]);
    expect(cancelled.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect((await client.responses.cancel(started.id)).status).toBe('cancelled');
    expect((await runtime.list()).map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('that is complete stays so when it is cancelled', async () => {
    const { client, runtime } = await serve(talk('First.'));
    const first = await client.responses.create(ask);
    const { output_text: _, ...sent } = first; // the client adds it
    expect(await client.responses.cancel(first.id)).toEqual(sent);
    expect((await runtime.list()).map(({ status }) => status)).toEqual(['done']);
  });

  it('is deleted; one of several only with its conversation', async () => {
    const { client, runtime, baseURL } = await serve(talk('First.', 'Second.'));
    const alone = await client.responses.create(ask);
    await client.responses.delete(alone.id);
    await expect(client.responses.retrieve(alone.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.responses.delete(alone.id)).rejects.toMatchObject({ status: 404 });
    const first = await serve(talk('First.', 'Second.')).then(async (world) => {
      const one = await world.client.responses.create(ask);
      await world.client.responses.create({ ...ask, input: 'More', previous_response_id: one.id });
      await expect(world.client.responses.delete(one.id)).rejects.toMatchObject({ status: 409, code: 'RUN_IN_THREAD' });
      const deleted = await world.client.conversations.delete(one.conversation?.id ?? '');
      expect(deleted).toMatchObject({ object: 'conversation.deleted', deleted: true });
      expect(await world.runtime.list()).toEqual([]);
      return one;
    });
    expect(await runtime.list()).toEqual([]);
    for (const [method, path] of [
      ['GET', `/responses/${first.id}`],
      ['POST', `/responses/${first.id}/cancel`],
      ['DELETE', `/responses/${first.id}`],
      ['DELETE', `/conversations/${first.conversation?.id}`],
      ['GET', '/responses/resp_x'],
      ['GET', '/responses/..%2f..%2fmodels'],
      ['DELETE', '/conversations/..%2fx'],
      ['GET', `/responses/${'x'.repeat(200)}`],
    ] as const) {
      const response = await fetch(`${baseURL}${path}`, { method, headers: { authorization: `Bearer ${token}` } });
      expect([path, response.status]).toEqual([path, path.endsWith('..%2fx') ? 400 : 404]);
      expect(await response.json()).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } });
    }
  });
});

describe('the same previous_response_id', () => {
  it('with the same input gets the first continuation, and with another one 409', async () => {
    const { client, runtime } = await serve(talk('First.', 'Second.', 'Third.'));
    const first = await client.responses.create(ask);
    const more = { ...ask, input: 'More', previous_response_id: first.id };
    const second = await client.responses.create(more);
    expect(await client.responses.create(more)).toEqual(second);
    const third = await client.responses.create({ ...ask, input: 'Else', previous_response_id: second.id });
    expect(await client.responses.create(more)).toEqual(second);
    const other = client.responses.create({ ...more, input: 'Other' });
    await expect(other).rejects.toMatchObject({ status: 409, code: 'THREAD_MOVED_ON' });
    await expect(other).rejects.toBeInstanceOf(OpenAI.ConflictError);
    expect([third.output_text, (await runtime.list()).length]).toEqual(['Third.', 3]);
  });

  it('at the same time has one continuation, whose input wins', async () => {
    const { client, runtime } = await serve(talk('First.', 'Second.'));
    const first = await client.responses.create(ask);
    const inputs = ['A', 'B', 'A', 'B', 'A', 'B', 'A', 'B'];
    const all = await Promise.allSettled(inputs.map((input) => client.responses.create({ ...ask, input, previous_response_id: first.id })));
    const won = all.flatMap((one, index) => (one.status === 'fulfilled' ? [{ input: inputs[index], id: one.value.id }] : []));
    expect(new Set(won.map(({ input }) => input)).size).toBe(1);
    expect(new Set(won.map(({ id }) => id)).size).toBe(1);
    expect(won).toHaveLength(4);
    for (const one of all) if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 409 });
    expect(await runtime.list()).toHaveLength(2);
  });

  it('continues again after a failed or cancelled attempt', async () => {
    const { slow, agent } = slowAgent();
    const { client, runtime } = await serve(agent);
    const first = await client.responses.create({ ...ask, background: true });
    await client.responses.cancel(first.id);
    const again = { ...ask, previous_response_id: first.id, background: true };
    const ids = new Set([first.id]);
    for (const input of ['More', 'More', 'Else']) {
      const next = await client.responses.create({ ...again, input });
      await client.responses.cancel(next.id);
      ids.add(next.id);
    }
    expect([ids.size, (await runtime.list()).length, slow.calls.length <= 4]).toEqual([4, 4, true]);
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
  const messages = [{ role: 'user' as const, content: 'hi' }];

  it('of 64 equal requests at the same time has one run', async () => {
    const { client, runtime } = await serve(talk('First.', 'Second.'));
    const calls = Array.from({ length: 64 }, (_, index) =>
      index % 2 === 0
        ? client.responses.create(ask, keyed('k')).then(({ id }) => id)
        : client.chat.completions.create({ model: 'tool_agent', messages }, keyed('k')).then(({ id }) => id),
    );
    expect(new Set(await Promise.all(calls)).size).toBe(2); // one per route
    expect(await runtime.list()).toHaveLength(2);
  });

  it('repeats a response, streamed or not, and refuses another body', async () => {
    const { client, runtime } = await serve(talk('First.', 'Second.'));
    const first = await client.responses.create(ask, keyed('k'));
    expect(await client.responses.create(ask, keyed('k'))).toEqual(first);
    for (const other of [
      { ...ask, input: 'Other' },
      { ...ask, stream: true as const },
      { ...ask, metadata: { a: 'b' } },
    ])
      await expect(client.responses.create(other, keyed('k'))).rejects.toMatchObject({ status: 409, code: 'RUN_EXISTS' });
    const chat = { model: 'tool_agent', messages, stream: true as const };
    const texts = [];
    for (let count = 0; count < 2; count++) {
      let text = '';
      for await (const { choices } of await client.chat.completions.create(chat, keyed('c'))) text += choices[0]?.delta.content ?? '';
      texts.push(text);
    }
    expect(texts).toEqual(['Second.', 'Second.']);
    await expect(client.responses.create(ask, keyed('a b'))).rejects.toMatchObject({ status: 400, code: 'REQUEST_INVALID' });
    expect(await runtime.list()).toHaveLength(2);
  });

  it('repeats the answer to a question, and what was asked before it', async () => {
    const { client, runtime } = await serve(guideAgent({ knowledge }));
    const start = { model: 'guide_agent', messages: [{ role: 'user' as const, content: request }], metadata: { thread_id: 't' } };
    const asked = await client.chat.completions.create(start, keyed('1'));
    const text = asked.choices[0]?.message.content ?? '';
    const answer = {
      ...start,
      messages: [
        { role: 'assistant' as const, content: text },
        { role: 'user' as const, content: 'APPROVE' },
      ],
    };
    const guide = await client.chat.completions.create(answer, keyed('2'));
    expect((await client.chat.completions.create(answer, keyed('2'))).choices).toEqual(guide.choices);
    expect((await client.chat.completions.create(start, keyed('1'))).choices[0]?.message.content).toBe(text);
    expect(await runtime.list()).toHaveLength(1);
  });

  it('is known to another process on the same store, by its input', async () => {
    const store = memoryStore();
    const agent = talk('First.', 'Second.');
    const send = async (input: string) => {
      const runtime = createRuntime({ store, workflows: [agent] });
      const app = openaiRoutes({ runtime, workflows: [{ id: 'tool_agent', workflow: agent }] });
      const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
      const response = await app.request('/v1/responses', { method: 'POST', headers, body: JSON.stringify({ ...ask, input }) });
      return { status: response.status, id: ((await response.json()) as { id?: string }).id };
    };
    const first = await send('hi');
    expect(await send('hi')).toEqual(first);
    expect((await send('Other')).status).toBe(409);
    expect(await store.list({})).toHaveLength(1);
  });
});

it('does not give a response to another tenant', async () => {
  const runtimes = new Map<string, Runtime>();
  const spaceOf = (tenant: string) => {
    const store = memoryStore();
    const workflows = [talk(`Answer of ${tenant}.`)];
    const runtime = createRuntime({ store, workflows });
    runtimes.set(tenant, runtime);
    return { store, runtime, workflows };
  };
  const tokens = { 'token-of-a': 'a', 'token-of-b': 'b' };
  const listener = await listen({ server: (hosts) => createServer({ hosts, tokens, spaceOf, mounts: [(space) => openaiRoutes(space)] }) });
  closing.push(
    async () => Promise.all([...runtimes.values()].map((runtime) => runtime.close())),
    () => listener.close(),
  );
  const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${listener.url}/v1`, apiKey, maxRetries: 0 });
  const [a, b] = [clientOf('token-of-a'), clientOf('token-of-b')];
  const first = await a.responses.create(ask, { headers: { 'idempotency-key': 'k' } });
  for (const call of [
    () => b.responses.retrieve(first.id),
    () => b.responses.cancel(first.id),
    () => b.responses.delete(first.id),
    () => b.responses.create({ ...ask, previous_response_id: first.id }),
    () => b.conversations.delete(first.conversation?.id ?? ''),
  ])
    await expect(call()).rejects.toMatchObject({ status: 404 });
  expect(await runtimes.get('b')?.list()).toEqual([]);
  const own = await b.responses.create(ask, { headers: { 'idempotency-key': 'k' } });
  expect(own.output_text).toBe('Answer of b.');
  expect((await a.responses.retrieve(first.id)).output_text).toBe('Answer of a.');
});
