// The client of A2A, unmodified, over a socket.
import { createRuntime, memoryStore } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { a2aRoutes, createServer } from 'agent-machines/server';
import { listen } from 'agent-machines/server/node';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { callsOf } from '../fixtures/recorded-runs.ts';
import { echo, held } from '../fixtures/text-tools.ts';
import { installedFile, installFolder } from './install-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect to be there
type Answer = any;

/** The part of A2A's client that the tests use: it is not among the package's own dependencies. */
interface A2aClient {
  getAgentCard(): Promise<Answer>;
  sendMessage(params: object): Promise<Answer>;
  sendMessageStream(params: object): AsyncIterable<Answer>;
  getTask(params: object): Promise<Answer>;
  cancelTask(params: object): Promise<Answer>;
  resubscribeTask(params: object): AsyncIterable<Answer>;
  createTaskPushNotificationConfig(params: object): Promise<Answer>;
}

interface ClientModule {
  readonly ClientFactory: new (options: object) => { createFromUrl(url: string): Promise<A2aClient> };
  readonly JsonRpcTransportFactory: new (options: { readonly fetchImpl: typeof fetch }) => object;
  readonly DefaultAgentCardResolver: new (options: { readonly fetchImpl: typeof fetch }) => object;
}

let a2a: ClientModule;
beforeAll(async () => {
  installFolder('a2a');
  a2a = await import(installedFile('a2a', '@a2a-js/sdk/dist/client/index.js').href);
}, 300_000);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(workflow: { readonly id: string }): Promise<A2aClient> {
  const store = memoryStore();
  const workflows = [workflow as never];
  const runtime = createRuntime({ store, workflows });
  const mounts = [(space: Parameters<typeof a2aRoutes>[0]) => a2aRoutes(space)];
  const { url, close } = await listen({
    server: (hosts) => createServer({ store, runtime, workflows, hosts, tokens: 'token', mounts }),
  });
  closing.push(() => runtime.close(), close);
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), authorization: 'Bearer token' } });
  const factory = new a2a.ClientFactory({
    transports: [new a2a.JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new a2a.DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(`${url}/api/a2a/${workflow.id}/`);
}

const say = (words: string, more: object = {}) => ({
  tenant: '',
  message: {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: 1,
    parts: [{ content: { $case: 'text', value: words }, filename: '', mediaType: 'text/plain' }],
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  configuration: undefined,
  metadata: undefined,
});
const completed = 3;
const canceled = 5;
const inputRequired = 6;

async function all(events: AsyncIterable<Answer>): Promise<readonly Answer[]> {
  const found: Answer[] = [];
  for await (const event of events) found.push(event);
  return found;
}

it('reads the card, sends a message and answers the question of its task', async () => {
  const pay = echo('pay', { effect: 'once', needsApproval: true } as never);
  const client = await open(toolAgent({ model: scriptedModel([{ reply: callsOf(['pay', '10']) }, { reply: 'Paid.' }]), tools: [pay] }));
  expect(await client.getAgentCard()).toMatchObject({
    capabilities: { streaming: true, pushNotifications: false },
    skills: [{ id: 'tool_agent' }],
  });
  const asked = await client.sendMessage(say('pay'));
  expect(asked.status).toMatchObject({ state: inputRequired, message: { role: 2 } });
  const done = await client.sendMessage(say('APPROVE', { taskId: asked.id, contextId: asked.contextId }));
  expect([done.status.state, pay.asked]).toEqual([completed, ['10']]);
  expect(done.artifacts.at(-1).parts[0].content.value.answer).toBe('Paid.');
  expect((await client.getTask({ tenant: '', id: asked.id })).artifacts).toEqual(done.artifacts);
});

it('streams a task', async () => {
  const client = await open(toolAgent({ model: scriptedModel([{ reply: '안녕하세요.', tokens: ['안녕', '하세요.'] }]) }));
  const events = await all(client.sendMessageStream(say('hi')));
  expect(events[0].payload.$case).toBe('task');
  const texts = events.flatMap(({ payload: { $case, value } }) =>
    $case === 'artifactUpdate' && value.artifact.name === 'text' ? value.artifact.parts : [],
  );
  expect(texts.map(({ content }: Answer) => content.value).join('')).toBe('안녕하세요.');
  expect(events.at(-1).payload).toMatchObject({ $case: 'statusUpdate', value: { status: { state: completed } } });
});

it('follows and cancels a task, and refuses push notifications by name', async () => {
  const slow = held('slow');
  const client = await open(toolAgent({ model: scriptedModel([{ reply: callsOf(['slow', 'x']) }]), tools: [slow] }));
  const sent = client.sendMessageStream(say('go'))[Symbol.asyncIterator]();
  const { id } = (await sent.next()).value.payload.value;
  await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
  const followed = all(client.resubscribeTask({ tenant: '', id }));
  expect((await client.cancelTask({ tenant: '', id, metadata: undefined })).status.state).toBe(canceled);
  expect((await followed).at(-1).payload.value.status.state).toBe(canceled);
  await sent.return?.();
  await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow('has ended');
  await expect(client.getTask({ tenant: '', id: 'none' })).rejects.toThrow('There is no task');
  const webhook = { tenant: '', id: '', taskId: id, url: 'https://example.org', token: '', authentication: undefined };
  await expect(async () => client.createTaskPushNotificationConfig(webhook)).rejects.toThrow('Push Notification is not supported');
});
