// Settings of a single step, conditions that end a run early, repaired calls, and progress of a call.
import { createRuntime, type Json, type RunEvent } from 'agent-machines';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel, scriptedModel } from 'agent-machines/models';
import { crashResume } from 'agent-machines/testing';
import { calculator, calledTool, costAtMost, defineTool, stepsAtMost } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { echo, textTool } from '../../fixtures/text-tools.ts';
import { withoutTimes } from '../../fixtures/without-times.ts';
import { calls, play, says, start } from './helpers.ts';

const submit = () => textTool('submit', async ({ text }) => ({ ticket: String(text) }));

describe('prepareStep', () => {
  it('chooses model, instructions, tools and tool choice of each step', async () => {
    const large = scriptedModel([says('From the large one.')], { name: 'large' });
    const played = await play([calls(['echo', { text: 'x' }])], 'q', {
      tools: [echo(), calculator()],
      prepareStep: ({ steps }) =>
        steps === 0 ? { activeTools: ['echo'], toolChoice: 'required' } : { model: large, instructions: 'Sum up.', toolChoice: 'none' },
    });
    expect(played.output).toMatchObject({ answer: 'From the large one.', outcome: 'answered', steps: 1 });
    expect(played.requests[0]?.tools?.map(({ name }) => name)).toEqual(['echo']);
    expect(played.requests[0]?.toolChoice).toBe('required');
    expect(large.requests[0]?.messages[0]?.content).toMatch(/^Sum up\./);
    const models = played.events.flatMap((event) => (event.type === 'model-start' ? [event.model] : []));
    expect(models).toEqual(['scripted', 'large']);
  });

  it('reads the context of the run, and the messages so far', async () => {
    const seen: unknown[] = [];
    const agent = toolAgent({
      model: scriptedModel([calls(['calculator', { expression: '1+1' }]), says('2')]),
      context: z.object({ plan: z.string() }),
      prepareStep: (state, { plan }) => {
        seen.push([plan, state.messages.length]);
        return undefined;
      },
    });
    await createRuntime().start(agent, { input: 'q', context: { plan: 'free' } }).result;
    expect(seen).toEqual([
      ['free', 0],
      ['free', 2],
    ]);
  });

  it('answers a call of a tool that is not active with an error, instead of making it', async () => {
    const made: unknown[] = [];
    const secret = textTool('secret', async ({ text }) => made.push(text));
    const played = await play([calls(['secret', { text: 'x' }], ['echo', { text: 'y' }]), says('No.')], 'q', {
      tools: [secret, echo()],
      prepareStep: () => ({ activeTools: ['echo'] }),
    });
    expect(made).toEqual([]);
    const [first, second] = played.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : [])) ?? [];
    expect([first, second]).toEqual([expect.stringContaining('TOOL_UNKNOWN'), 'echo y']);
  });

  it.each<[string, () => never]>([
    ['an unknown tool', () => ({ activeTools: ['calculater'] }) as never],
    ['an unknown setting', () => ({ temperature: 1 }) as never],
    ['a promise', () => Promise.resolve({}) as never],
  ])('stops the run before the model is asked when it returns %s', async (_, prepareStep) => {
    const played = await play([], 'q', { prepareStep });
    expect(played.output).toMatchObject({ outcome: 'stopped', error: { code: 'OPTION_INVALID' } });
  });
});

