// A step that a human has to approve waits; what was approved is done once, what was not is never done.
import { createRuntime, memoryStore } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { offlineModel } from 'agent-machines/models';
import { crashingStore } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { begin, failing, intent, type Reply, textTool } from './helpers.ts';

const pay = (needsApproval: NonNullable<Parameters<typeof textTool>[2]>['needsApproval'] = true) =>
  textTool('pay', (text) => `paid ${text}`, { effect: 'once', needsApproval });
const look = () => textTool('look', (text) => `saw ${text}`);
const planned = (...steps: readonly object[]): readonly Reply[] => [{ reply: intent(true) }, { reply: { steps } }];
const answer: Reply = { reply: 'done' };
const payStep = { step_id: 1, tool: 'pay', input: '10' };

describe('a step that needs approval', () => {
  it('is shown with its exact arguments, and runs after approval', async () => {
    const tool = pay();
    const session = await begin([...planned(payStep), answer], [tool]);
    expect(session.question()).toEqual({
      tool: 'pay',
      arguments: { text: '10' },
      reason: '"pay" waits for approval: the tool requires it.',
      notice: null,
      more: 0,
      calls: [{ key: 'step_1', tool: 'pay', arguments: { text: '10' }, reason: expect.any(String), notice: null }],
    });
    expect(tool.asked).toEqual([]);
    await session.send({ type: 'APPROVE' });
    expect(session.end().output.pastSteps).toMatchObject([{ status: 'success', output: 'paid 10' }]);
    expect(tool.asked).toEqual(['10']);
  });

  it('delays only the steps that need its output', async () => {
    const [tool, other] = [pay(), look()];
    const steps = [payStep, { step_id: 2, tool: 'look', input_from: 'step_1' }, { step_id: 3, tool: 'look', input: 'b' }];
    const session = await begin([...planned(...steps), answer], [tool, other]);
    expect([tool.asked, other.asked]).toEqual([[], ['b']]);
    await session.send({ type: 'APPROVE' });
    expect(session.end().output.pastSteps.map(({ step, output }) => [step.step_id, output])).toEqual([
      [3, 'saw b'],
      [1, 'paid 10'],
      [2, 'saw paid 10'],
    ]);
    expect([tool.asked, other.asked]).toEqual([['10'], ['b', 'paid 10']]);
  });

  it("runs with the arguments of a human's edit", async () => {
    const tool = pay();
    const steps = [
      { step_id: 1, tool: 'look', input: 'a' },
      { step_id: 2, tool: 'pay', input_from: 'step_1' },
      { step_id: 3, tool: 'look', input_from: 'step_2' },
    ];
    const session = await begin([...planned(...steps), answer], [tool, look()]);
    expect(session.question()).toMatchObject({ arguments: { text: 'saw a' } });
    await session.send({ type: 'EDIT', arguments: { text: '5' } });
    expect(session.end().output.pastSteps.map(({ output }) => output)).toEqual(['saw a', 'paid 5', 'saw paid 5']);
    expect(tool.asked).toEqual(['5']);
  });

  it('is asked about again after an edit that does not fit, and dependent steps wait', async () => {
    const [tool, other] = [pay(), look()];
    const steps = [payStep, { step_id: 2, tool: 'look', input_from: 'step_1' }, { step_id: 3, tool: 'look', input_from: 'step_2' }];
    const session = await begin([...planned(...steps), answer], [tool, other]);
    await session.send({ type: 'EDIT', arguments: { text: 5, more: 1 } });
    expect(session.question()).toMatchObject({ arguments: { text: '10' }, notice: expect.stringContaining('/steps/0/input') });
    expect([tool.asked, other.asked]).toEqual([[], []]);
    await session.send({ type: 'APPROVE' });
    expect(tool.asked).toEqual(['10']);
    expect(session.end().finalState).toBe('done');
  });

  it('fails when it is rejected, and the replanner gets the reason', async () => {
    const tool = pay();
    const replan = { steps: [{ step_id: 2, tool: 'look', input: 'instead' }] };
    const session = await begin([...planned(payStep), { reply: replan }, answer], [tool, look()]);
    await session.send({ type: 'REJECT', reason: 'too much' });
    expect(session.end().output.pastSteps).toMatchObject([
      { status: 'failure', attempts: 0, error: { code: 'CALL_REJECTED', message: 'A human rejected the call of "pay": too much.' } },
      { status: 'success', output: 'saw instead' },
    ]);
    expect(JSON.stringify(session.model.requests[2]?.messages)).toContain('too much');
    expect(tool.asked).toEqual([]);
  });

  it('is asked about one at a time, with a decision for each', async () => {
    const tool = pay();
    const steps = ['1', '2', '3'].map((input, index) => ({ step_id: index + 1, tool: 'pay', input }));
    const session = await begin([...planned(...steps), { reply: { steps: [] } }], [tool]);
    expect(session.question()).toMatchObject({ arguments: { text: '1' }, more: 2 });
    await session.send({ type: 'APPROVE' });
    expect(session.question()).toMatchObject({ arguments: { text: '2' }, more: 1 });
    await session.send({ type: 'REJECT', reason: 'no' });
    expect(tool.asked).toEqual([]);
    expect(session.question()).toMatchObject({ arguments: { text: '3' }, more: 0 });
    await session.send({ type: 'EDIT', arguments: { text: '30' } });
    expect(tool.asked).toEqual(['1', '30']);
    expect(session.end().output.pastSteps.map(({ status }) => status)).toEqual(['success', 'failure', 'success']);
  });

  it('is asked about again for an equal call of a later plan', async () => {
    const tool = textTool('pay', failing('declined'), { effect: 'once', needsApproval: true });
    const replan = { steps: [{ step_id: 2, tool: 'pay', input: '10' }] };
    const session = await begin([...planned(payStep), { reply: replan }], [tool]);
    const first = session.interrupt();
    await session.send({ type: 'APPROVE' });
    expect(tool.asked).toEqual(['10']);
    const second = session.interrupt();
    expect(second.question).toMatchObject({ tool: 'pay', arguments: { text: '10' }, more: 0 });
    expect(second.id).not.toBe(first.id);
    await expect(session.runtime.send(session.runId, { type: 'APPROVE' }, { interruptId: first.id })).resolves.toBeDefined();
    expect(tool.asked).toEqual(['10']);
  });

  it.each([
    ['free text', { type: 'yes' }, 'EVENT_NOT_ACCEPTED'],
    ['an approval of other arguments', { type: 'APPROVE', arguments: { text: '11' } }, 'EVENT_INVALID'],
    ['an edit without arguments', { type: 'EDIT' }, 'EVENT_INVALID'],
    ['an edit of the tool', { type: 'EDIT', arguments: { text: '1' }, tool: 'look' }, 'EVENT_INVALID'],
    ['a rejection without a reason', { type: 'REJECT', reason: ' ' }, 'EVENT_INVALID'],
  ])('rejects %s as an answer', async (_, event, code) => {
    const tool = pay();
    const session = await begin(planned(payStep), [tool]);
    const { id } = session.interrupt();
    await expect(session.send(event)).rejects.toMatchObject({ code });
    expect([session.interrupt().id, tool.asked]).toEqual([id, []]);
  });

  it('rejects an approval of another question', async () => {
    const tool = pay();
    const session = await begin(planned(payStep), [tool]);
    const other = await begin(planned(payStep), [pay()]);
    await expect(session.send({ type: 'APPROVE' }, other.interrupt().id)).rejects.toMatchObject({ code: 'INTERRUPT_UNKNOWN' });
    expect(tool.asked).toEqual([]);
  });

  it('keeps the audit trail in plan order, in one wave or step by step', async () => {
    for (const execution of ['auto', 'sequential'] as const) {
      const tool = pay();
      const steps = [
        { step_id: 1, tool: 'look', input: 'a' },
        { ...payStep, step_id: 2 },
        { step_id: 3, tool: 'look', input: 'b' },
      ];
      const session = await begin([...planned(...steps), answer], [tool, look()], { execution });
      await session.send({ type: 'APPROVE' });
      expect(session.end().output.pastSteps.filter(({ status }) => status === 'success')).toHaveLength(3);
      expect(tool.asked).toEqual(['10']);
    }
  });
});

