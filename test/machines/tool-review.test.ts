// What a human has said to a call counts once, for these arguments, in this run: whenever the process dies, and whoever forks it.
import { createRuntime, type HumanEvent, memoryStore, type RunResult, type Runtime, type Workflow } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { type GuideAgentRuleInputs, guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { crashingStore } from 'agent-machines/testing';
import { describe, expect, it } from 'vitest';
import { echo } from '../fixtures/text-tools.ts';
import { knowledge } from './guide-agent/helpers.ts';

const called = (messages: readonly { readonly role: string }[]): boolean => messages.some(({ role }) => role === 'tool');
const threeCalls = {
  toolCalls: [
    { name: 'look', arguments: { text: 'a' } },
    { name: 'pay', arguments: { text: '10' } },
    { name: 'note', arguments: { text: 'paid' } },
  ],
};

const machines = {
  'chat-agent': {
    node: 'tools',
    make: (tools: ReturnType<typeof echo>[]): Workflow<never, never, unknown> =>
      chatAgent({
        tools,
        model: offlineModel({
          'chat_agent.router': () => ({ route: 'agent', reason: '' }),
          'chat_agent.agent': ({ messages }) => (called(messages) ? 'done' : threeCalls),
        }),
      }) as never,
  },
  'tool-agent': {
    node: 'tools',
    make: (tools: ReturnType<typeof echo>[]): Workflow<never, never, unknown> =>
      toolAgent({
        tools,
        model: offlineModel({ 'tool_agent.agent': ({ messages }) => (called(messages) ? 'done' : threeCalls) }),
      }) as never,
  },
  'guide-agent': {
    node: 'tool_executor',
    make: (tools: ReturnType<typeof echo>[]): Workflow<never, never, unknown> =>
      guideAgent({
        tools,
        knowledge,
        model: offlineModel<GuideAgentRuleInputs>({
          'guide_agent.llm_router': () => ({ is_complex_task: true, reason: '' }),
          'guide_agent.planning_node': () => ({ sub_tasks: ['대본 쓰기', '자막 넣기'] }),
          'guide_agent.recommend_tool_node': ({ messages, ruleInput }) =>
            ruleInput.currentTask === 0 && !called(messages) ? threeCalls : 'nothing that could be read',
          'guide_agent.guide_generation_node': () => 'guide',
          'guide_agent.reflection_node': () => ({ memories: [] }),
        }),
      }) as never,
  },
  'plan-execute': {
    node: 'executor',
    make: (tools: ReturnType<typeof echo>[]): Workflow<never, never, unknown> =>
      planExecute({
        tools,
        model: offlineModel({
          'plan_execute.intent_classifier': () => ({ intent: 'new_question', rewritten_query: 'q', needs_tool: true, constraints: null }),
          'plan_execute.planner': () => ({
            steps: [
              { step_id: 1, tool: 'look', input: 'a' },
              { step_id: 2, tool: 'pay', input: '10' },
              { step_id: 3, tool: 'note', input: 'paid' },
            ],
          }),
          'plan_execute.replanner': () => ({ steps: [] }),
          'plan_execute.final_answer': () => 'done',
        }),
      }) as never,
  },
} as const;

const names = ['chat-agent', 'tool-agent', 'guide-agent', 'plan-execute'] as const;
const answers = [
  ['approved', { type: 'APPROVE' }, ['10']],
  ['edited', { type: 'EDIT', arguments: { text: '5' } }, ['5']],
  ['rejected', { type: 'REJECT', reason: 'no' }, []],
] as const satisfies readonly (readonly [string, HumanEvent, readonly string[]])[];
const table = names.flatMap((name) => answers.map(([how, event, expected]) => [name, how, event, expected] as const));

/** Must not be done before `pay` is decided; of a plan whose payment is rejected it is dropped. */
const note = () => echo('note', { effect: 'once' });
const pay = () => echo('pay', { effect: 'once', needsApproval: true });

/** guide-agent has read its catalogue, so that `note` waits, too, and is answered like `pay`. */
function notedBy(name: (typeof names)[number], event: (typeof answers)[number][1]): readonly string[] {
  if (event.type === 'REJECT') return name === 'plan-execute' || name === 'guide-agent' ? [] : ['paid'];
  return event.type === 'EDIT' && name === 'guide-agent' ? [event.arguments.text] : ['paid'];
}

/** Says yes to every plan, and this to every call, until nothing is asked any more. */
async function answer(runtime: Runtime, runId: string, first: RunResult<unknown>, event: HumanEvent): Promise<RunResult<unknown>> {
  let result = first;
  while (result.status === 'waiting' && result.interrupt) {
    const { id, key } = result.interrupt;
    const said: HumanEvent = key.startsWith('human_review') ? { type: 'APPROVE' } : event;
    result = await (await runtime.send(runId, said, { interruptId: id })).result;
  }
  return result;
}

describe('a process that dies before any write', () => {
  it.each(table)('makes a call of %s that is %s exactly as often as decided', async (name, _, event, expected) => {
    const inDoubt: number[] = [];
    const noted = notedBy(name, event);
    let crashes = 0;
    for (let at = 1; ; at++) {
      const [tool, after] = [pay(), note()];
      const workflow = machines[name].make([echo('look'), tool, after]);
      const store = memoryStore();
      const dying = crashingStore(store, at);
      const first = createRuntime({ store: dying, workflows: [workflow] });
      const run = first.start(workflow, { input: 'q' } as never);
      await run.result.then((result) => answer(first, run.id, result, event)).catch(() => undefined);
      if (!dying.crashed) {
        expect([tool.asked, after.asked]).toEqual([expected, noted]);
        break;
      }
      crashes++;
      const second = createRuntime({ store, workflows: [workflow] });
      if ((await second.list()).length === 0) continue; // it died before there was a run
      let result = await answer(second, run.id, await (await second.resume(run.id, { force: true })).result, event);
      if (result.status === 'in_doubt') {
        inDoubt.push(at);
        const [call] = result.calls;
        const { tool: doubted } = (call?.describe ?? {}) as { readonly tool?: string };
        const made = doubted === 'pay' ? tool.asked : after.asked;
        const as = made.length === 1 ? ({ as: 'done', output: 'done' } as const) : ({ as: 'retry' } as const);
        result = await answer(second, run.id, await (await second.resolve(run.id, call?.callId ?? '', as)).result, event);
      }
      expect([at, tool.asked, after.asked]).toEqual([at, expected, noted]);
      expect(['done', 'failed']).toContain(result.status);
    }
    expect(crashes).toBeGreaterThan(8);
    expect(inDoubt.length).toBe(expected.length + noted.length); // between the intention and the outcome, and nowhere else
  });
});

describe('a tool that has changed since the question', () => {
  const both = names.flatMap((name) => [[name, answers[0][1], '10'] as const, [name, answers[1][1], '5'] as const]);
  it.each(both)('is asked about again by %s: %j', async (name, event, called) => {
    const store = memoryStore();
    const before = pay();
    const after = echo('pay', { effect: 'once', needsApproval: true, description: 'Pays twice.' });
    const first = createRuntime({ store });
    const run = first.start(machines[name].make([echo('look'), before, note()]), { input: 'q' } as never);
    const plans = async (runtime: Runtime, result: RunResult<unknown>): Promise<RunResult<unknown>> => {
      if (result.status !== 'waiting' || !result.interrupt?.key.startsWith('human_review')) return result;
      const { id } = result.interrupt;
      return plans(runtime, await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: id })).result);
    };
    const asked = await plans(first, await run.result);
    await first.close();
    const runtime = createRuntime({ store, workflows: [machines[name].make([echo('look'), after, note()])] });
    const interruptId = asked.status === 'waiting' ? (asked.interrupt?.id ?? '') : '';
    let result = await (await runtime.send(run.id, event, { interruptId })).result;
    const questions: unknown[] = [];
    while (result.status === 'waiting' && result.interrupt && after.asked.length === 0) {
      questions.push((result.interrupt.question as { readonly tool: string }).tool);
      result = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: result.interrupt.id })).result;
    }
    expect(questions).toContain('pay');
    expect([before.asked, after.asked]).toEqual([[], [called]]);
  });
});

