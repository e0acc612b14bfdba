// Several waiting calls as the AI SDK and AG-UI see them.
import { createRuntime, type RunEvent } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { agUiEncoder, aiSdkEncoder, aiSdkRoutes, toAiSdkMessage } from 'agent-machines/server';
import { describe, expect, it } from 'vitest';
import { textTool } from '../../../fixtures/text-tools.ts';
import { calls, says } from '../../../machines/tool-agent/helpers.ts';

const shop = (texts: readonly string[]) => {
  const paid: string[] = [];
  const pay = textTool('pay', async ({ text }) => paid.push(String(text)), { effect: 'once', needsApproval: true });
  const model = scriptedModel([calls(...texts.map((text) => ['pay', { text }] as const)), says('Done.')]);
  const agent = toolAgent({ model, tools: [pay] });
  const runtime = createRuntime({ workflows: [agent] });
  return { paid, agent, runtime };
};

const eventsOf = async (run: { events(): AsyncIterable<RunEvent> }): Promise<readonly RunEvent[]> => {
  const all: RunEvent[] = [];
  for await (const event of run.events()) all.push(event);
  return all;
};

interface Card {
  readonly toolCallId: string;
  readonly state: string;
  readonly input: unknown;
  readonly approval?: { readonly id: string; readonly approved?: boolean };
}

describe('the AI SDK', () => {
  const post = async (app: ReturnType<typeof aiSdkRoutes>, messages: readonly unknown[]) => {
    const response = await app.request('/api/ai-sdk/shop', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 't', messages }),
    });
    const text = await response.text();
    const chunks = text.split('\n\n').flatMap((frame) => (frame.startsWith('data: {') ? [JSON.parse(frame.slice(6))] : []));
    return { status: response.status, text, message: chunks.length > 0 ? toAiSdkMessage(chunks) : undefined };
  };
  const cardsOf = (message: { readonly parts: readonly object[] } | undefined): readonly Card[] =>
    (message?.parts ?? []).flatMap((part) => ('toolCallId' in part ? [part as Card] : []));

  it('has a card for each call, and decides all of them with one message', async () => {
    const { paid, agent, runtime } = shop(['a', 'b', 'c']);
    const app = aiSdkRoutes({ runtime, workflows: [{ id: 'shop', workflow: agent }] });
    const asked = await post(app, [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'pay' }] }]);
    const cards = cardsOf(asked.message);
    expect(cards.map(({ state, input }) => [state, input])).toEqual(['a', 'b', 'c'].map((text) => ['approval-requested', { text }]));
    expect(new Set(cards.map(({ approval }) => approval?.id)).size).toBe(3);
    const answer = (choices: readonly boolean[]) => ({
      ...asked.message,
      role: 'assistant',
      parts: cards.slice(0, choices.length).map((card, index) => ({
        ...card,
        type: 'dynamic-tool',
        state: 'approval-responded',
        approval: { id: card.approval?.id, approved: choices[index] },
      })),
    });
    const half = await post(app, [answer([true, true])]);
    expect([half.text.includes('EVENT_NOT_ACCEPTED'), paid]).toEqual([true, []]);
    const whole = await post(app, [answer([true, false, true])]);
    expect([whole.status, paid]).toEqual([200, ['a', 'c']]);
    const again = await post(app, [answer([true, false, true])]);
    expect([again.status, again.text.includes('EVENT_NOT_ACCEPTED'), paid]).toEqual([200, false, ['a', 'c']]);
    const other = await post(app, [answer([true, true, true])]);
    expect([other.text.includes('INTERRUPT_ANSWERED'), paid]).toEqual([true, ['a', 'c']]);
    const after = await (await app.request('/api/ai-sdk/shop/t/messages')).json();
    expect(cardsOf(after.at(-1)).map(({ state, input, approval }) => [state, input, approval?.approved])).toEqual([
      ['output-available', { text: 'a' }, true],
      ['output-denied', { text: 'b' }, false],
      ['output-available', { text: 'c' }, true],
    ]);
  });

  it('keeps the cards of the other calls when they are decided one by one', async () => {
    const { paid, agent, runtime } = shop(['a', 'b']);
    const run = runtime.start(agent, { input: 'pay' });
    const first = await run.result;
    if (first.status !== 'waiting' || !first.interrupt) throw new Error('it does not wait');
    const second = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: first.interrupt.id })).result;
    if (second.status !== 'waiting' || !second.interrupt) throw new Error('it does not wait again');
    const end = await runtime.send(run.id, { type: 'REJECT', reason: 'no' }, { interruptId: second.interrupt.id });
    await end.result;
    const events = await eventsOf(end);
    const encoder = aiSdkEncoder();
    const message = toAiSdkMessage(events.flatMap((event) => encoder.push(event)));
    expect(cardsOf(message).map(({ state, input }) => [state, input])).toEqual([
      ['output-available', { text: 'a' }],
      ['output-denied', { text: 'b' }],
    ]);
    expect(paid).toEqual(['a']);
  });
});

describe('AG-UI', () => {
  it('starts each call once, and ends each with its result or the refusal', async () => {
    const { agent, runtime } = shop(['a', 'b']);
    const run = runtime.start(agent, { input: 'pay' });
    const first = await run.result;
    if (first.status !== 'waiting' || !first.interrupt) throw new Error('it does not wait');
    const decisions = { call_0: { reject: 'no' }, call_1: 'approve' } as const;
    const end = await runtime.send(run.id, { type: 'DECIDE', decisions } as never, { interruptId: first.interrupt.id });
    await end.result;
    const events = await eventsOf(end);
    const encoder = agUiEncoder({});
    const told = events.flatMap((event) => encoder.push(event));
    const of = (type: string) =>
      told.filter((one) => one.type === type) as readonly { readonly toolCallId?: string; readonly content?: string }[];
    const started = of('TOOL_CALL_START').map(({ toolCallId }) => toolCallId);
    expect(new Set(started).size).toBe(2);
    expect(started).toHaveLength(2);
    expect(of('TOOL_CALL_RESULT').map(({ toolCallId, content }) => [started.indexOf(toolCallId), content])).toEqual([
      [1, expect.any(String)],
      [0, 'The call was not approved.'],
    ]);
  });
});
