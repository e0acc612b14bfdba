// Tools that show files: what models, journals, threads and streams get of them.
import {
  type ChatRequest,
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  final,
  type Json,
  type MessageFile,
  memoryStore,
  node,
  type TextGuard,
  type Tool,
  type ToolContent,
} from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { crashResume } from 'agent-machines/testing';
import { asTool, calledTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';

/** Content of a file; each name has its own. */
const dataOf = (name: string, bytes: number): string =>
  btoa(name.padEnd(3, '.'))
    .repeat(Math.ceil(bytes / 3))
    .slice(0, Math.ceil(bytes / 3) * 4);
const harmless = { private: false, untrusted: false, external: false };

/** A tool that draws a chart of so many bytes. */
const chart = (more: Partial<Tool> = {}): Tool => ({
  name: 'chart',
  description: 'Draws.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' }, bytes: { type: 'integer' } }, required: ['name'] },
  effect: 'pure',
  capabilities: harmless,
  ...more,
  execute: async ({ name, bytes }): Promise<ToolContent> => ({
    content: [
      { type: 'text', text: `Chart ${name}` },
      { type: 'file', mediaType: 'image/png', data: dataOf(String(name), Number(bytes ?? 6)), name: `${name}.png` },
    ],
  }),
});
const draws = (...args: readonly { readonly name: string; readonly bytes?: number }[]) => ({
  reply: { toolCalls: args.map((one) => ({ name: 'chart', arguments: one })) },
});
const filesIn = ({ messages }: ChatRequest): readonly MessageFile[] =>
  messages.flatMap((message) => (message.role === 'tool' || message.role === 'user' ? (message.files ?? []) : []));
const namesIn = (request: ChatRequest | undefined): readonly (string | undefined)[] =>
  request ? filesIn(request).map(({ name }) => name) : [];
const bytesIn = (request: ChatRequest): number => filesIn(request).reduce((sum, { data }) => sum + (data.length * 3) / 4, 0);
const task = 'tool_agent.agent';
const scriptOf = (...replies: readonly object[]) => scriptedModel(replies.map((reply) => ({ task, ...reply })) as never);

describe('tool-agent with a tool that shows files', () => {
  it('shows the file to the model once, names it in the thread, and keeps it out of events', async () => {
    const model = scriptOf(draws({ name: 'a', bytes: 300 }), { reply: 'It rises.' }, { reply: 'Yes.' });
    const [store, workflow] = [memoryStore(), toolAgent({ model, tools: [chart()] })];
    const runtime = createRuntime({ store, workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'Draw' }, { threadId: 't' });
    expect(await run.result).toMatchObject({ status: 'done', output: { answer: 'It rises.' } });
    const data = dataOf('a', 300);
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: 'tool',
      callId: 'call_1',
      content: 'Chart a',
      files: [{ mediaType: 'image/png', data, name: 'a.png' }],
    });
    const history = await runtime.history(run.id);
    // once in the record of the call, once in the messages of the node
    expect(history.filter(({ outcome }) => JSON.stringify(outcome).includes(data)).map(({ key }) => key)).toEqual([
      'tools#1/call_0',
      'tools#1',
    ]);
    expect(JSON.stringify(history.flatMap(({ events }) => events)).length).toBeLessThan(5_000);
    await runtime.start(workflow, { input: 'Really?' }, { threadId: 't' }).result;
    expect(model.requests[2]?.messages.find(({ role }) => role === 'tool')).toMatchObject({
      content: 'Chart a\n[attached: a.png, image/png, 300 bytes, not shown]',
    });
    expect(namesIn(model.requests[2])).toEqual([]);
  });

  it('sends the newest 4 MB, and no node exceeds the size of a patch', async () => {
    const rounds = Array.from({ length: 6 }, (_, i) => draws({ name: `a${i}`, bytes: 1_500_000 }, { name: `b${i}`, bytes: 1_500_000 }));
    const many = draws(...Array.from({ length: 50 }, (_, i) => ({ name: `c${i}`, bytes: 300_000 })));
    const model = scriptOf(...rounds, many, { reply: 'Done.' });
    const run = createRuntime().start(toolAgent({ model, tools: [chart({ maxFileBytes: 2_000_000 })] }), { input: 'Draw' });
    expect(await run.result).toMatchObject({ status: 'done', output: { answer: 'Done.' } });
    for (const request of model.requests) expect(bytesIn(request)).toBeLessThanOrEqual(4_000_000);
    expect(namesIn(model.requests[6])).toEqual(['a5.png', 'b5.png']);
    expect(namesIn(model.requests[7])).toEqual(Array.from({ length: 13 }, (_, i) => `c${37 + i}.png`));
  });

  it('is tainted by them as by texts', async () => {
    const mail: Tool = {
      ...chart({ name: 'mail', effect: 'once', capabilities: { ...harmless, external: true } }),
      execute: async () => 'sent',
    };
    const model = scriptOf(draws({ name: 'a' }), { reply: { toolCalls: [{ name: 'mail', arguments: { name: 'x' } }] } });
    const tools = [chart({ capabilities: { ...harmless, untrusted: true } }), mail];
    expect(await createRuntime().start(toolAgent({ model, tools }), { input: 'Draw' }).result).toMatchObject({ status: 'waiting' });
  });

  it('stores nothing of a file if a guard stops the result', async () => {
    const data = dataOf('a', 300);
    const model = scriptOf(draws({ name: 'a', bytes: 300 }));
    const stop: TextGuard = { name: 'no-png', at: ['tool-result'], check: () => ({ as: 'stop', reason: 'picture' }) };
    const runtime = createRuntime();
    const run = runtime.start(toolAgent({ model, tools: [chart()], guards: [stop] }), { input: 'Draw' });
    expect(await run.result).toMatchObject({ output: { error: { code: 'GUARD_STOPPED' } } });
    expect(JSON.stringify(await runtime.history(run.id))).not.toContain(data);
  });

  it('keeps large files of a step that waits for a human, with conditions to stop', async () => {
    const model = scriptOf(draws({ name: 'a', bytes: 3_900_000 }, { name: 'b' }), { reply: 'Done.' });
    const tools = [chart({ effect: 'once', needsApproval: ({ name }) => name === 'b' })];
    const runtime = createRuntime();
    const run = runtime.start(toolAgent({ model, tools, stopWhen: [() => false] }), { input: 'Draw' });
    const waiting = await run.result;
    const interruptId = waiting.status === 'waiting' ? (waiting.interrupt?.id ?? '') : '';
    const { result } = await runtime.send(run.id, { type: 'APPROVE' }, { interruptId });
    expect(await result).toMatchObject({ status: 'done', output: { answer: 'Done.' } });
    expect(namesIn(model.requests[1])).toEqual(['a.png', 'b.png']);
  });

  it('ends early with the text of the call', async () => {
    const model = scriptOf(draws({ name: 'a', bytes: 3_900_000 }));
    const run = createRuntime().start(toolAgent({ model, tools: [chart()], stopWhen: [calledTool('chart')] }), { input: 'Draw' });
    expect(await run.result).toMatchObject({
      output: { outcome: 'stopped-early', answer: 'Chart a\n[attached: a.png, image/png, 3900000 bytes]' },
    });
  });
});

