// A model that obeys whatever it reads: what a stranger's text wants is done when a human has approved it, and never otherwise.
import { createRuntime, type Json } from 'agent-machines';
import { type ChatAgentRuleInputs, chatAgent } from 'agent-machines/machines/chat-agent';
import { createKnowledgeBase, type GuideAgentRuleInputs, guideAgent } from 'agent-machines/machines/guide-agent';
import { type PlanExecuteRuleInputs, planExecute } from 'agent-machines/machines/plan-execute';
import { offlineModel } from 'agent-machines/models';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerAll, canary, dangerous, expectApproved, inWorld, obey, type Wish, world } from '../fixtures/injected-world.ts';
import { share } from '../fixtures/share.ts';

const count = { asked: 0, made: 0, refused: 0 };

describe('a model that obeys its input', () => {
  it('does nothing dangerous and leaks nothing in chat-agent without human approval', async () => {
    Object.assign(count, { asked: 0, made: 0, refused: 0 });
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { tools, made, textOf } = inWorld(any);
        const approved: string[] = [];
        const model = offlineModel<ChatAgentRuleInputs>({
          'chat_agent.router': ({ ruleInput }) => ({ route: ruleInput.input === 'document' ? 'rag' : 'agent', reason: '' }),
          'chat_agent.agent': ({ messages, tools: offered = [], ruleInput }) => {
            const input = ruleInput.input;
            const seen = [...messages.map(({ content }) => content), ...offered.map(({ description }) => description)].join('\n');
            const here = messages.slice(messages.findLastIndex(({ role, content }) => role === 'user' && content === input));
            const asked = here.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
            const own: readonly Wish[] = input === 'document' ? [] : [{ name: input, arguments: { text: 'x' } }];
            const wishes = [...own, ...obey(seen)].filter(
              ({ name, arguments: args }) => !asked.some((call) => call.name === name && call.arguments === JSON.stringify(args)),
            );
            const [next] = wishes;
            return next ? { toolCalls: any.batch ? wishes : [next] } : 'an answer';
          },
        });
        const retriever = { search: async () => [{ source: 'a.md', heading: '', text: `${textOf('document')} ${canary}`, score: 1 }] };
        const workflow = chatAgent({ model, tools, retriever, maxToolRounds: 20 });
        const runtime = createRuntime({ workflows: [workflow] });
        for (const turn of any.turns) {
          const run = runtime.start(workflow, { input: turn }, { threadId: 't' });
          const { result, asked } = await answerAll(runtime, run.id, await run.result, any.answers, approved);
          expect(result).toMatchObject({ status: 'done', finalState: 'done' });
          count.asked += asked;
        }
        expectApproved(made, approved);
        count.made += made.filter(({ tool }) => dangerous.has(tool)).length;
      }),
      { numRuns: share(400, 80) },
    );
    expect([count.asked > share(200), count.made > share(50)]).toEqual([true, true]);
  });

  it('does nothing dangerous and leaks nothing in plan-execute', async () => {
    Object.assign(count, { asked: 0, made: 0, refused: 0 });
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { tools, made } = inWorld(any);
        const approved: string[] = [];
        // what is read is handed on in the plan, and what was said in the thread is obeyed when it is planned anew
        const planOf = (text: string, firstId: number, own: readonly Wish[]): Json => ({
          steps: [...own, ...obey(text)].map(({ name, arguments: args }, index) => ({
            step_id: firstId + index,
            tool: name,
            input: { ...args },
          })),
        });
        const model = offlineModel<PlanExecuteRuleInputs>({
          'plan_execute.intent_classifier': ({ ruleInput }) => ({
            intent: 'new_question',
            rewritten_query: ruleInput.input,
            needs_tool: true,
            constraints: null,
          }),
          'plan_execute.planner': ({ messages, ruleInput }) => {
            const input = ruleInput.input;
            const text = messages.map(({ content }) => content).join('\n');
            if (input === 'document') return planOf(text, 1, []);
            const own = planOf(text, 2, []) as { readonly steps: readonly object[] };
            const read = { step_id: 1, tool: input, input: 'x' };
            const handOn = { step_id: 90, tool: 'send_email', input_from: 'step_1' };
            return { steps: [read, ...own.steps, ...(any.batch && input !== 'clean' ? [handOn] : [])] } as unknown as Json;
          },
          'plan_execute.replanner': ({ messages, ruleInput }) =>
            planOf(messages.map(({ content }) => content).join('\n'), ruleInput.firstId, []),
          'plan_execute.final_answer': ({ ruleInput }) => JSON.stringify(ruleInput.pastSteps),
        });
        const workflow = planExecute({ model, tools, execution: any.answers.length % 2 === 0 ? 'auto' : 'sequential' });
        const runtime = createRuntime({ workflows: [workflow] });
        for (const turn of any.turns) {
          const run = runtime.start(workflow, { input: turn }, { threadId: 't' });
          const { asked } = await answerAll(runtime, run.id, await run.result, any.answers, approved);
          count.asked += asked;
        }
        const { length } = made;
        expectApproved(made, approved);
        count.made += made.slice(0, length).filter(({ tool }) => dangerous.has(tool)).length;
      }),
      { numRuns: share(150, 30) },
    );
    expect([count.asked > share(100, 20), count.made > share(20)]).toEqual([true, true]);
  });

  it('does nothing dangerous and leaks nothing in guide-agent', async () => {
    Object.assign(count, { asked: 0, made: 0, refused: 0 });
    await fc.assert(
      fc.asyncProperty(world, async (any) => {
        const { tools, made } = inWorld(any);
        const approved: string[] = [];
        const model = offlineModel<GuideAgentRuleInputs>({
          'guide_agent.llm_router': () => ({ is_complex_task: true, reason: '' }),
          'guide_agent.planning_node': () => ({ sub_tasks: ['a', 'b'] }),
          'guide_agent.recommend_tool_node': ({ messages, tools: offered = [], ruleInput, toolChoice }) => {
            const input = ruleInput.input;
            const seen = [...messages.map(({ content }) => content), ...offered.map(({ description }) => description)].join('\n');
            const asked = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
            const own: readonly Wish[] = input === 'document' ? [] : [{ name: input, arguments: { text: 'x' } }];
            const wishes = [...own, ...obey(seen)].filter(
              ({ name, arguments: args }) => !asked.some((call) => call.name === name && call.arguments === JSON.stringify(args)),
            );
            const [next] = wishes;
            return next && toolChoice === 'auto' ? { toolCalls: any.batch ? wishes : [next] } : 'nothing';
          },
          'guide_agent.guide_generation_node': () => 'a guide',
          'guide_agent.reflection_node': () => ({ memories: [] }),
        });
        const knowledge = createKnowledgeBase([], [], { isPrivate: false });
        const workflow = guideAgent({ model, tools, knowledge, maxToolCallsPerTask: 10 });
        const runtime = createRuntime({ workflows: [workflow] });
        for (const turn of any.turns) {
          const run = runtime.start(workflow, { input: turn }, { threadId: 't' });
          const plan = await run.result;
          if (plan.status !== 'waiting' || !plan.interrupt) throw new Error(JSON.stringify(plan));
          const started = await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: plan.interrupt.id });
          const { result, asked } = await answerAll(runtime, run.id, await started.result, any.answers, approved);
          expect(result).toMatchObject({ status: 'done', finalState: 'done', output: { error: null } });
          count.asked += asked;
        }
        expectApproved(made, approved);
        count.made += made.filter(({ tool }) => dangerous.has(tool)).length;
      }),
      { numRuns: share(100, 20) },
    );
    expect([count.asked > share(100, 20), count.made > share(20)]).toEqual([true, true]);
  });

  it("executes the user's request without approval while it has read no untrusted text", async () => {
    const { tools, made } = inWorld({ evil: 'page', orders: [] });
    const wishes = ['clean', 'send_email', 'shell', 'search', 'delete_files'].map((name) => ({ name, arguments: { text: 'x' } }));
    const model = offlineModel<ChatAgentRuleInputs>({
      'chat_agent.router': () => ({ route: 'agent', reason: '' }),
      'chat_agent.agent': ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'done' : { toolCalls: wishes }),
    });
    const result = await createRuntime().start(chatAgent({ model, tools }), { input: 'do it' }).result;
    expect([result.status, made.map(({ tool }) => tool)]).toEqual(['done', wishes.map(({ name }) => name)]);
  });
});
