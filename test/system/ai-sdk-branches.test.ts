// Answers that are regenerated and messages that are edited, by the AI SDK's own chat over a real socket.
import { createRuntime, type Runtime, type Tool } from 'agent-machines';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { type ScriptedReply, scriptedModel } from 'agent-machines/models';
import { aiSdkRoutes } from 'agent-machines/server';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { serveRoutes } from '../fixtures/serve-routes.ts';
import { echo, held } from '../fixtures/text-tools.ts';
import { knowledge } from '../machines/guide-agent/helpers.ts';
import { type AiSdk, importAiSdkUi, importChat, type UiChat, type UiMessage } from './protocols/import-clients.ts';

vi.setConfig({ testTimeout: 60_000 });
let sdk: AiSdk;
let Chat: Awaited<ReturnType<typeof importChat>>;
beforeAll(async () => {
  sdk = await importAiSdkUi();
  Chat = await importChat();
}, 300_000);
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface World {
  readonly chat: UiChat;
  readonly runtime: Runtime;
  /** The conversation as a page that opens it anew gets it. */
  stored(): Promise<readonly string[]>;
}

async function open(workflow: { readonly id: string }): Promise<World> {
  const runtime = createRuntime();
  const server = await serveRoutes(aiSdkRoutes({ runtime, workflows: [{ id: workflow.id, workflow: workflow as never }] }, { goneMs: 0 }));
  closing.push(
    () => server.close(),
    () => runtime.close(),
  );
  const api = `${server.url}/api/ai-sdk/${workflow.id}`;
  const chat = new Chat({ id: 't1', transport: new sdk.DefaultChatTransport({ api }) });
  const stored = async () => ((await (await fetch(`${api}/t1/messages`)).json()) as UiMessage[]).map(textOf);
  return { chat, runtime, stored };
}

const textOf = ({ parts }: UiMessage): string => parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('');
const shown = ({ messages, error }: UiChat): readonly string[] => {
  if (error) throw error;
  return messages.map(textOf);
};

/** Answers `1`, `2`, …, after these calls. */
const counting = (...calls: readonly ScriptedReply[]) =>
  scriptedModel([...calls, ...Array.from({ length: 12 }, (_, index): ScriptedReply => ({ reply: `${index + 1}` }))]);

/** Texts of the user in the last request to the model. */
const heard = ({ requests }: ReturnType<typeof scriptedModel>): string =>
  (requests.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === 'user' ? [content] : [])).join(' ');

it('continues after the answer before the regenerated one', async () => {
  const model = counting();
  const { chat, runtime, stored } = await open(toolAgent({ model }));
  await chat.sendMessage({ text: 'A' });
  await chat.sendMessage({ text: 'B' });
  expect(shown(chat)).toEqual(['A', '1', 'B', '2']);
  await chat.regenerate();
  expect([shown(chat), heard(model)]).toEqual([['A', '1', 'B', '3'], 'A B']);
  await chat.sendMessage({ text: 'C' });
  await chat.regenerate({ messageId: chat.messages[1]?.id });
  expect([shown(chat), heard(model)]).toEqual([['A', '5'], 'A']);
  expect(await stored()).toEqual(['A', '5']);
  await chat.sendMessage({ text: 'D' });
  expect([shown(chat), await stored(), heard(model)]).toEqual([['A', '5', 'D', '6'], ['A', '5', 'D', '6'], 'A D']);
  expect(new Set((await runtime.list()).map(({ threadId }) => threadId))).toEqual(new Set(['t1']));
});

it('continues after the answer before an edited message', async () => {
  const model = counting();
  const { chat, stored } = await open(toolAgent({ model }));
  for (const text of ['A', 'B', 'C']) await chat.sendMessage({ text });
  await chat.sendMessage({ text: 'B2', messageId: chat.messages[2]?.id });
  expect([shown(chat), heard(model)]).toEqual([['A', '1', 'B2', '4'], 'A B2']);
  await chat.sendMessage({ text: 'A2', messageId: chat.messages[0]?.id });
  await chat.sendMessage({ text: 'D' });
  expect([shown(chat), await stored(), heard(model)]).toEqual([['A2', '5', 'D', '6'], ['A2', '5', 'D', '6'], 'A2 D']);
});

