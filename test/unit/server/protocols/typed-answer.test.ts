// Two tabs show one conversation. What one of them types decides the question that it shows, and no other.
import { createRuntime, memoryStore } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { agUiRoutes, aiSdkRoutes, openaiRoutes } from 'agent-machines/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { echo } from '../../../fixtures/text-tools.ts';

/** An agent that sends mail 1, then mail 2, and must ask for each. */
function mailing() {
  const send = echo('send_mail', { effect: 'once', needsApproval: true });
  const model = offlineModel({
    'tool_agent.agent': ({ messages }) => {
      const sent = messages.filter(({ role }) => role === 'tool').length;
      return sent === 2 ? 'both are sent' : { toolCalls: [{ name: 'send_mail', arguments: { text: `mail ${sent + 1}` } }] };
    },
  });
  const workflow = toolAgent({ model, tools: [send] });
  const runtime = createRuntime({ store: memoryStore(), workflows: [workflow as never] });
  onTestFinished(() => runtime.close());
  const space = { runtime, workflows: [{ id: 'mail', workflow: workflow as never }] };
  const apps = { chat: openaiRoutes(space), agUi: agUiRoutes(space), aiSdk: aiSdkRoutes(space) };
  const post = async (app: keyof typeof apps, path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const response = await apps[app].request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    expect({ status: response.status, text }).toMatchObject({ status: 200 });
    return text;
  };
  const open = async (): Promise<{ readonly id: string; readonly mail: unknown }> => {
    const [record] = await runtime.list({ threadId: 't' });
    const { result } = await runtime.get(record?.id ?? '');
    if (result?.status !== 'waiting' || !result.interrupt) throw new Error(`The run is ${result?.status}.`);
    return { id: result.interrupt.id, mail: (result.interrupt.question as { arguments: { text: string } }).arguments.text };
  };
  return { send, runtime, post, open };
}

type Shown = { readonly text: string; readonly id: string };

/** One way to talk to a run: sends what a user types in a tab that shows `shown`, and returns what the tab shows then. */
interface Tab {
  say(typed: string, shown?: Shown): Promise<Shown>;
}

