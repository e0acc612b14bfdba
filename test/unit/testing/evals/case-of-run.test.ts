// Every shipped workflow: a stored run becomes a case, and the case takes the same path to the same output.
import { type AnyWorkflow, createRuntime, type HumanEvent, type Json, memoryStore } from 'agent-machines';
import { caseOfRun, defineEval, equals, grader, runEval, trajectory } from 'agent-machines/evals';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { scriptedModel } from 'agent-machines/models';
import { calculator, defineTool } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const send = defineTool({
  name: 'send',
  description: 'Sends.',
  access: 'write',
  needsApproval: true,
  input: z.strictObject({ to: z.string() }),
  execute: async ({ to }) => `sent to ${to}`,
});

const sending = (): AnyWorkflow =>
  toolAgent({
    tools: [send],
    model: scriptedModel([{ reply: { toolCalls: [{ name: 'send', arguments: { to: 'Ada' } }] } }, { reply: 'Done.' }]),
  });

/** Runs a workflow with answers, and makes a case of the stored run. */
async function stored(workflow: AnyWorkflow, input: unknown, answers: readonly HumanEvent[] = [], threadId?: string, times = 1) {
  const runtime = createRuntime({ store: memoryStore() });
  let id = '';
  for (let turn = 0; turn < times; turn++) {
    let run = runtime.start(workflow, input, threadId === undefined ? {} : { threadId });
    for (const answer of answers) {
      const result = await run.result;
      if (result.status !== 'waiting' || !result.interrupt) throw new Error(`It is ${result.status}.`);
      run = await runtime.send(run.id, answer, { interruptId: result.interrupt.id });
    }
    await run.result;
    id = run.id;
  }
  return caseOfRun(workflow, { info: await runtime.get(id), history: await runtime.history(id) });
}

describe('caseOfRun', () => {
  it.each<[string, () => AnyWorkflow, object, readonly HumanEvent[]]>([
    ['tool-agent', () => toolAgent({ tools: [calculator()] }), { input: 'What is 12 * 12?' }, []],
    ['tool-agent with an approval', sending, { input: 'Send it.' }, [{ type: 'APPROVE' }]],
    ['plan-execute', () => planExecute({}), { input: 'What is 12 * 12?' }, []],
    ['chat-agent', () => chatAgent({}), { input: 'Hello, what is 3 * 4?' }, []],
  ])('makes a case of a run of %s that takes the same path', async (_, workflow, input, answers) => {
    const made = await stored(workflow(), input, answers);
    if (!('one' in made)) throw new Error(made.skipped);
    expect(made.one.answers?.length ?? 0).toBe(answers.length);
    const again = defineEval({
      name: 'again',
      workflow: () => workflow(),
      cases: [made.one],
      graders: [trajectory(), grader('ends', ({ status }) => status === 'done')],
    });
    const report = await runEval(again);
    expect(report.rows[0]?.error).toBeUndefined();
    expect(report.graders.map(({ mean }) => mean)).toEqual([1, 1]);
  });

  it('selects what is expected', async () => {
    const runtime = createRuntime();
    const workflow = (): AnyWorkflow => toolAgent({ tools: [calculator()] });
    const run = runtime.start(workflow(), { input: 'What is 2 + 3?' });
    await run.result;
    const toExpected = (output: Json): unknown => (output as { answer: string }).answer;
    const made = caseOfRun(workflow(), { info: await runtime.get(run.id), history: await runtime.history(run.id), toExpected });
    if (!('one' in made)) throw new Error(made.skipped);
    expect(made.one.input).toEqual({ input: 'What is 2 + 3?' });
    const report = await runEval(defineEval({ name: 'a', workflow, cases: [made.one], graders: [equals('answer')] }));
    expect(report.ok).toBe(true);
  });

  it('removes secrets, and reports personal data', async () => {
    const key = 'sk-proj-abcdefghijklmnopqrstuvwx123456';
    const model = scriptedModel([{ reply: 'Thank you.' }, { reply: 'Thank you.' }]);
    const secret = await stored(toolAgent({ model }), { input: `My key is ${key}.` });
    expect(JSON.stringify(secret)).not.toContain(key);
    const personal = await stored(toolAgent({ model }), { input: 'Write to kim@example.com.' });
    expect(personal).toMatchObject({ hasPersonalData: true });
    expect(secret).toMatchObject({ hasPersonalData: false });
  });

  it('skips a run that waits, failed, or continues a conversation', async () => {
    expect(await stored(sending(), { input: 'Send it.' })).toEqual({ skipped: 'it has not ended' });
    const model = scriptedModel(Array.from({ length: 4 }, () => ({ reply: 'Yes.' })));
    expect(await stored(toolAgent({ model }), { input: 'Hello' }, [], 't1')).toHaveProperty('one');
    expect(await stored(toolAgent({ model }), { input: 'Hello' }, [], 't1', 2)).toEqual({ skipped: 'it continues a conversation' });
  });
});
