import { createRuntime, type MessageFile } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const png: MessageFile = { mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'a.png' };
const route = { task: 'chat_agent.router', reply: { route: 'agent', reason: 'talk' } };

describe('tool-agent with files', () => {
  it('shows them to the model, and keeps them in words', async () => {
    const model = scriptedModel([
      { task: 'tool_agent.agent', reply: 'A cat.' },
      { task: 'tool_agent.agent', reply: 'It is black.' },
    ]);
    const [runtime, workflow] = [createRuntime(), toolAgent({ model })];
    await runtime.start(workflow, { input: 'What is it?', files: [png] }, { threadId: 't1' }).result;
    await runtime.start(workflow, { input: 'Of which colour?' }, { threadId: 't1' }).result;
    expect(model.requests.map(({ messages }) => messages.filter(({ role }) => role === 'user'))).toEqual([
      [{ role: 'user', content: 'What is it?', files: [png] }],
      [
        { role: 'user', content: 'What is it?\n[attached: a.png, image/png, 8 bytes]' },
        { role: 'user', content: 'Of which colour?' },
      ],
    ]);
    expect(() => runtime.start(workflow, { input: 'q', files: [{ ...png, data: '…' }] })).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
  });
});

describe('chat-agent with instructions', () => {
  it('begins with them, and keeps its rules', async () => {
    const model = scriptedModel([route, { task: 'chat_agent.agent', reply: 'Arr.' }]);
    await createRuntime().start(chatAgent({ model, instructions: 'You are a pirate.' }), { input: 'Hello' }).result;
    const system = model.requests.at(-1)?.messages[0]?.content ?? '';
    expect(system).toMatch(/^You are a pirate\.\n- What you do not know/);
    expect(system).not.toContain('helpful assistant');
  });
});

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