describe('stopWhen', () => {
  it('ends with the output of the tool, without another model call', async () => {
    const played = await play([calls(['echo', { text: 'a' }], ['submit', { text: 'T-1' }])], 'q', {
      tools: [echo(), submit()],
      stopWhen: [calledTool('submit')],
    });
    expect(played.path).toEqual(['agent', 'tools']);
    expect(played.output).toMatchObject({ outcome: 'stopped-early', answer: '{"ticket":"T-1"}', output: '{"ticket":"T-1"}', steps: 1 });
  });

  it('parses that output by the schema of the answer; one that does not match is null', async () => {
    const options = { tools: [submit()], stopWhen: [calledTool('submit')] };
    const fits = await play([calls(['submit', { text: 'T-1' }])], 'q', { ...options, output: z.object({ ticket: z.string() }) });
    expect(fits.output).toMatchObject({ outcome: 'stopped-early', output: { ticket: 'T-1' } });
    const not = await play([calls(['submit', { text: 'T-1' }])], 'q', { ...options, output: z.object({ ticket: z.number() }) });
    expect(not.output).toMatchObject({ outcome: 'stopped-early', output: null, answer: '{"ticket":"T-1"}' });
  });

  it('does not stop for a call that failed', async () => {
    const broken = textTool('submit', async () => {
      throw new Error('full');
    });
    const played = await play([calls(['submit', { text: 'x' }]), says('It is full.')], 'q', {
      tools: [broken],
      stopWhen: [calledTool('submit')],
    });
    expect(played.output).toMatchObject({ outcome: 'answered', answer: 'It is full.' });
  });

  it('stops after steps, after a cost, and by a condition of its own', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const sum = { ...calls(['calculator', { expression: '1+1' }]), usage };
    const steps = await play([sum, sum], 'q', { stopWhen: [stepsAtMost(2)] });
    expect(steps.output).toMatchObject({ outcome: 'stopped-early', steps: 2, answer: expect.stringContaining('2 steps') });
    const price = { inputPerMillion: 1, outputPerMillion: 1 };
    const cost = await play([sum, sum, sum], 'q', { stopWhen: [costAtMost(3, price)] });
    expect(cost.output).toMatchObject({ outcome: 'stopped-early', steps: 3 });
    const own = await play([sum], 'q', { stopWhen: [({ calls }) => calls.some(({ call }) => call.name === 'calculator')] });
    expect(own.output).toMatchObject({ outcome: 'stopped-early', steps: 1 });
  });

  it('counts the calls before an approval, too', async () => {
    const pay = textTool('pay', async () => ({}), { effect: 'once', needsApproval: true });
    const { runtime, run, result } = await start([calls(['submit', { text: 'T-2' }], ['pay', { text: 'x' }])], 'q', {
      tools: [submit(), pay],
      stopWhen: [calledTool('submit')],
    });
    if (result.status !== 'waiting' || !result.interrupt) throw new Error('it does not wait');
    const end = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: result.interrupt.id })).result;
    expect(end).toMatchObject({ status: 'done', output: { outcome: 'stopped-early', answer: '{"ticket":"T-2"}' } });
  });

  it('ends the same after a crash at any write', async () => {
    const model = () =>
      offlineModel<ToolAgentRuleInputs>({
        'tool_agent.agent': ({ messages }): Json =>
          messages.some(({ role }) => role === 'tool')
            ? ({ toolCalls: [{ id: '2', name: 'submit', arguments: { text: 'end' } }] } as unknown as Json)
            : ({ toolCalls: [{ id: '1', name: 'echo', arguments: { text: 'x' } }] } as unknown as Json),
      });
    const agent = () => toolAgent({ model: model(), tools: [echo(), submit()], stopWhen: [calledTool('submit')] });
    const { crashes, result } = await crashResume(agent, { input: 'q' }, { compare: (end: unknown) => withoutTimes(end) });
    expect(crashes).toBeGreaterThan(4);
    expect(result).toMatchObject({ output: { outcome: 'stopped-early', answer: '{"ticket":"end"}' } });
  });
});

describe('a reply whose calls are all invalid', () => {
  const wrong = calls(['calculator', { term: '1+1' }, 'c1'], ['calculater', { expression: '1+1' }, 'c2']);
  const right = calls(['calculator', { expression: '1+1' }, 'c3']);

  it('is requested again with the errors, and uses up no step', async () => {
    const played = await play([wrong, right, says('2')], 'q', { maxSteps: 1 });
    expect(played.output).toMatchObject({ answer: '2', steps: 1 });
    const errors = played.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? [[one.callId, one.content]] : []));
    expect(errors).toEqual([
      ['c1', expect.stringContaining('TOOL_CALL_INVALID')],
      ['c2', expect.stringContaining('TOOL_UNKNOWN')],
    ]);
    expect(played.path).toEqual(['agent', 'tools', 'agent']);
  });

  it('is a step like any other the second time, or without repairs', async () => {
    const twice = await play([wrong, wrong, says('I cannot.')], 'q');
    expect(twice.output).toMatchObject({ answer: 'I cannot.', steps: 1 });
    const none = await play([wrong, says('I cannot.')], 'q', { maxRepairs: 0 });
    expect(none.output).toMatchObject({ answer: 'I cannot.', steps: 1 });
  });
});

describe('progress of a call', () => {
  it('is a live event with the ids of run and thread, and is not stored', async () => {
    const seen: unknown[] = [];
    const late: (() => void)[] = [];
    const slow = defineTool({
      name: 'slow',
      description: 'Works.',
      access: 'compute',
      input: z.strictObject({}),
      execute: async (_args, { emit, threadId, runId }) => {
        seen.push({ threadId, runId });
        emit?.({ percent: 40 });
        emit?.({ percent: 41 }); // too fast
        expect(() => emit?.('x'.repeat(10_000))).toThrowError(expect.objectContaining({ code: 'OUTPUT_TOO_LARGE' }));
        late.push(() => emit?.({ percent: 100 }));
        return 'done';
      },
    });
    const agent = toolAgent({ model: scriptedModel([calls(['slow', {}]), says('ok')]), tools: [slow] });
    const runtime = createRuntime();
    const run = runtime.start(agent, { input: 'q' }, { threadId: 't' });
    const events: RunEvent[] = [];
    for await (const event of run.events()) {
      events.push(event);
      if (event.type === 'tool-end') for (const emit of late.splice(0)) emit();
    }
    expect(seen).toEqual([{ threadId: 't', runId: run.id }]);
    const custom = events.flatMap((event) => (event.type === 'custom' ? [[event.name, event.data]] : []));
    expect(custom).toEqual([['tool-progress', { callId: 'call_0', tool: 'slow', data: { percent: 40 } }]]);
    const stored = (await runtime.history(run.id)).flatMap((entry) => entry.events);
    expect(stored.some(({ type }) => type === 'custom')).toBe(false);
  });
});
