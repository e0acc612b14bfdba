// Several waiting calls in one question: decided together, by half, or one by one.
import { createRuntime, type HumanEvent, type Interrupt, type Json, memoryStore } from 'agent-machines';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel, scriptedModel } from 'agent-machines/models';
import { crashResume } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { textTool } from '../fixtures/text-tools.ts';
import { withoutTimes } from '../fixtures/without-times.ts';
import { calls, says } from './tool-agent/helpers.ts';

const begin = async (texts: readonly string[] = ['a', 'b', 'c'], replies = [says('Done.')]) => {
  const paid: string[] = [];
  const pay = textTool('pay', async ({ text }) => paid.push(String(text)), { effect: 'once', needsApproval: true });
  const model = scriptedModel([calls(...texts.map((text) => ['pay', { text }] as const)), ...replies]);
  const agent = toolAgent({ model, tools: [pay] });
  const runtime = createRuntime({ store: memoryStore(), workflows: [agent] });
  const run = runtime.start(agent, { input: 'pay' });
  const result = await run.result;
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(JSON.stringify(result));
  const send = async (event: HumanEvent, interrupt: Interrupt) =>
    (await runtime.send(run.id, event as never, { interruptId: interrupt.id })).result;
  return { paid, model, runtime, run, interrupt: result.interrupt, send };
};

describe('several held calls', () => {
  it('stand in one question, with their keys', async () => {
    const { interrupt } = await begin();
    expect(interrupt.accepts).toContain('DECIDE');
    expect(interrupt.question).toMatchObject({
      tool: 'pay',
      arguments: { text: 'a' },
      more: 2,
      calls: ['a', 'b', 'c'].map((text, index) => ({ key: `call_${index}`, tool: 'pay', arguments: { text }, notice: null })),
    });
  });

  it('are decided together: approved, rejected and edited ones in one answer', async () => {
    const { paid, model, interrupt, send } = await begin();
    const decisions = { call_0: 'approve', call_1: { reject: 'too much' }, call_2: { arguments: { text: 'z' } } };
    expect(await send({ type: 'DECIDE', decisions }, interrupt)).toMatchObject({ status: 'done', output: { answer: 'Done.' } });
    expect(paid).toEqual(['a', 'z']);
    const said = model.requests[1]?.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []));
    expect(said).toEqual(['1', expect.stringContaining('too much'), '2']);
  });

  it.each<[string, Json]>([
    ['leaves out a call', { call_0: 'approve', call_1: 'approve' }],
    ['names a call that was not shown', { call_0: 'approve', call_1: 'approve', call_2: 'approve', call_3: 'approve' }],
    ['names another call instead', { call_0: 'approve', call_1: 'approve', call_9: 'approve' }],
  ])('are not decided by an answer that %s: nothing changes', async (_, decisions) => {
    const { paid, runtime, run, interrupt, send } = await begin();
    await expect(send({ type: 'DECIDE', decisions }, interrupt)).rejects.toThrowError(
      expect.objectContaining({ code: 'EVENT_NOT_ACCEPTED' }),
    );
    const stored = (await runtime.history(run.id)).filter(({ kind }) => kind === 'event');
    expect([paid, stored]).toEqual([[], []]);
    // the question is still open
    const rest = { call_0: { reject: 'no' }, call_1: { reject: 'no' }, call_2: { reject: 'no' } };
    expect(await send({ type: 'DECIDE', decisions: rest }, interrupt)).toMatchObject({ status: 'done' });
  });

  it.each<[Json, string]>([
    [{}, 'decisions'],
    [[], 'decisions'],
    [{ call_0: 'yes' }, 'call_0'],
    [{ call_0: true }, 'call_0'],
    [{ call_0: { reject: '  ' } }, 'reject'],
    [{ call_0: { reject: 'no', arguments: {} } }, 'call_0'],
    [{ call_0: { arguments: [] } }, 'arguments'],
    [{ call_0: null }, 'call_0'],
  ])('reject the decisions %j', async (decisions, place) => {
    const { interrupt, send } = await begin(['a']);
    await expect(send({ type: 'DECIDE', decisions }, interrupt)).rejects.toThrowError(
      expect.objectContaining({ code: 'EVENT_INVALID', message: expect.stringContaining(place) }),
    );
  });

  it('are decided together after one of them was decided alone', async () => {
    const { paid, runtime, run, interrupt, send } = await begin();
    const next = await send({ type: 'APPROVE' }, interrupt);
    if (next.status !== 'waiting' || !next.interrupt) throw new Error(JSON.stringify(next));
    expect(next.interrupt.question).toMatchObject({ more: 1, calls: [{ key: 'call_1' }, { key: 'call_2' }] });
    const old = { call_0: 'approve', call_1: 'approve', call_2: 'approve' };
    await expect(send({ type: 'DECIDE', decisions: old }, interrupt)).rejects.toThrowError(
      expect.objectContaining({ code: 'INTERRUPT_ANSWERED' }),
    );
    expect(await send({ type: 'DECIDE', decisions: { call_1: { reject: 'no' }, call_2: 'approve' } }, next.interrupt)).toMatchObject({
      status: 'done',
    });
    expect([paid, (await runtime.get(run.id)).status]).toEqual([['a', 'c'], 'done']);
  });

  it('are asked about again where an edit does not fit, and the other decisions are kept', async () => {
    const { paid, interrupt, send } = await begin(['a', 'b']);
    const again = await send({ type: 'DECIDE', decisions: { call_0: 'approve', call_1: { arguments: { words: 1 } } } }, interrupt);
    if (again.status !== 'waiting' || !again.interrupt) throw new Error(JSON.stringify(again));
    expect(again.interrupt.question).toMatchObject({ calls: [{ key: 'call_1', notice: expect.stringContaining('text') }] });
    expect(paid).toEqual([]);
    expect(await send({ type: 'DECIDE', decisions: { call_1: 'approve' } }, again.interrupt)).toMatchObject({ status: 'done' });
    expect(paid).toEqual(['a', 'b']);
  });

  it('end the same after a crash at any write', async () => {
    const paid: string[] = [];
    const pay = () => textTool('pay', async ({ text }) => paid.push(String(text)), { effect: 'once', needsApproval: true });
    const model = () =>
      offlineModel<ToolAgentRuleInputs>({
        'tool_agent.agent': ({ messages }): Json =>
          messages.some(({ role }) => role === 'tool')
            ? 'Done.'
            : ({
                toolCalls: ['a', 'b'].map((text, index) => ({ id: `${index}`, name: 'pay', arguments: { text } })),
              } as unknown as Json),
      });
    const { crashes, result } = await crashResume(
      () => toolAgent({ model: model(), tools: [pay()] }),
      { input: 'q' },
      {
        compare: (end: unknown) => withoutTimes(end),
        answer: () => ({ type: 'DECIDE', decisions: { call_0: 'approve', call_1: { reject: 'no' } } }),
        resolve: () => ({ as: 'done', output: 1 }) as const,
      },
    );
    expect(crashes).toBeGreaterThan(5);
    expect(result).toMatchObject({ output: { answer: 'Done.' } });
    expect(new Set(paid)).toEqual(new Set(['a']));
  });
});