it('cancels a run that waits, and goes on after a stopped branch', async () => {
  const slow = held('slow');
  const call: ScriptedReply = { reply: { toolCalls: [{ name: 'slow', arguments: { text: 'x' } }] } };
  const model = scriptedModel([{ reply: 'one' }, { reply: 'two' }, call, { reply: 'four' }]);
  const { chat, runtime, stored } = await open(toolAgent({ model, tools: [slow] }));
  await chat.sendMessage({ text: 'A' });
  await chat.sendMessage({ text: 'B' });
  const again = chat.regenerate();
  await vi.waitFor(() => expect(slow.calls).toHaveLength(1));
  await chat.stop();
  await again;
  await vi.waitFor(async () => expect((await runtime.list())[0]?.status).toBe('cancelled'));
  await chat.sendMessage({ text: 'C' });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('two');
  expect((await stored()).at(-1)).toBe('four');
  const asking = await open(guideAgent({ knowledge }));
  await asking.chat.sendMessage({ text: '유튜브 영상을 만들고 자막을 넣고 싶어' });
  await asking.chat.regenerate();
  expect((await asking.runtime.list()).map(({ status }) => status)).toEqual(['waiting', 'cancelled']);
});

it('repeats a call that happens once only if it is asked to', async () => {
  const pay = { ...echo('pay', { risk: 'low' }), effect: 'once' } as Tool;
  const call: ScriptedReply = { reply: { toolCalls: [{ name: pay.name, arguments: { text: 'x' } }] } };
  const { chat, runtime } = await open(toolAgent({ model: counting(call), tools: [pay] }));
  await chat.sendMessage({ text: 'A' });
  await chat.regenerate();
  expect(chat.error?.message).toContain('FORK_REPEATS_EFFECT');
  expect(await runtime.list()).toHaveLength(1);
  await chat.regenerate({ body: { repeatOnce: true } });
  expect([chat.error, (await runtime.list()).length]).toEqual([undefined, 2]);
});

it('refuses a place that the thread does not have', async () => {
  const { chat, runtime } = await open(toolAgent({ model: counting() }));
  await chat.sendMessage({ text: 'A' });
  chat.messages = [...chat.messages.map((one) => (one.role === 'assistant' ? { ...one, id: 'r_unknown' } : one))];
  await chat.sendMessage({ text: 'B' });
  await chat.regenerate();
  expect(chat.error?.message).toContain('RUN_UNKNOWN');
  expect(await runtime.list()).toHaveLength(2);
});

it('gives files to the workflow that takes them', async () => {
  const model = counting();
  const { chat } = await open(toolAgent({ model }));
  const file = { type: 'file' as const, mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,aGVsbG8=' };
  await chat.sendMessage({ text: 'Look', files: [file] });
  expect(chat.error).toBeUndefined();
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('aGVsbG8=');
  const none = await open(planExecute());
  await none.chat.sendMessage({ text: '6*7', files: [file] });
  expect(none.chat.error?.message).toMatch(/INPUT_INVALID|OPTION_INVALID/);
  expect(await none.runtime.list()).toEqual([]);
});

it('takes a rejection with a reason as the wish for another plan', async () => {
  const { chat, runtime } = await open(guideAgent({ knowledge }));
  await chat.sendMessage({ text: '유튜브 영상을 만들고 자막을 넣고 싶어' });
  const idOf = (): string => chat.messages.at(-1)?.parts.findLast(({ state }) => state === 'approval-requested')?.approval?.id ?? '';
  await chat.addToolApprovalResponse({ id: idOf(), approved: false, reason: 'Make it shorter.' });
  await chat.sendMessage();
  const [run] = await runtime.list();
  const answers = (await runtime.history(run?.id ?? '')).filter(({ kind }) => kind === 'event');
  expect([run?.status, answers]).toMatchObject(['waiting', [{ outcome: { event: { type: 'REVISE', feedback: 'Make it shorter.' } } }]]);
  await chat.addToolApprovalResponse({ id: idOf(), approved: false });
  await chat.sendMessage();
  expect((await runtime.get(run?.id ?? '')).status).not.toBe('waiting');
});