describe('a crash at every write', () => {
  const compare = ({ result, thread }: { readonly result: object; readonly thread: Json }) => ({ result, thread });

  it('gives the model the same files, with an approval between two calls', async () => {
    const seen: (readonly (string | undefined)[])[] = [];
    const begin = () => {
      const { requests, ...model } = scriptOf(draws({ name: 'a' }, { name: 'b' }), draws({ name: 'c' }), { reply: 'Done.' });
      const needsApproval = ({ name }: { readonly name?: Json }): boolean => name === 'b';
      return toolAgent({
        // a model without memory, because a resumed process asks it again
        model: {
          ...model,
          async generate(request) {
            const shown = namesIn(request);
            seen.push(shown);
            const replies = [draws({ name: 'a' }, { name: 'b' }), draws({ name: 'c' }), { reply: 'Done.' }];
            return scriptOf(replies[Math.max(0, shown.length - 1)] ?? {}).generate(request);
          },
        },
        tools: [chart({ effect: 'once', needsApproval })],
        stopWhen: [() => false],
      });
    };
    const { result, thread, crashes } = await crashResume(begin, { input: 'Draw' }, { threadId: 't', compare });
    expect(result).toMatchObject({ status: 'done', output: { answer: 'Done.', steps: 2 } });
    expect(crashes).toBeGreaterThan(10);
    expect(new Set(seen.map((names) => names.join()))).toEqual(new Set(['', 'a.png,b.png', 'a.png,b.png,c.png']));
    expect(JSON.stringify(thread)).not.toContain(dataOf('a', 6));
    expect(JSON.stringify(thread)).toContain('[attached: c.png, image/png, 6 bytes, not shown]');
  });
});

