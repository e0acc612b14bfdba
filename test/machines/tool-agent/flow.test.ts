// The loop by examples: how it ends, what a model may say that is odd, what needs a human, and what is stored.
import { createRuntime, type Json, memoryStore, type RunEvent } from 'agent-machines';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel, scriptedModel } from 'agent-machines/models';
import { crashResume } from 'agent-machines/testing';
import { calculator } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { echo, held, textTool } from '../../fixtures/text-tools.ts';
import { withoutTimes } from '../../fixtures/without-times.ts';
import { calls, play, says, start } from './helpers.ts';

const toolMessages = ({ requests }: Awaited<ReturnType<typeof play>>): readonly (readonly [id: string, content: string])[] =>
  (requests.at(-1)?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [[message.callId, message.content] as const] : []));

describe('ends of a run', () => {
  it('answers without a tool, in one call', async () => {
    const played = await play([{ reply: 'Hello!', usage: { inputTokens: 7, outputTokens: 2 } }], 'Hi');
    expect([played.finalState, played.path]).toEqual(['done', ['agent']]);
    expect(played.output).toEqual({
      answer: 'Hello!',
      output: 'Hello!',
      outcome: 'answered',
      steps: 0,
      usage: { inputTokens: 7, outputTokens: 2 },
      error: null,
    });
  });

  it('repeats while the model calls tools, and adds up the usage', async () => {
    const usage = { inputTokens: 10, outputTokens: 1, cachedInputTokens: 4 };
    const played = await play(
      [
        { ...calls(['calculator', { expression: '6 * 7' }]), usage },
        { ...calls(['calculator', { expression: '42 + 1' }]), usage },
        { ...says('43'), usage },
      ],
      'What is 6 * 7 + 1?',
    );
    expect(played.path).toEqual(['agent', 'tools', 'agent', 'tools', 'agent']);
    expect(played.output).toMatchObject({ answer: '43', steps: 2, outcome: 'answered' });
    expect(played.output.usage).toEqual({ inputTokens: 30, outputTokens: 3, cachedInputTokens: 12 });
    expect(toolMessages(played).map(([, content]) => JSON.parse(content))).toEqual([
      { expression: '6 * 7', result: 42 },
      { expression: '42 + 1', result: 43 },
    ]);
  });

  it('sends the instructions to the model, and streams the answer', async () => {
    const played = await play([calls(['calculator', { expression: '1+1' }]), says('Two.')], '1+1?', { instructions: 'You are a parrot.' });
    expect(played.requests[0]?.messages[0]?.content).toMatch(/^You are a parrot\./);
    const tokens = played.events.filter((event): event is Extract<RunEvent, { type: 'token' }> => event.type === 'token');
    expect(tokens.map(({ text, node }) => [text, node])).toEqual([['Two.', 'agent#2']]);
  });

  const trip = z.strictObject({ city: z.string(), days: z.int().max(30) });

  it('returns an answer of the requested form, also after tools', async () => {
    const played = await play([calls(['calculator', { expression: '1+2' }]), says({ city: 'Seoul', days: 3 })], 'Seoul for 1+2 days', {
      output: trip,
    });
    expect(played.output).toMatchObject({ outcome: 'answered', output: { city: 'Seoul', days: 3 }, answer: '{"city":"Seoul","days":3}' });
    expect(played.requests.map(({ output }) => output?.type)).toEqual(['json-schema', 'json-schema']);
  });

  it('repeats an answer of another form with the reasons, and allows tool calls in between', async () => {
    const played = await play(
      [
        says('Seoul, three days'),
        calls(['calculator', { expression: '1+2' }]),
        says({ city: 'Seoul', days: 99 }),
        says({ city: 'Seoul', days: 3 }),
      ],
      'Seoul',
      { output: trip },
    );
    expect(played.output).toMatchObject({ outcome: 'answered', output: { days: 3 }, steps: 1 });
    expect(played.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: expect.stringContaining('not JSON') });
    // what was refused stays in the conversation, in its place
    expect(played.requests[2]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'tool']);
    expect(played.requests[3]?.messages.at(-1)?.content).toContain('/days');
  });

  it.each([0, 2])('stops after %i repairs without the form', async (maxRepairs) => {
    const script = Array.from({ length: maxRepairs + 1 }, () => says('never JSON'));
    const played = await play(script, 'Seoul', { output: trip, maxRepairs });
    expect(played.finalState).toBe('stopped');
    expect(played.output).toMatchObject({ outcome: 'stopped', output: null, error: { code: 'MODEL_OUTPUT_INVALID' } });
    expect(played.output.answer).toMatch(/^Execution stopped: .*\(MODEL_OUTPUT_INVALID\)$/);
  });

  const again = (text?: string) => ({ reply: { toolCalls: [{ name: 'echo', arguments: { text: 'x' } }], ...(text ? { text } : {}) } });

  it.each<readonly [string, readonly Parameters<typeof says>[0][], string, string]>([
    ['says something', ['what I have'], 'step-limit', 'what I have'],
    ['calls tools and says something', [again('so far: x').reply], 'step-limit', 'so far: x'],
    ['calls tools', [again().reply], 'step-limit', 'I stopped after 2 steps, before there was an answer.'],
  ])('ends a run without steps left whose model %s', async (_what, last, outcome, answer) => {
    const tool = echo();
    const played = await play([again(), again(), ...last.map(says)], 'q', { tools: [tool], maxSteps: 2 });
    expect(played.output).toMatchObject({ outcome, answer, steps: 2, error: null });
    expect(played.finalState).toBe('done');
    expect(tool.asked).toEqual(['x', 'x']); // the same call again is made again: time may have passed
    expect(played.requests.map(({ toolChoice }) => toolChoice)).toEqual(['auto', 'auto', 'none']);
    expect(played.requests[2]?.messages[0]?.content).toContain('No tool may be called any more');
  });

  it('answers with the last text of the model if there is no other answer', async () => {
    const played = await play([again('first I look'), again(), again()], '질문', { tools: [echo()], maxSteps: 2 });
    expect(played.output).toMatchObject({ outcome: 'step-limit', answer: 'first I look' });
  });

  it('has no output of the form when the steps were used for calls', async () => {
    const played = await play([again(), again()], '질문', { tools: [echo()], maxSteps: 1, output: trip });
    expect(played.output).toMatchObject({ outcome: 'step-limit', output: null, answer: '답을 찾기 전에 1단계를 다 써서 멈추었습니다.' });
  });

  it('asks the model once without steps', async () => {
    const played = await play([says('an answer')], 'q', { tools: [echo()], maxSteps: 0 });
    expect(played.output).toMatchObject({ outcome: 'answered', steps: 0 });
  });
});