describe('a fork after an answer', () => {
  it.each(names)('of %s asks again, because an approval belongs to one run', async (name) => {
    for (const [, event, expected] of answers) {
      const tool = pay();
      const workflow = machines[name].make([echo('look'), tool, note()]);
      const runtime = createRuntime({ workflows: [workflow] });
      const run = runtime.start(workflow, { input: 'q' } as never);
      await answer(runtime, run.id, await run.result, event);
      expect(tool.asked).toEqual(expected);
      const fork = await runtime.fork(run.id, { at: `${machines[name].node}#2`, repeatOnce: true });
      const result = await fork.result;
      if (event.type === 'REJECT') {
        expect(result).toMatchObject({ status: expect.stringMatching(/done|failed/) });
        continue; // what was rejected stays rejected
      }
      expect(result).toMatchObject({ status: 'waiting', interrupt: { question: { tool: 'pay', arguments: { text: expected[0] } } } });
      expect(tool.asked).toEqual(expected);
      await answer(runtime, fork.id, result, { type: 'APPROVE' });
      expect(tool.asked).toEqual([...expected, ...expected]);
    }
  });
});

describe('a rejected edit', () => {
  it.each(names)('of %s keeps every call waiting until the decision', async (name) => {
    const wipe = echo('look', { effect: 'once', needsApproval: true });
    const tool = pay();
    const workflow = machines[name].make([wipe, tool, note()]);
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' } as never);
    let result = await run.result;
    const send = async (event: HumanEvent) => {
      if (result.status !== 'waiting' || !result.interrupt) throw new Error(JSON.stringify(result));
      result = await (await runtime.send(run.id, event, { interruptId: result.interrupt.id })).result;
    };
    if (name === 'guide-agent') await send({ type: 'APPROVE' }); // the plan
    await send({ type: 'EDIT', arguments: { other: 1 } });
    await send({ type: 'APPROVE' });
    if (name === 'guide-agent') await send({ type: 'APPROVE' }); // the note
    expect([wipe.asked, tool.asked]).toEqual([[], []]);
    expect(result).toMatchObject({ status: 'waiting', interrupt: { question: { notice: expect.stringContaining('other') } } });
    await send({ type: 'APPROVE' });
    expect([wipe.asked, tool.asked]).toEqual([['a'], ['10']]);
  });
});
