// How often a model is asked again for a reply that cannot be used, in every workflow: plan-execute never unless it is told to, the others once.
import { createRuntime, type Workflow } from 'agent-machines';
import { parseContract } from 'agent-machines/contracts';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from 'agent-machines/models';
import { describe, expect, it } from 'vitest';
import { knowledge } from './guide-agent/helpers.ts';

const nonsense = { reply: 'I do not feel like JSON.' };
const contract = parseContract({ name: 'lease', text: '제1조(목적) 이 계약은 임대에 관한 것이다.\n제2조(기간) 기간은 1년이다.' });
interface Asked {
  readonly model: ScriptedModel;
  readonly maxRepairs?: number;
}
interface Repaired {
  readonly usual: number;
  readonly make: (options: Asked) => Workflow<never, unknown, unknown>;
  readonly input: unknown;
  /** What is answered before. */
  readonly before?: readonly ScriptedReply[];
}
const look = {
  task: 'contract_agent.plan_next_action',
  reply: { toolCalls: [{ name: 'get_article_by_index', arguments: { article_numbers: [1] } }] },
};
const workflows: Readonly<Record<string, Repaired>> = {
  'plan-execute': { usual: 0, make: (options) => planExecute(options) as never, input: { input: 'q' } },
  'contract-agent': {
    usual: 1,
    make: (options) => contractAgent({ contracts: [{ contract }], ...options }) as never,
    input: { input: '제1조가 뭐야?' },
    before: [look],
  },
  'chat-agent': { usual: 1, make: (options) => chatAgent(options) as never, input: { input: 'q' } },
  'guide-agent': { usual: 1, make: (options) => guideAgent({ knowledge, ...options }) as never, input: { input: 'q' } },
};

describe.each(Object.entries(workflows))('%s', (_name, { usual, make, input, before = [] }) => {
  it.each([undefined, 0, 1, 3])('repeats the request %s times for unreadable replies', async (maxRepairs) => {
    const model = scriptedModel([...before, ...Array.from({ length: 20 }, () => nonsense)]);
    const run = createRuntime().start(make({ model, ...(maxRepairs === undefined ? {} : { maxRepairs }) }), input as never);
    await run.result;
    const first = model.requests[before.length];
    const asked = model.requests.filter(({ task }) => task === first?.task);
    expect(asked).toHaveLength(1 + (maxRepairs ?? usual));
    expect(asked.at(-1)?.messages).toHaveLength((first?.messages.length ?? 0) + 2 * (maxRepairs ?? usual));
  });

  it('rejects an invalid number', () => {
    expect(() => make({ model: scriptedModel([]), maxRepairs: -1 })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });
});

describe('plan-execute', () => {
  it("has a rejected plan repaired with the gate's reasons", async () => {
    const intent = { intent: 'new_question', rewritten_query: 'sum', needs_tool: true, constraints: null };
    const step = { step_id: 1, tool: 'calculator', input: '20+22' };
    const model = scriptedModel([
      { task: 'plan_execute.intent_classifier', reply: intent },
      { task: 'plan_execute.planner', reply: { steps: [{ ...step, tool: 'abacus' }] } },
      { task: 'plan_execute.planner', reply: { steps: [step] } },
      { task: 'plan_execute.final_answer', reply: '42.' },
    ]);
    const { result } = createRuntime().start(planExecute({ model, maxRepairs: 1 }), { input: '20 + 22?' });
    expect(await result).toMatchObject({ status: 'done', output: { answer: '42.' } });
    expect(model.requests[2]?.messages.at(-1)?.content).toContain('abacus');
    model.assertConsumed();
  });
});
