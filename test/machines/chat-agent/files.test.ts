import { createRuntime, type MessageFile } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const png: MessageFile = { mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'a.png' };
const route = { task: 'chat_agent.router', reply: { route: 'agent', reason: 'talk' } };

describe('chat-agent with files', () => {
  it('shows them to the model, and in the next turn again', async () => {
    const model = scriptedModel([
      route,
      { task: 'chat_agent.agent', reply: 'A cat.' },
      route,
      { task: 'chat_agent.agent', reply: 'It is black.' },
    ]);
    const runtime = createRuntime();
    const workflow = chatAgent({ model });
    await runtime.start(workflow, { input: 'What is it?', files: [png] }, { threadId: 't1' }).result;
    await runtime.start(workflow, { input: 'Of which colour?' }, { threadId: 't1' }).result;
    const seen = model.requests
      .filter(({ task }) => task === 'chat_agent.agent')
      .map(({ messages }) => messages.filter(({ role }) => role === 'user'));
    const question = { role: 'user', content: 'What is it?', files: [png] };
    expect(seen).toEqual([[question], [question, { role: 'user', content: 'Of which colour?' }]]);
  });

  it('says that rules cannot look at them', async () => {
    const { result } = createRuntime().start(chatAgent(), { input: 'What is it?', files: [png] });
    expect(await result).toMatchObject({ output: { error: { code: 'MODEL_INPUT_UNSUPPORTED' } } });
  });

  it('refuses a file that is none', () => {
    const files = [{ ...png, data: '/etc/passwd' }];
    expect(() => createRuntime().start(chatAgent(), { input: 'q', files })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});