it('chat-agent keeps the newest 4 MB of files in its thread', async () => {
  const model = scriptedModel(
    Array.from({ length: 4 }, (_, i) => [
      { task: 'chat_agent.router', reply: { route: 'agent', reason: 'talk' } },
      { task: 'chat_agent.agent', ...draws({ name: `a${i}`, bytes: 1_500_000 }) },
      { task: 'chat_agent.agent', reply: 'Drawn.' },
    ]).flat(),
  );
  const [store, workflow] = [memoryStore(), chatAgent({ model, tools: [chart()] })];
  const runtime = createRuntime({ store });
  for (let i = 0; i < 4; i++) {
    const run = runtime.start(workflow, { input: `Draw ${i}` }, { threadId: 't' });
    expect(await run.result).toMatchObject({ status: 'done' });
    expect(JSON.stringify(await store.readThread('t')).length).toBeLessThan(6_000_000);
  }
  const asked = model.requests.filter((request) => request.task === 'chat_agent.agent');
  expect(asked.map(namesIn)).toEqual([
    [],
    ['a0.png'],
    ['a0.png'],
    ['a0.png', 'a1.png'],
    ['a0.png', 'a1.png'],
    ['a1.png', 'a2.png'],
    ['a1.png', 'a2.png'],
    ['a2.png', 'a3.png'],
  ]);
});

it('a workflow called as a tool returns a file', async () => {
  const state = defineState<{ readonly input: string }, { readonly input: string }, ToolContent>({ onError: () => ({}) });
  const machine = defineMachine(state, {
    id: 'painter',
    initial: 'paint',
    context: ({ input }) => ({ input }),
    output: (): ToolContent => ({ content: [{ type: 'file', mediaType: 'image/png', data: dataOf('p', 6), name: 'p.png' }] }),
    states: { paint: node('paint', { done: 'done', error: 'done' }), done: final('success') },
  });
  const painter = defineWorkflow({ machine, nodes: { paint: async () => ({}) } });
  const begin = () => {
    const paint = asTool(painter, { name: 'paint', description: 'Paints.', capabilities: harmless });
    return toolAgent({
      model: {
        name: 'm',
        generate: (request) =>
          scriptOf(
            namesIn(request).join() === 'p.png'
              ? { reply: 'Seen.' }
              : { reply: { toolCalls: [{ name: 'paint', arguments: { input: 'x' } }] } },
          ).generate(request),
      },
      tools: [paint],
    });
  };
  const { result } = await crashResume(begin, { input: 'Paint' });
  expect(result).toMatchObject({ output: { answer: 'Seen.', steps: 1 } });
});

describe('plan-execute with a tool that shows files', () => {
  const sent: Json[] = [];
  const send: Tool = {
    ...chart({ name: 'send', effect: 'once', needsApproval: true }),
    inputSchema: { type: 'object', properties: { data: { type: 'string' } }, required: ['data'] },
    execute: async ({ data }) => {
      sent.push(data ?? null);
      return 'sent';
    },
  };
  const classified = { task: 'plan_execute.intent_classifier', reply: { intent: 'new_question', rewritten_query: 'x', needs_tool: true } };
  const steps: readonly Json[] = [
    { step_id: 1, tool: 'chart', input: { name: 'a' } },
    { step_id: 2, tool: 'send', input_from: { data: 'step_1#/content/1/data' } },
  ];

  it('names it in prompts and in the output, and gives it to a later step after an approval', async () => {
    const model = scriptedModel([
      classified,
      { task: 'plan_execute.planner', reply: { steps: [...steps] } },
      { task: 'plan_execute.final_answer', reply: 'Done.' },
    ]);
    const runtime = createRuntime();
    const run = runtime.start(planExecute({ model, tools: [chart(), send] }), { input: 'Draw and send' });
    const waiting = await run.result;
    const interruptId = waiting.status === 'waiting' ? (waiting.interrupt?.id ?? '') : '';
    const result = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId })).result;
    const named = {
      content: [
        { type: 'text', text: 'Chart a' },
        { type: 'text', text: '[attached: a.png, image/png, 6 bytes]' },
      ],
    };
    expect(result).toMatchObject({ status: 'done', output: { answer: 'Done.', pastSteps: [{ output: named }, { output: 'sent' }] } });
    expect(sent).toEqual([dataOf('a', 6)]);
    const [prompt] = model.requests.slice(-1);
    expect(JSON.stringify(prompt)).toContain('[attached: a.png, image/png, 6 bytes]');
    expect(JSON.stringify(prompt)).not.toContain(dataOf('a', 6));
  });

  it('keeps 4 MB of files of a wave', async () => {
    const model = scriptedModel([
      classified,
      {
        task: 'plan_execute.planner',
        reply: { steps: ['a', 'b', 'c'].map((name, i) => ({ step_id: i + 1, tool: 'chart', input: { name, bytes: 3_000_000 } })) },
      },
      { task: 'plan_execute.final_answer', reply: 'Done.' },
    ]);
    const run = createRuntime().start(planExecute({ model, tools: [chart()] }), { input: 'Draw' });
    expect(await run.result).toMatchObject({ status: 'done', output: { answer: 'Done.', error: null } });
  });
});