describe('a crashed process', () => {
  const model = offlineModel({
    'plan_execute.intent_classifier': () => intent(true),
    'plan_execute.planner': () => ({
      steps: [
        { step_id: 1, tool: 'look', input: 'a' },
        { ...payStep, step_id: 2 },
      ],
    }),
    'plan_execute.replanner': () => ({ steps: [] }),
    'plan_execute.final_answer': () => 'done',
  });

  it.each([
    ['approved', { type: 'APPROVE' }, ['10']],
    ['edited', { type: 'EDIT', arguments: { text: '5' } }, ['5']],
    ['rejected', { type: 'REJECT', reason: 'no' }, []],
  ] as const)(
    'makes a call that is %s exactly as often as decided, and never before, after a crash at any write',
    async (_, event, expected) => {
      let crashes = 0;
      for (let at = 1; ; at++) {
        const tool = pay();
        const store = memoryStore();
        const dying = crashingStore(store, at);
        const workflow = planExecute({ model, tools: [look(), tool] });
        const first = createRuntime({ store: dying, workflows: [workflow] });
        const run = first.start(workflow, { input: 'q' });
        const shown = await run.result.catch(() => undefined);
        expect(tool.asked).toEqual([]);
        if (shown?.status === 'waiting' && shown.interrupt) {
          const sent = first.send(run.id, event, { interruptId: shown.interrupt.id }).then(({ result }) => result);
          await sent.catch(() => undefined);
        }
        if (!dying.crashed) {
          expect(tool.asked).toEqual(expected);
          break;
        }
        crashes++;
        const second = createRuntime({ store, workflows: [workflow] });
        if ((await second.list()).length === 0) continue; // it died before there was a run
        let result = await (await second.resume(run.id, { force: true })).result;
        if (result.status === 'waiting' && result.interrupt) {
          expect(tool.asked).toEqual([]);
          result = await (await second.send(run.id, event, { interruptId: result.interrupt.id })).result;
        }
        if (result.status === 'in_doubt') {
          expect(tool.asked.length).toBeLessThanOrEqual(1); // it may have been made, and is not made again
          const [call] = result.calls;
          const as = tool.asked.length === 1 ? ({ as: 'done', output: 'paid' } as const) : ({ as: 'retry' } as const);
          result = await (await second.resolve(run.id, call?.callId ?? '', as)).result;
        }
        expect(tool.asked).toEqual(expected);
        expect(['done', 'failed']).toContain(result.status);
      }
      expect(crashes).toBeGreaterThan(8);
    },
  );
});