const ids = { next: 1 };
const tabs: Readonly<Record<string, (post: ReturnType<typeof mailing>['post']) => Tab>> = {
  'chat completions with thread_id, which send the last answer back': (post) => ({
    say: async (content, shown) => {
      const before = shown ? [{ role: 'assistant', content: shown.text }] : [];
      const messages = [...before, { role: 'user', content }];
      const { id, choices } = JSON.parse(
        await post('chat', '/v1/chat/completions', { model: 'mail', metadata: { thread_id: 't' }, messages }),
      );
      return { id, text: choices[0].message.content };
    },
  }),
  'streamed chat completions with thread_id': (post) => ({
    say: async (content, shown) => {
      const messages = [...(shown ? [{ role: 'assistant', content: shown.text }] : []), { role: 'user', content }];
      const stream = await post('chat', '/v1/chat/completions', { model: 'mail', stream: true, metadata: { thread_id: 't' }, messages });
      const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
      return { id: '', text: chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('') };
    },
  }),
  'responses with previous_response_id': (post) => ({
    say: async (input, shown) => {
      const goesOn = shown ? { previous_response_id: shown.id } : { conversation: 't' };
      const { id, output } = JSON.parse(await post('chat', '/v1/responses', { model: 'mail', input, ...goesOn }));
      return { id, text: JSON.stringify(output) };
    },
  }),
  'responses with a conversation and the interrupt_id of the last one': (post) => ({
    say: async (input, shown) => {
      const metadata = shown ? { metadata: { interrupt_id: shown.id } } : {};
      const answer = JSON.parse(await post('chat', '/v1/responses', { model: 'mail', input, conversation: 't', ...metadata }));
      return { id: answer.metadata.interrupt_id ?? '', text: JSON.stringify(answer.output) };
    },
  }),
  'the AI SDK': (post) => ({
    say: async (text, shown) => {
      const before = shown ? [JSON.parse(shown.id)] : [];
      const messages = [...before, { id: `m${ids.next++}`, role: 'user', parts: [{ type: 'text', text }] }];
      const stream = await post('aiSdk', '/api/ai-sdk/mail', { id: 't', messages });
      const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
      const parts = new Map(chunks.filter(({ type }) => type === 'data-interrupt').map((chunk) => [chunk.id, chunk]));
      return { id: JSON.stringify({ role: 'assistant', parts: [...parts.values()] }), text: stream };
    },
  }),
  'AG-UI': (post) => ({
    say: async (content, shown) => {
      const messages = [{ id: `m${ids.next++}`, role: 'user', content }];
      const state = shown ? JSON.parse(shown.id) : {};
      const stream = await post('agUi', '/api/ag-ui/mail', { threadId: 't', runId: `c${ids.next++}`, messages, state });
      const interrupts: Record<string, unknown> = {};
      for (const [, data = ''] of stream.matchAll(/^data: (\{.*)$/gm)) {
        const { type, snapshot, delta = [] } = JSON.parse(data);
        if (type === 'STATE_SNAPSHOT') Object.assign(interrupts, snapshot.interrupts);
        if (type === 'STATE_DELTA')
          for (const { path, value } of delta) if (path.startsWith('/interrupts/')) interrupts[path.split('/')[2]] = value;
      }
      return { id: JSON.stringify({ interrupts }), text: stream };
    },
  }),
};

describe.each(Object.keys(tabs))('typed decisions over %s', (name) => {
  const tabsOf = (): { world: ReturnType<typeof mailing>; tab: Tab } => {
    const world = mailing();
    const tab = tabs[name]?.(world.post);
    if (!tab) throw new Error(name);
    return { world, tab };
  };

  it('continue a normal conversation', async () => {
    const { world, tab } = tabsOf();
    const one = await tab.say('send them');
    const two = await tab.say('approve', one);
    expect([world.send.asked, (await world.open()).mail]).toEqual([['mail 1'], 'mail 2']);
    await tab.say('approve', two);
    expect(world.send.asked).toEqual(['mail 1', 'mail 2']);
  });

  it('give a rejection without words a default reason', async () => {
    const { world, tab } = tabsOf();
    await tab.say('reject', await tab.say('send them'));
    const [record] = await world.runtime.list({ threadId: 't' });
    const answers = (await world.runtime.history(record?.id ?? '')).filter(({ kind }) => kind === 'event');
    expect(answers).toMatchObject([{ outcome: { event: { type: 'REJECT', reason: 'The user has said no.' } } }]);
    expect(world.send.asked).toEqual([]);
  });

  it('of a tab that shows mail 1 do not send mail 2, but show it', async () => {
    const { world, tab } = tabsOf();
    const shown = await tab.say('send them');
    await tab.say('approve', shown); // tab B
    const late = await tab.say('approve', shown); // tab A
    const { id, mail } = await world.open();
    expect([world.send.asked, mail, late.text.includes(id), late.text.includes('mail 2')]).toEqual([['mail 1'], 'mail 2', true, true]);
    await tab.say('approve', late); // it has seen mail 2 now
    expect(world.send.asked).toEqual(['mail 1', 'mail 2']);
  });

  it('start no new run when they are repeated or arrive after the end', async () => {
    const { world, tab } = tabsOf();
    const one = await tab.say('send them');
    const two = await tab.say('approve', one);
    const last = await tab.say('approve', two);
    await tab.say('approve', two); // the client has lost the answer
    await tab.say('approve', one); // another tab
    expect([world.send.asked, await world.runtime.list({ threadId: 't' })]).toMatchObject([['mail 1', 'mail 2'], [{ status: 'done' }]]);
    await tab.say('send nothing', name.includes('previous_response_id') ? last : two); // `two` was continued with another message
    expect(await world.runtime.list({ threadId: 't' })).toHaveLength(2);
  });

  it('decide nothing without their question, unless they name it', async () => {
    const { world, tab } = tabsOf();
    await tab.say('send them');
    const { id } = await world.open();
    const asked = await tab.say('approve');
    expect([world.send.asked, asked.text.includes(id), (await world.open()).id]).toEqual([[], true, id]);
    await tab.say('approve i_0123456789abcdef');
    expect(world.send.asked).toEqual([]);
    await tab.say(`approve ${id}`);
    expect(world.send.asked).toEqual(['mail 1']);
    const next = await world.open();
    await tab.say(JSON.stringify({ type: 'EDIT', interruptId: next.id, arguments: { text: 'mail 2b' } }));
    expect(world.send.asked).toEqual(['mail 1', 'mail 2b']);
  });
});
