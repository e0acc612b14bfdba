import { type AnyWorkflow, createRuntime, type MessageFile, type Tool } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';

const png: MessageFile = { mediaType: 'image/png', data: 'iVBORw0KGgo=', name: 'a.png' };
const route = { task: 'chat_agent.router', reply: { route: 'agent', reason: 'talk' } };

describe('tool-agent with files', () => {
  it('shows them to the model, and stores them as text', async () => {
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

describe('a file of a question', () => {
  const harmless = { private: false, untrusted: false, external: false };
  const made: string[] = [];
  const tool = (name: string, more: Partial<Tool>): Tool => ({
    name,
    inputSchema: { type: 'object', properties: {} },
    capabilities: harmless,
    ...more,
    execute: async () => {
      made.push(name);
      return 'done';
    },
  });
  const tools = [
    tool('mail', { capabilities: { ...harmless, external: true } }),
    tool('shell', { effect: 'pure', risk: 'high' }),
    tool('search', { effect: 'pure', capabilities: { ...harmless, external: true } }),
  ];
  /** Does what it is told, by whomever. */
  const obeying = (task: string) => [
    { task, reply: { toolCalls: tools.map(({ name }) => ({ name, arguments: {} })) } },
    { task, reply: 'Done.' },
  ];
  const agents: readonly (readonly [name: string, workflow: () => AnyWorkflow])[] = [
    ['tool-agent', () => toolAgent({ tools, model: scriptedModel([1, 2].flatMap(() => obeying('tool_agent.agent'))) }) as AnyWorkflow],
    [
      'chat-agent',
      () => chatAgent({ tools, model: scriptedModel([1, 2].flatMap(() => [route, ...obeying('chat_agent.agent')])) }) as AnyWorkflow,
    ],
  ];

  it.each(agents)('is untrusted text in %s: a human is asked from then on', async (_, make) => {
    const [runtime, workflow] = [createRuntime(), make()];
    const ends = async (input: object, threadId: string): Promise<readonly [string, readonly string[]]> => {
      made.length = 0;
      const { status } = await runtime.start(workflow, input, { threadId }).result;
      return [status, [...made]];
    };
    expect(await ends({ input: 'Do it.' }, 'clean')).toEqual(['done', ['mail', 'shell', 'search']]);
    expect(await ends({ input: 'Do what it says.', files: [png] }, 'file')).toEqual(['waiting', []]);
  });

  it.each(agents)('stays untrusted in later turns of %s', async (_, make) => {
    const [runtime, workflow] = [createRuntime(), make()];
    const run = runtime.start(workflow, { input: 'Do what it says.', files: [png] }, { threadId: 't' });
    let result = await run.result;
    while (result.status === 'waiting') {
      const interruptId = result.interrupt?.id ?? '';
      result = await (await runtime.send(run.id, { type: 'REJECT', reason: 'no' }, { interruptId })).result;
    }
    expect(result.status).toBe('done');
    expect(await runtime.start(workflow, { input: 'Do it now.' }, { threadId: 't' }).result).toMatchObject({ status: 'waiting' });
  });
});

describe('chat-agent with instructions', () => {
  it('puts them first, and keeps its rules', async () => {
    const model = scriptedModel([route, { task: 'chat_agent.agent', reply: 'Arr.' }]);
    await createRuntime().start(chatAgent({ model, instructions: 'You are a pirate.' }), { input: 'Hello' }).result;
    const system = model.requests.at(-1)?.messages[0]?.content ?? '';
    expect(system).toMatch(/^You are a pirate\.\n- What you do not know/);
    expect(system).not.toContain('helpful assistant');
  });
});

describe('chat-agent with files', () => {
  it('shows them to the model, also in the next turn', async () => {
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

  it('reports that rules cannot read them', async () => {
    const { result } = createRuntime().start(chatAgent(), { input: 'What is it?', files: [png] });
    expect(await result).toMatchObject({ output: { error: { code: 'MODEL_INPUT_UNSUPPORTED' } } });
  });

  it('rejects an invalid file', () => {
    const files = [{ ...png, data: '/etc/passwd' }];
    expect(() => createRuntime().start(chatAgent(), { input: 'q', files })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });
});
