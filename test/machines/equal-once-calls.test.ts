// Equal `once` calls of one reply, or of one plan: one question, one call, and each gets the result.
import { createRuntime, type HumanEvent, memoryStore, type RunResult, type Runtime, type Workflow } from 'agent-machines';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { crashingStore } from 'agent-machines/testing';
import { executePlan, parsePlan } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { callEnd } from '../fixtures/call-end.ts';
import { echo } from '../fixtures/text-tools.ts';

type Pay = ReturnType<typeof echo>;
const texts = ['10', '10', '20'];

const machines = {
  'tool-agent': (pay: Pay): Workflow<never, never, unknown> =>
    toolAgent({
      tools: [pay],
      model: offlineModel({
        'tool_agent.agent': ({ messages }) => {
          const answers = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
          if (answers.length > 0) return answers.join(' | ');
          return { toolCalls: texts.map((text) => ({ name: 'pay', arguments: { text } })) };
        },
      }),
    }) as never,
  'plan-execute': (pay: Pay): Workflow<never, never, unknown> =>
    planExecute({
      tools: [pay],
      model: offlineModel({
        'plan_execute.intent_classifier': () => ({ intent: 'new_question', rewritten_query: 'q', needs_tool: true, constraints: null }),
        'plan_execute.planner': () => ({ steps: texts.map((input, index) => ({ step_id: index + 1, tool: 'pay', input })) }),
        'plan_execute.replanner': () => ({ steps: [] }),
        'plan_execute.final_answer': ({ messages }) => String((messages.at(-1)?.content ?? '').match(/pay \d+/g)?.join(' | ')),
      }),
    }) as never,
  'plan-execute, one step after the other': (pay: Pay): Workflow<never, never, unknown> =>
    planExecute({
      tools: [pay],
      execution: 'sequential',
      model: offlineModel({
        'plan_execute.intent_classifier': () => ({ intent: 'new_question', rewritten_query: 'q', needs_tool: true, constraints: null }),
        'plan_execute.planner': () => ({ steps: ['10', '10'].map((input, index) => ({ step_id: index + 1, tool: 'pay', input })) }),
        'plan_execute.final_answer': ({ messages }) => String((messages.at(-1)?.content ?? '').match(/pay \d+/g)?.join(' | ')),
      }),
    }) as never,
} as const;
const pay = (more = {}): Pay => echo('pay', { effect: 'once', needsApproval: true, ...more });

/** Answers each question about a call. @returns the arguments that were asked about. */
async function answer(runtime: Runtime, runId: string, first: RunResult<unknown>, event: HumanEvent = { type: 'APPROVE' }) {
  const asked: string[] = [];
  let result = first;
  while (result.status === 'waiting' && result.interrupt) {
    const { id, question } = result.interrupt;
    asked.push((question as { readonly arguments: { readonly text: string } }).arguments.text);
    result = await (await runtime.send(runId, event, { interruptId: id })).result;
  }
  return { asked, result };
}

describe.each(['tool-agent', 'plan-execute'] as const)('equal once calls in %s', (name) => {
  it('are asked about and made once, and share the result', async () => {
    const tool = pay();
    const runtime = createRuntime();
    const run = runtime.start(machines[name](tool), { input: 'q' } as never);
    const { asked, result } = await answer(runtime, run.id, await run.result);
    expect([asked, tool.asked]).toEqual([
      ['10', '20'],
      ['10', '20'],
    ]);
    expect(result).toMatchObject({ output: { answer: expect.stringMatching(/pay 10 \| pay 10 \| pay 20/) } });
  });

  it('are made once without approval', async () => {
    const tool = pay({ needsApproval: false });
    await createRuntime().start(machines[name](tool), { input: 'q' } as never).result;
    expect(tool.asked).toEqual(['10', '20']);
  });

  it('are edited together and rejected together', async () => {
    const tool = pay();
    const runtime = createRuntime();
    const workflow = machines[name](tool);
    const edited = runtime.start(workflow, { input: 'q' } as never);
    const { asked } = await answer(runtime, edited.id, await edited.result, { type: 'EDIT', arguments: { text: '5' } });
    expect([asked, tool.asked]).toEqual([['10', '20'], ['5']]);
    const rejected = runtime.start(workflow, { input: 'q' } as never);
    const end = await answer(runtime, rejected.id, await rejected.result, { type: 'REJECT', reason: 'no' });
    expect([end.asked, tool.asked]).toEqual([['10', '20'], ['5']]);
  });

  it('are asked about and made once after a crash at any write', async () => {
    for (let at = 1; ; at++) {
      const tool = pay();
      const workflow = machines[name](tool);
      const store = memoryStore();
      const dying = crashingStore(store, at);
      const first = createRuntime({ store: dying, workflows: [workflow] });
      const run = first.start(workflow, { input: 'q' } as never);
      await run.result.then((result) => answer(first, run.id, result)).catch(() => undefined);
      if (!dying.crashed) break;
      const second = createRuntime({ store, workflows: [workflow] });
      if ((await second.list()).length === 0) continue; // it died before there was a run
      let { result } = await answer(second, run.id, await (await second.resume(run.id, { force: true })).result);
      while (result.status === 'in_doubt') {
        const [call] = result.calls;
        const { args } = (call?.describe ?? {}) as { readonly args?: { readonly text: string } };
        const text = args?.text ?? '';
        const as = tool.asked.includes(text) ? ({ as: 'done', output: `pay ${text}` } as const) : ({ as: 'retry' } as const);
        ({ result } = await answer(second, run.id, await (await second.resolve(run.id, call?.callId ?? '', as)).result));
      }
      expect([at, tool.asked]).toEqual([at, ['10', '20']]);
      expect(result).toMatchObject({ output: { answer: expect.stringMatching(/pay 10 \| pay 10 \| pay 20/) } });
    }
  });
});

it('makes an equal call once in a plan with sequential steps', async () => {
  const tool = pay();
  const runtime = createRuntime();
  const run = runtime.start(machines['plan-execute, one step after the other'](tool), { input: 'q' } as never);
  const { asked, result } = await answer(runtime, run.id, await run.result);
  expect([asked, tool.asked, result.status]).toEqual([['10'], ['10'], 'done']);
});

it('makes an equal call once beside an earlier step with an effect', async () => {
  const [tool, add] = [pay(), echo('add', { effect: 'idempotent' })];
  const tools = [tool, add];
  const steps = [
    { step_id: 1, tool: 'add', input: 'a' },
    { step_id: 2, tool: 'pay', input: '10' },
    { step_id: 3, tool: 'pay', input: '10' },
  ];
  const first = await executePlan(parsePlan({ steps }, { tools }), { tools });
  const approved = first.held.map(({ signature }) => signature);
  const rest = { steps: first.remaining.map((step) => ({ ...step })) };
  const second = await executePlan(parsePlan(rest, { tools, completed: [{ step_id: 1, status: 'success' }] }), { tools, approved });
  expect([approved.length, second.results.map(callEnd), tool.asked]).toEqual([1, ['pay 10', 'pay 10'], ['10']]);
});