describe('unusual replies of a model', () => {
  it('keeps both text and calls of one reply', async () => {
    const played = await play(
      [{ reply: { text: 'Let me see.', toolCalls: [{ name: 'echo', arguments: { text: 'x' } }] } }, says('x')],
      'q',
      {
        tools: [echo()],
      },
    );
    expect(played.requests[1]?.messages.at(-2)).toMatchObject({ content: 'Let me see.', toolCalls: [{ name: 'echo' }] });
    expect(played.output.answer).toBe('x');
  });

  it('answers unknown tools, wrong arguments and wrong JSON under their own ids, in order', async () => {
    const tool = echo();
    const played = await play(
      [
        calls(
          ['nothing', {}, 'a'],
          ['echo', { text: 1 }, 'b'],
          ['echo', '{"text":', 'c'],
          ['echo', { text: 'x', more: 1 }, 'd'],
          ['echo', { text: 'ok' }, 'e'],
          ['Echo', { text: 'x' }, 'f'],
        ),
        says('done'),
      ],
      'q',
      { tools: [tool] },
    );
    const answers = toolMessages(played);
    expect(answers.map(([id]) => id)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(answers.map(([, content]) => /TOOL_\w+/.exec(content)?.[0] ?? content)).toEqual([
      'TOOL_UNKNOWN',
      'TOOL_CALL_INVALID',
      'TOOL_CALL_INVALID',
      'TOOL_CALL_INVALID',
      'echo ok',
      'TOOL_UNKNOWN',
    ]);
    expect(tool.asked).toEqual(['ok']);
  });

  it('makes equal calls of one reply once, and answers each', async () => {
    const tool = echo();
    const same = ['echo', { text: 'x' }] as const;
    const played = await play([calls([...same, '1'], [...same, '2'], [...same, '3']), says('done')], 'q', { tools: [tool] });
    expect(tool.asked).toEqual(['x']);
    expect(toolMessages(played)).toEqual([
      ['1', 'echo x'],
      ['2', 'echo x'],
      ['3', 'echo x'],
    ]);
  });

  it('runs at most eight of fifty calls in parallel, and answers in order', async () => {
    let working = 0;
    let most = 0;
    const slow = textTool('slow', async ({ text }) => {
      working++;
      most = Math.max(most, working);
      await new Promise((resolve) => setImmediate(resolve));
      working--;
      return text ?? null;
    });
    const many = Array.from({ length: 50 }, (_, index) => ['slow', { text: `${index}` }, `id${index}`] as const);
    const played = await play([calls(...many), says('done')], 'q', { tools: [slow] });
    expect(most).toBe(8);
    expect(toolMessages(played)).toEqual(many.map(([, { text }, id]) => [id, text]));
  });

  it('rejects a call of a tool that the run was not granted', async () => {
    const tool = echo();
    const model = scriptedModel([calls(['echo', { text: 'x' }]), says('no')]);
    const run = createRuntime().start(toolAgent({ model, tools: [tool, calculator()] }), { input: 'q', tools: ['calculator'] });
    expect((await run.result).status).toBe('done');
    expect(tool.asked).toEqual([]);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual(['calculator']);
  });

  it('continues after a tool that throws, and after one that never answers', async () => {
    const broken = textTool(
      'broken',
      async () => {
        throw new Error('/home/kim/secret');
      },
      { errors: 'hidden' },
    );
    const silent = { ...held('silent'), timeoutMs: 5 };
    const played = await play([calls(['broken', { text: '' }], ['silent', { text: '' }], ['echo', { text: 'x' }]), says('done')], 'q', {
      tools: [broken, silent, echo()],
    });
    expect(toolMessages(played).map(([, content]) => /TOOL_\w+/.exec(content)?.[0] ?? content)).toEqual([
      'TOOL_FAILED',
      'TOOL_TIMEOUT',
      'echo x',
    ]);
    expect(JSON.stringify(played.requests)).not.toContain('secret');
  });
});

describe('definition of an agent', () => {
  it.each([
    ['two tools of one name', { tools: [echo(), echo()] }],
    ['an id that cannot be a file name', { id: 'a/b' }],
    ['negative steps', { maxSteps: -1 }],
    ['half a repair', { maxRepairs: 0.5 }],
  ])('rejects %s', (_what, options) => {
    expect(() => toolAgent(options)).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('stores an agent under its own name', async () => {
    const runtime = createRuntime();
    const run = runtime.start(toolAgent({ id: 'shop' }), { input: '1+1' });
    await run.result;
    expect((await runtime.list()).map(({ workflow }) => workflow)).toEqual(['shop']);
  });
});

describe('human decisions', () => {
  const pay = () => echo('pay', { effect: 'once', needsApproval: true });

  it('asks about a call with its arguments, and reports a rejection to the model', async () => {
    const tool = pay();
    const { runtime, run, result, model } = await start([calls(['pay', { text: '10' }]), says('not paid')], 'Pay 10', { tools: [tool] });
    expect(result).toMatchObject({ status: 'waiting', interrupt: { question: { tool: 'pay', arguments: { text: '10' } } } });
    if (result.status !== 'waiting' || !result.interrupt) throw new Error('it does not wait');
    const end = await (await runtime.send(run.id, { type: 'REJECT', reason: 'too much' }, { interruptId: result.interrupt.id })).result;
    expect(end).toMatchObject({ status: 'done', output: { answer: 'not paid' } });
    expect(tool.asked).toEqual([]);
    expect(model.requests[1]?.messages.at(-1)?.content).toContain('too much');
  });

  it('resumes in another process', async () => {
    const store = memoryStore();
    const first = await start([calls(['pay', { text: '10' }])], 'Pay 10', { tools: [pay()], store });
    await first.runtime.close();
    const tool = pay();
    const model = scriptedModel([says('paid')]);
    const runtime = createRuntime({ store, workflows: [toolAgent({ model, tools: [tool] })] });
    if (first.result.status !== 'waiting' || !first.result.interrupt) throw new Error('it does not wait');
    const end = await (await runtime.send(first.run.id, { type: 'APPROVE' }, { interruptId: first.result.interrupt.id })).result;
    expect(end).toMatchObject({ status: 'done', output: { answer: 'paid', steps: 1 } });
    expect(tool.asked).toEqual(['10']);
  });

  it('holds external calls after private data was read, also in later turns, until they are granted', async () => {
    const file = textTool('file', async () => 'private', { capabilities: { private: true, untrusted: false, external: false } });
    const web = echo('web', { capabilities: { private: false, untrusted: false, external: true } });
    const store = memoryStore();
    await play([calls(['file', { text: 'a' }]), says('read')], 'read it', { tools: [file, web], store, threadId: 't' });
    const held = await start([calls(['web', { text: 'b' }])], 'look it up', { tools: [file, web], store, threadId: 't' });
    expect(held.result).toMatchObject({ status: 'waiting', interrupt: { question: { tool: 'web' } } });
    await held.runtime.cancel(held.run.id);
    const model = scriptedModel([calls(['web', { text: 'b' }]), says('found')]);
    const run = createRuntime({ store }).start(
      toolAgent({ model, tools: [file, web] }),
      { input: 'look it up' },
      { threadId: 't', grantEgress: true },
    );
    expect(await run.result).toMatchObject({ status: 'done', output: { answer: 'found' } });
    expect(web.asked).toEqual(['b']);
  });
});

describe('stored data', () => {
  it('has questions and answers in the thread, and nothing of a stopped turn', async () => {
    const store = memoryStore();
    await play([says('Hello Ada.')], 'I am Ada.', { store, threadId: 't' });
    await play([{ reply: new Error('dead') }], 'Are you there?', { store, threadId: 't' });
    const played = await play([says('Ada.')], 'Who am I?', { store, threadId: 't' });
    expect(played.requests[0]?.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'I am Ada.'],
      ['assistant', 'Hello Ada.'],
      ['user', 'Who am I?'],
    ]);
  });

  it('has the calls and results of the thread, so that the next question can be about a row', async () => {
    const store = memoryStore();
    const rows = textTool('rows', async () => ({ rows: ['first: Ada', 'second: Grace'] }));
    const turn = (script: Parameters<typeof play>[0], input: string, options: Partial<Parameters<typeof play>[2]> = {}) =>
      play(script, input, { tools: [rows], store, threadId: 't', ...options });
    await turn([calls(['rows', { text: 'people' }, 'call_0']), says('Two rows.')], 'Who is there?');
    const second = await turn([says('Grace.')], 'What is the second row?');
    const asked = second.requests[0]?.messages.slice(1) ?? [];
    expect(asked.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect(asked[2]?.content).toContain('second: Grace');
    const third = await turn([calls(['rows', { text: 'people' }, 'call_0']), says('Two.')], 'And now?');
    expect(third.requests[1]?.messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []))).toHaveLength(2);
    const fourth = await turn([says('Four.')], 'How often did you look?', { threads: { keep: 'answers' } });
    const stored = fourth.requests[0]?.messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
    expect([stored?.length, new Set(stored).size]).toEqual([2, 2]);
  });

  it.each([
    [{ keep: 'all' }, "threads of toolAgent must be an object { keep: 'calls' | 'answers', maxChars }."],
    [{ maxChars: -1 }, 'threads.maxChars'],
  ])('rejects the option threads: %j', (threads, message) => {
    expect(() => toolAgent({ threads } as never)).toThrow(message);
  });

  it('cancels the run and signals the tool when a call is aborted', async () => {
    const tool = held();
    const { runtime, run } = begin([calls(['held', { text: 'x' }])], tool);
    await expect.poll(() => tool.texts()).toEqual(['x']);
    await runtime.cancel(run.id);
    expect((await run.result).status).toBe('cancelled');
    expect(tool.calls[0]?.context.signal.aborted).toBe(true);
  });

  const begin = (script: Parameters<typeof scriptedModel>[0], tool: ReturnType<typeof held>) => {
    const runtime = createRuntime();
    return { runtime, run: runtime.start(toolAgent({ model: scriptedModel(script), tools: [tool] }), { input: 'q' }) };
  };

  it('survives a crash at any write of a run with calls, a repaired answer and an approval, without loss or repetition', async () => {
    const paid: string[] = [];
    const tools = () => [echo(), textTool('pay', async ({ text }) => paid.push(String(text)), { effect: 'once', needsApproval: true })];
    // answers by what it is asked, so that a restart meets the same world
    const model = offlineModel<ToolAgentRuleInputs>({
      'tool_agent.agent': ({ messages }): Json => {
        const called = messages.filter(({ role }) => role === 'tool').length;
        const refused = messages.some(({ role, content }) => role === 'user' && content.startsWith('The model'));
        if (called === 0)
          return {
            toolCalls: [
              { name: 'echo', arguments: { text: 'a' } },
              { name: 'pay', arguments: { text: '10' } },
            ],
          };
        return refused ? { days: 3 } : 'three days';
      },
    });
    const { result, crashes } = await crashResume(
      () => toolAgent({ model, tools: tools(), output: z.strictObject({ days: z.int() }) }),
      { input: 'q' },
      { resolve: () => ({ as: 'done', output: 1 }), compare: (end) => withoutTimes(end) },
    );
    expect(result).toMatchObject({ status: 'done', output: { output: { days: 3 } } });
    expect(crashes).toBeGreaterThan(5);
    expect(new Set(paid)).toEqual(new Set(['10']));
  });
});
