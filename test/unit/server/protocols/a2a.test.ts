// A2A over JSON-RPC, without its client.
import { createRuntime, memoryStore } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { a2aEncoder, a2aRoutes, encodeRest } from 'agent-machines/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { recordRuns } from '../../../fixtures/recorded-runs.ts';
import { framesOf, request, serve } from '../../../fixtures/served.ts';
import { echo, held } from '../../../fixtures/text-tools.ts';
import { knowledge } from '../../../machines/guide-agent/helpers.ts';
import { calls, says } from '../../../machines/tool-agent/helpers.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const any = { perMinute: 1e6, burst: 1e6 };

function open(...workflows: readonly { readonly id: string }[]) {
  const store = memoryStore();
  const runtime = createRuntime({ store, workflows: workflows as never });
  const mounts = [(space: Parameters<typeof a2aRoutes>[0]) => a2aRoutes(space)];
  const served = serve({ store, runtime, workflows: workflows as never, mounts, limits: { reads: any, writes: any, starts: any } });
  closing.push(() => runtime.close());
  const [first] = workflows;
  const rpc = (method: string, params: object, id = first?.id) =>
    served.ask('POST', `/api/a2a/${id}`, { jsonrpc: '2.0', id: 7, method, params });
  const send = (parts: readonly object[], more: object = {}, configuration: object = {}) =>
    rpc('SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts, ...more }, configuration });
  const streamed = async (method: string, params: object) => {
    const body = { jsonrpc: '2.0', id: 7, method, params };
    return (await framesOf(await served.server.fetch(request('POST', `/api/a2a/${first?.id}`, body)))).map(
      ({ data }) => JSON.parse(data).result,
    );
  };
  const count = async (): Promise<number> => (await store.tally()).runs.reduce((sum, one) => sum + one.count, 0);
  return { ...served, runtime, rpc, send, streamed, count };
}

const text = (words: string) => [{ text: words }];
const pay = (): ReturnType<typeof echo> => echo('pay', { effect: 'once', needsApproval: true } as never);
const paying = (tool = pay()) => toolAgent({ model: scriptedModel([calls(['pay', { text: '10' }]), says('Paid.')]), tools: [tool] });

it('encodes every run so that its changes make its task', async () => {
  for (const { name, events } of await recordRuns()) {
    const encoder = a2aEncoder();
    const texts = new Map<string, string>();
    let state: string | undefined;
    for (const event of encodeRest(encoder, events)) {
      if ('statusUpdate' in event) state = event.statusUpdate.status.state;
      if (!('artifactUpdate' in event)) continue;
      const { artifact, append } = event.artifactUpdate;
      const added = artifact.parts.map((part) => ('text' in part ? part.text : JSON.stringify(part.data))).join('');
      texts.set(artifact.artifactId, `${append ? (texts.get(artifact.artifactId) ?? '') : ''}${added}`);
    }
    const kept = encoder.task.artifacts.map(({ artifactId, parts }) => [
      artifactId,
      parts.map((part) => ('text' in part ? part.text : JSON.stringify(part.data))).join(''),
    ]);
    expect(
      [...texts].filter(([, words]) => words !== ''),
      name,
    ).toEqual(kept);
    expect(encoder.task.status.state, name).toBe(state);
  }
});

describe('a task', () => {
  it('asks, is answered by the next message, and continues its context', async () => {
    const tool = pay();
    const { send, rpc } = open(paying(tool));
    const asked = (await send(text('pay'))).body.result.task;
    expect(asked.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', message: { role: 'ROLE_AGENT' } });
    expect(asked.history).toMatchObject([{ role: 'ROLE_USER', parts: [{ text: 'pay' }] }]);
    const { id: taskId, contextId } = asked;
    expect((await send(text('maybe'), { taskId, contextId })).body.error.data[0].reason).toBe('EVENT_NOT_ACCEPTED');
    const done = (await send(text('APPROVE'), { taskId, contextId })).body.result.task;
    expect([done.id, done.status.state, tool.asked]).toEqual([taskId, 'TASK_STATE_COMPLETED', ['10']]);
    expect(done.artifacts.at(-1)).toMatchObject({ artifactId: 'output', parts: [{ data: { answer: 'Paid.' } }] });
    expect((await rpc('GetTask', { id: taskId })).body.result).toEqual(done);
  });

  it('is answered by an event as data, which may name its question', async () => {
    const { send } = open(guideAgent({ knowledge }));
    const first = (await send(text('유튜브 영상을 만들고 자막을 넣고 싶어'))).body.result.task;
    const { interruptId } = first.status.message.parts[1].data;
    const revise = [{ data: { type: 'REVISE', feedback: '자막 달기를 빼줘', interruptId } }];
    const second = (await send(revise, { taskId: first.id })).body.result.task;
    expect(second.status.message.parts[1].data.interruptId).not.toBe(interruptId);
    const late = await send([{ data: { type: 'APPROVE', interruptId } }], { taskId: first.id });
    expect(late.body.error.data[0].reason).toBe('INTERRUPT_ANSWERED');
    expect((await send([{ data: { type: 'APPROVE' } }], { taskId: first.id })).body.result.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('streams its changes, and can be followed and cancelled while it works', async () => {
    const slow = held('slow');
    const { send, rpc, streamed } = open(toolAgent({ model: scriptedModel([calls(['slow', { text: 'x' }])]), tools: [slow] }));
    const { id } = (await send(text('go'), {}, { returnImmediately: true })).body.result.task;
    await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
    expect((await rpc('GetTask', { id })).body.result.status.state).toBe('TASK_STATE_WORKING');
    const followed = streamed('SubscribeToTask', { id });
    expect((await rpc('CancelTask', { id })).body.result.status.state).toBe('TASK_STATE_CANCELED');
    const parts = await followed;
    expect([parts[0].task.id, parts.at(-1).statusUpdate.status.state]).toEqual([id, 'TASK_STATE_CANCELED']);
    expect((await rpc('CancelTask', { id })).body.error.code).toBe(-32002);
    expect((await rpc('SubscribeToTask', { id })).body.error.code).toBe(-32004);
    expect((await send(text('go on'), { taskId: id })).body.error.data[0].reason).toBe('UNSUPPORTED_OPERATION');
  });

  it('streams the text of an answer', async () => {
    const { streamed } = open(toolAgent({ model: scriptedModel([{ reply: '안녕하세요.', tokens: ['안녕', '하세요.'] }]) }));
    const parts = await streamed('SendStreamingMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: text('hi') } });
    const texts = parts.flatMap(({ artifactUpdate: update }) => (update?.artifact.name === 'text' ? update.artifact.parts : []));
    expect(texts.map((part: { readonly text: string }) => part.text).join('')).toBe('안녕하세요.');
    expect(parts.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

it('has a card per workflow', async () => {
  const { ask } = open(paying());
  const { status, body } = await ask('GET', '/api/a2a/tool_agent/.well-known/agent-card.json');
  expect([status, body]).toMatchObject([
    200,
    {
      supportedInterfaces: [{ url: 'http://agents.test/api/a2a/tool_agent', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
      skills: [{ id: 'tool_agent' }],
    },
  ]);
});

it.each<[name: string, method: string, params: unknown, code: number]>([
  ['an unknown method', 'message/send', {}, -32601],
  ['no message', 'SendMessage', {}, -32602],
  ['no parts', 'SendMessage', { message: { messageId: 'm', parts: [] } }, -32602],
  ['a file', 'SendMessage', { message: { messageId: 'm', parts: [{ url: 'https://example.org' }] } }, -32005],
  ['a wrong context id', 'SendMessage', { message: { messageId: 'm', contextId: 'a b', parts: text('x') } }, -32602],
  ['an unknown task', 'SendMessage', { message: { messageId: 'm', taskId: 'none', parts: text('x') } }, -32001],
  [
    'a webhook',
    'SendMessage',
    { message: { messageId: 'm', parts: text('x') }, configuration: { taskPushNotificationConfig: { url: 'x' } } },
    -32003,
  ],
  ['push notifications', 'CreateTaskPushNotificationConfig', { taskId: 'x' }, -32003],
  ['a list', 'ListTasks', {}, -32004],
  ['an unknown task', 'GetTask', { id: 'none' }, -32001],
  ['no task', 'CancelTask', {}, -32602],
])('refuses by code: %s of %s', async (_, method, params, code) => {
  const { rpc, count } = open(paying());
  const { status, body } = await rpc(method, params as object);
  expect([status, body]).toMatchObject([
    200,
    { jsonrpc: '2.0', id: 7, error: { code, message: expect.any(String), data: [{ reason: expect.any(String) }] } },
  ]);
  expect(await count()).toBe(0);
});

it('hides the tasks of another workflow', async () => {
  const { send, rpc } = open(paying(), guideAgent({ knowledge }));
  const { id } = (await send(text('pay'))).body.result.task;
  for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask'])
    expect((await rpc(method, { id }, 'guide_agent')).body.error.code, method).toBe(-32001);
});

it('answers a body that is not JSON with a parse error, also without the server', async () => {
  const { ask, runtime } = open(paying());
  const alone = a2aRoutes({ runtime, workflows: [{ id: 'tool_agent', workflow: paying() as never }] });
  const headers = { 'content-type': 'application/json' };
  for (const body of ['{bad', '', '{"jsonrpc":"2.0","id":1,"id":2}']) {
    const answers = [await ask('POST', '/api/a2a/tool_agent', body)];
    if (!body.includes('id')) {
      const response = await alone.request('/api/a2a/tool_agent', { method: 'POST', body, headers });
      answers.push({ status: response.status, headers: response.headers, body: await response.json() });
    }
    for (const { status, body: answer } of answers)
      expect([status, answer], body).toMatchObject([200, { jsonrpc: '2.0', id: null, error: { code: -32700 } }]);
  }
  expect((await ask('POST', '/api/a2a/tool_agent', [])).body.error.code).toBe(-32600);
});

it.each([
  ['0.3', -32009],
  ['2.0', -32009],
  ['zz', -32009],
  ['1.0', -32001],
  ['1.0.1', -32001],
  ['', -32001],
])('serves version 1.0 alone: "%s"', async (version, code) => {
  const { ask } = open(paying());
  const body = { jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 'none' } };
  for (const [path, headers] of [
    ['/api/a2a/tool_agent', { 'a2a-version': version }],
    [`/api/a2a/tool_agent?A2A-Version=${version}`, {}],
  ] as const)
    expect((await ask('POST', path, body, headers)).body.error.code).toBe(code);
});

it('sends as much of the history as the client asks for', async () => {
  const { send, rpc } = open(paying());
  const { id, history } = (await send(text('pay'), {}, { historyLength: 0 })).body.result.task;
  expect(history).toEqual([]);
  const lengths = [0, 1, 5].map(async (historyLength) => (await rpc('GetTask', { id, historyLength })).body.result.history.length);
  expect(await Promise.all(lengths)).toEqual([0, 1, 1]);
  for (const historyLength of [-1, 1.5, '1']) expect((await rpc('GetTask', { id, historyLength })).body.error.code).toBe(-32602);
  expect((await send(text('pay'), {}, { historyLength: -1 })).body.error.code).toBe(-32602);
});