describe('needsApproval', () => {
  it('decides by the arguments, and asks when it throws or returns anything but false', async () => {
    const cases: readonly (readonly [ReturnType<typeof pay>, boolean])[] = [
      [pay(({ text }) => Number(text) > 5), true],
      [pay(({ text }) => Number(text) > 50), false],
      [pay(async () => false), false],
      [pay(() => undefined as never), true],
      [
        pay(() => {
          throw new Error('no idea');
        }),
        true,
      ],
      [pay(false), false],
    ];
    for (const [tool, waits] of cases) {
      const session = await begin([...planned(payStep), ...(waits ? [] : [answer])], [tool]);
      expect([session.result().status, tool.asked]).toEqual(waits ? ['waiting', []] : ['done', ['10']]);
    }
  });

  it('is not lifted by a grant', async () => {
    const session = await begin(planned(payStep), [pay()], { allowEgress: true, grantEgress: true });
    expect(session.result().status).toBe('waiting');
  });

  it('gets the arguments without the power to change them', async () => {
    const tool = pay((args) => {
      (args as { text: string }).text = '0';
      return true;
    });
    const session = await begin([...planned(payStep), answer], [tool]);
    expect(session.question()).toMatchObject({ arguments: { text: '10' } });
    await session.send({ type: 'APPROVE' });
    expect(tool.asked).toEqual(['10']);
  });
});
