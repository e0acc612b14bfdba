// A workflow as a tool of another: what it asks, reads, spends and does, and what a crash leaves of it.
import {
  asJson,
  createRuntime,
  defineState,
  defineWorkflow,
  type Json,
  type JsonObject,
  memoryStore,
  type Run,
  type RunResult,
  type Runtime,
  type Tool,
  WorkflowError,
} from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { type ToolAgentRuleInputs, toolAgent } from 'agent-machines/machines/tool-agent';
import { offlineModel } from 'agent-machines/models';
import { crashResume, fakeClock } from 'agent-machines/testing';
import { asTool, type ExecuteCallsOptions, executeCalls, executePlan, parsePlan, parseToolCall, toolSignature } from 'agent-machines/tools';
import { describe, expect, it } from 'vitest';
import { createActor, setup, toPromise } from 'xstate';
import { z } from 'zod';
import { echo, held, textTool } from '../../../fixtures/text-tools.ts';

/** Calls these tools at first, then says what they have answered. */
const calling = (...calls: readonly (readonly [tool: string, args: JsonObject])[]) =>
  offlineModel<ToolAgentRuleInputs>({
    'tool_agent.agent': ({ messages }): Json => {
      const answers = messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
      if (answers.length === 0) return { toolCalls: calls.map(([name, args]) => ({ name, arguments: args })) };
      return `said: ${answers.join(' | ')}`;
    },
  });

/** An agent that calls a tool with what it is asked. */
const agentWith = (tool: Tool, text = 'x') => toolAgent({ model: calling([tool.name, { text }]), tools: [tool] });
const pay = () => echo('pay', { effect: 'once', needsApproval: true });
const ask = (name: string, tool: Tool, text?: string): Tool => asTool(agentWith(tool, text), { name, description: `Asks ${name}.` });
const parentOf = (...tools: readonly Tool[]) =>
  toolAgent({ model: calling(...tools.map(({ name }) => [name, { input: 'q' }] as const)), tools });

/** Answers every question with this, until there is none. */
async function answerAll(runtime: Runtime, run: Run<unknown>, event = { type: 'APPROVE' } as Parameters<Runtime['send']>[1]) {
  const asked: { readonly key: string; readonly question: unknown }[] = [];
  let result: RunResult<unknown> = await run.result;
  while (result.status === 'waiting' && result.interrupt) {
    const { id, key, question } = result.interrupt;
    asked.push({ key, question });
    result = await (await runtime.send(run.id, event, { interruptId: id })).result;
  }
  return { asked, result };
}

describe('a workflow as a tool', () => {
  it('runs inside the calling run, which journals its work and counts its model calls and tools', async () => {
    const tool = echo();
    const runtime = createRuntime();
    const run = runtime.start(parentOf(ask('helper', tool)), { input: 'q' });
    expect(await run.result).toMatchObject({ status: 'done', output: { answer: 'said: said: echo x' } });
    expect(tool.asked).toEqual(['x']);
    expect((await runtime.list()).length).toBe(1);
    const journal = await runtime.history(run.id);
    const keys = journal.map(({ key }) => key);
    expect(keys).toContain('tools#1/call_0#1/tools#1/call_0');
    const events = journal.flatMap((entry) => entry.events);
    expect(events.filter(({ type }) => type === 'model-start').length).toBe(4);
    expect(events.flatMap((event) => (event.type === 'tool-start' ? [event.tool] : []))).toEqual(['helper', 'echo']);
  });

  it('stops at the limits of the calling run', async () => {
    const run = createRuntime({ limits: { modelCalls: 2 } }).start(parentOf(ask('helper', echo())), { input: 'q' });
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'LIMIT_EXCEEDED' } });
  });

  it('asks for approval and receives the answer through the calling run', async () => {
    const tool = pay();
    const workflow = parentOf(ask('helper', tool));
    const runtime = createRuntime({ workflows: [workflow] });
    const { asked, result } = await answerAll(runtime, runtime.start(workflow, { input: 'q' }));
    expect(asked).toMatchObject([{ key: 'tools#1/call_0#1/tool_review#1', question: { tool: 'pay', arguments: { text: 'x' } } }]);
    expect(result).toMatchObject({ status: 'done', output: { answer: 'said: said: pay x' } });
    expect(tool.asked).toEqual(['x']);
  });

  it('reports a rejection to a workflow nested two levels deep', async () => {
    const tool = pay();
    const middle = asTool(parentOf(ask('inner', tool)), { name: 'middle', description: 'm' });
    const workflow = parentOf(middle);
    const runtime = createRuntime({ workflows: [workflow] });
    const { asked, result } = await answerAll(runtime, runtime.start(workflow, { input: 'q' }), { type: 'REJECT', reason: 'no' });
    expect(asked.map(({ key }) => key)).toEqual(['tools#1/call_0#1/tools#1/call_0#1/tool_review#1']);
    expect(JSON.stringify(result)).toContain('CALL_REJECTED');
    expect(tool.asked).toEqual([]);
  });

  it('runs while two other workflows wait for approval', async () => {
    const [first, second, third] = [pay(), echo(), pay()];
    const workflow = parentOf(ask('a', first, '1'), ask('b', second, '2'), ask('c', third, '3'));
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    const waiting = await run.result;
    expect(second.asked).toEqual(['2']);
    expect(waiting.status === 'waiting' && waiting.interrupts.length).toBe(2);
    const { result } = await answerAll(runtime, run);
    expect(result).toMatchObject({ output: { answer: 'said: said: pay 1 | said: echo 2 | said: pay 3' } });
    expect([first.asked, second.asked, third.asked]).toEqual([['1'], ['2'], ['3']]);
  });

  it('waits for approval without delaying plain tools', async () => {
    const slow = held('slow');
    const [asking, last] = [pay(), echo('last')];
    const model = calling(
      ['helper', { input: 'q' }],
      ['slow', { text: 's' }],
      ...Array.from({ length: 9 }, (_, i) => ['last', { text: `${i}` }] as const),
    );
    const workflow = toolAgent({ model, tools: [ask('helper', asking), slow, last] });
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    await expect.poll(() => slow.texts()).toEqual(['s']);
    slow.calls[0]?.resolve('slow');
    const { result } = await answerAll(runtime, run);
    expect(result.status).toBe('done');
    expect(last.asked.length).toBe(9);
    expect(asking.asked).toEqual(['x']);
  });

  it('resumes in another process after each answer', async () => {
    const store = memoryStore();
    const tools = [pay(), pay()] as const;
    const make = () => parentOf(ask('a', tools[0], '1'), ask('b', tools[1], '2'));
    const first = createRuntime({ store });
    const run = first.start(make(), { input: 'q' });
    let result: RunResult<unknown> = await run.result;
    await first.close();
    while (result.status === 'waiting' && result.interrupt) {
      const runtime = createRuntime({ store, workflows: [make()] });
      result = await (await runtime.send(run.id, { type: 'APPROVE' }, { interruptId: result.interrupt.id })).result;
      await runtime.close();
    }
    expect(result).toMatchObject({ status: 'done', output: { answer: 'said: said: pay 1 | said: pay 2' } });
    expect(tools.map(({ asked }) => asked)).toEqual([['1'], ['2']]);
  });

  it('executes no tool while the runtime checks an answer', async () => {
    const [asking, after] = [pay(), echo('after', { effect: 'once' })];
    const model = calling(['helper', { input: 'q' }], ['after', { text: 'z' }]);
    const workflow = toolAgent({ model, tools: [ask('helper', asking), after] });
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    const waiting = await run.result;
    if (waiting.status !== 'waiting' || !waiting.interrupt) throw new Error('it does not wait');
    const { id: interruptId } = waiting.interrupt;
    await expect(runtime.send(run.id, { type: 'NOTHING' }, { interruptId })).rejects.toMatchObject({ code: 'EVENT_NOT_ACCEPTED' });
    await expect(runtime.send(run.id, { type: 'APPROVE' }, { interruptId: 'i_other' })).rejects.toMatchObject({
      code: 'INTERRUPT_UNKNOWN',
    });
    expect([asking.asked, after.asked]).toEqual([[], []]);
    const { result } = await answerAll(runtime, run);
    expect([result.status, asking.asked, after.asked]).toEqual(['done', ['x'], ['z']]);
  });

  it('cuts its output at maxOutputBytes', async () => {
    const long = toolAgent({ model: offlineModel({ 'tool_agent.agent': () => 'x'.repeat(500) }) });
    const run = createRuntime().start(parentOf(asTool(long, { name: 'long', description: 'l', maxOutputBytes: 100 })), { input: 'q' });
    expect(JSON.stringify(await run.result)).toContain('[cut: 100 of 500 bytes]');
  });

  it('taints the run with what it reads, and receives the taint of the run', async () => {
    const file = textTool('file', async () => 'secret', { capabilities: { private: true, untrusted: false, external: false } });
    const web = echo('web', { capabilities: { private: false, untrusted: false, external: true } });
    const reader = ask('reader', file);
    const surfer = ask('surfer', web);
    // one after the other: the second is asked for once the first has answered
    const model = offlineModel<ToolAgentRuleInputs>({
      'tool_agent.agent': ({ messages }): Json => {
        const count = messages.filter(({ role }) => role === 'tool').length;
        return count === 2 ? 'done' : { toolCalls: [{ name: count === 0 ? 'reader' : 'surfer', arguments: { input: 'q' } }] };
      },
    });
    const workflow = toolAgent({ model, tools: [reader, surfer] });
    const runtime = createRuntime({ workflows: [workflow] });
    const { asked, result } = await answerAll(runtime, runtime.start(workflow, { input: 'q' }));
    expect(asked).toMatchObject([{ key: 'tools#2/call_0#1/tool_review#1', question: { tool: 'web' } }]);
    expect(result.status).toBe('done');
    const clean = createRuntime().start(parentOf(surfer), { input: 'q' });
    expect((await clean.result).status).toBe('done'); // nothing was read: nobody is asked
  });

  it('turns an inner failure into a failed call, and the caller continues', async () => {
    const broken = toolAgent({ model: { name: 'dead', generate: () => Promise.reject(new Error('/secret/path')) } });
    const run = createRuntime().start(parentOf(asTool(broken, { name: 'broken', description: 'b' })), { input: 'q' });
    const result = await run.result;
    expect(result).toMatchObject({ status: 'done' });
    expect(JSON.stringify(result)).toContain('error');
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('is cancelled with the run', async () => {
    const tool = held();
    const runtime = createRuntime();
    const run = runtime.start(parentOf(ask('helper', tool)), { input: 'q' });
    await expect.poll(() => tool.texts()).toEqual(['x']);
    await runtime.cancel(run.id);
    expect((await run.result).status).toBe('cancelled');
    expect(tool.calls[0]?.context.signal.aborted).toBe(true);
  });

  it('waits for approval of its own call if it needs approval', async () => {
    const tool = echo();
    const helper = asTool(agentWith(tool), { name: 'helper', description: 'h', needsApproval: true });
    const workflow = parentOf(helper);
    const runtime = createRuntime({ workflows: [workflow] });
    const { asked } = await answerAll(runtime, runtime.start(workflow, { input: 'q' }));
    expect(asked).toMatchObject([{ key: 'tool_review#1', question: { tool: 'helper', arguments: { input: 'q' } } }]);
    expect(tool.asked).toEqual(['x']);
  });

  it('supports custom arguments and a custom output', async () => {
    const helper = asTool(agentWith(echo()), {
      name: 'helper',
      description: 'h',
      input: z.strictObject({ subject: z.string() }),
      toInput: ({ subject }) => ({ input: subject }),
      toOutput: ({ output }) => ({ steps: output.steps }),
    });
    const workflow = toolAgent({ model: calling(['helper', { subject: 's' }], ['helper', { subject: 1 }]), tools: [helper] });
    const result = await createRuntime().start(workflow, { input: 'q' }).result;
    expect(JSON.stringify(result)).toContain('said: {\\"steps\\":1} | {\\"error\\":\\"TOOL_CALL_INVALID');
  });

  it('does not repeat completed work in a fork', async () => {
    const tool = echo('once', { effect: 'once' });
    const workflow = parentOf(ask('helper', tool));
    const runtime = createRuntime({ workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    await run.result;
    const fork = await runtime.fork(run.id, { at: 'agent#2' });
    expect(await fork.result).toMatchObject({ status: 'done', output: { answer: 'said: said: once x' } });
    expect(tool.asked).toEqual(['x']);
  });
});

describe('a workflow as a tool with a time limit', () => {
  const limited = (tool: Tool, more: { readonly timeoutMs?: number } = { timeoutMs: 1_000 }): Tool =>
    asTool(agentWith(tool), { name: 'helper', description: 'h', ...more });

  it('is cancelled after its time limit, and the caller continues', async () => {
    const [clock, tool] = [fakeClock(), held()];
    const workflow = parentOf(limited(tool));
    const runtime = createRuntime({ clock, workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    await expect.poll(() => tool.texts()).toEqual(['x']);
    await clock.advance(999);
    expect(tool.calls[0]?.context.signal.aborted).toBe(false);
    await clock.advance(1);
    const result = await run.result;
    expect(tool.calls[0]?.context.signal.aborted).toBe(true);
    expect(result.status).toBe('done');
    expect(JSON.stringify(result)).toContain('TOOL_TIMEOUT');
    const journal = await runtime.history(run.id);
    expect(journal.find(({ key }) => key === 'tools#1/call_0#1')?.outcome).toMatchObject({ error: { code: 'TOOL_TIMEOUT' } });
  });

  it('does not start again after a timeout when the run is resumed or forked', async () => {
    const [clock, tool, later, store] = [fakeClock(), held(), held('later'), memoryStore()];
    const model = calling(['helper', { input: 'q' }], ['later', { text: 'l' }]);
    const make = () => toolAgent({ model, tools: [limited(tool), later] });
    const first = createRuntime({ store, clock });
    const run = first.start(make(), { input: 'q' });
    await expect.poll(() => [...tool.texts(), ...later.texts()]).toEqual(['x', 'l']);
    await clock.advance(1_000);
    await expect.poll(async () => (await first.history(run.id)).some(({ key }) => key === 'tools#1/call_0#1')).toBe(true);
    await first.close();
    const second = createRuntime({ store, clock, workflows: [make()] });
    const resumed = await second.resume(run.id);
    await expect.poll(() => later.texts()).toEqual(['l', 'l']);
    later.calls[1]?.resolve('late');
    const result = await resumed.result;
    expect(JSON.stringify(result)).toContain('TOOL_TIMEOUT');
    expect(tool.texts()).toEqual(['x']);
    await (await second.fork(run.id, { at: 'agent#2' })).result;
    expect(tool.texts()).toEqual(['x']);
    await second.close();
  });

  it('starts its time limit again when another process resumes the run', async () => {
    const [clock, tool, store] = [fakeClock(), held(), memoryStore()];
    const make = () => parentOf(limited(tool));
    const first = createRuntime({ store, clock });
    const run = first.start(make(), { input: 'q' });
    await expect.poll(() => tool.texts()).toEqual(['x']);
    await clock.advance(900);
    await first.close();
    const second = createRuntime({ store, clock, workflows: [make()] });
    const resumed = await second.resume(run.id);
    await expect.poll(() => tool.texts()).toEqual(['x', 'x']);
    await clock.advance(900);
    tool.calls[1]?.resolve('done');
    expect(await resumed.result).toMatchObject({ output: { answer: 'said: said: done' } });
    await second.close();
  });

  it('does not count the time for which the run waits for an answer', async () => {
    const [clock, tool] = [fakeClock(), pay()];
    const workflow = parentOf(limited(tool));
    const runtime = createRuntime({ clock, workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    expect((await run.result).status).toBe('waiting');
    await clock.advance(10_000);
    const { result } = await answerAll(runtime, run);
    expect(result).toMatchObject({ status: 'done', output: { answer: 'said: said: pay x' } });
    await clock.advance(10_000);
    expect(tool.asked).toEqual(['x']);
  });

  it('leaves an interrupted once call in doubt, and continues after resolve', async () => {
    const [clock, tool] = [fakeClock(), held('pay', { effect: 'once', timeoutMs: 60_000 })];
    const workflow = parentOf(limited(tool));
    const runtime = createRuntime({ clock, workflows: [workflow] });
    const run = runtime.start(workflow, { input: 'q' });
    await expect.poll(() => tool.texts()).toEqual(['x']);
    await clock.advance(1_000);
    const result = await run.result;
    expect(result).toMatchObject({ status: 'in_doubt', calls: [{ callId: 'tools#1/call_0#1/tools#1/call_0' }] });
    const callId = 'tools#1/call_0#1/tools#1/call_0';
    const told = await (await runtime.resolve(run.id, callId, { as: 'done', output: 'paid' })).result;
    expect(told.status).toBe('done');
    expect(JSON.stringify(told)).toContain('TOOL_TIMEOUT');
    expect(tool.texts()).toEqual(['x']);
  });

  it('changes nothing if the workflow ends in time', async () => {
    const clock = fakeClock();
    const tool = limited(echo());
    const run = createRuntime({ clock }).start(parentOf(tool), { input: 'q' });
    expect(await run.result).toMatchObject({ output: { answer: 'said: said: echo x' } });
    await clock.advance(10_000);
  });

  it('applies the time limit outside a run', async () => {
    const [clock, inner] = [fakeClock(), held()];
    const tool = limited(inner);
    const call = parseToolCall({ id: '1', name: tool.name, arguments: '{"input":"q"}' }, { tools: [tool] });
    const executed = executeCalls([call], { tools: [tool], clock });
    await expect.poll(() => inner.texts()).toEqual(['x']);
    await clock.advance(1_000);
    expect((await executed).results).toMatchObject([{ status: 'failure', error: { code: 'TOOL_TIMEOUT' } }]);
  });

  it.each([0, -1, 1.5, Number.NaN])('rejects a limit of %d ms', (timeoutMs) => {
    expect(() => limited(echo(), { timeoutMs })).toThrow(expect.objectContaining({ code: 'OPTION_INVALID' }));
  });

  it('neither loses nor repeats a once call after a crash before any write', async () => {
    const done: string[] = [];
    const make = () => {
      done.length = 0;
      return parentOf(
        limited(
          textTool('pay', async () => `${done.push('pay')}`, { effect: 'once' }),
          { timeoutMs: 600_000 },
        ),
      );
    };
    const { result } = await crashResume(
      make,
      { input: 'q' },
      {
        resolve: () => (done.length > 0 ? { as: 'done', output: '1' } : { as: 'retry' }),
        compare: ({ result }) => (result.status === 'done' ? result.output.answer : result),
        onEnd: () => expect(done).toEqual(['pay']),
      },
    );
    expect(result).toMatchObject({ status: 'done', output: { answer: 'said: said: 1' } });
  });
});

describe('other callers of a workflow as a tool', () => {
  const helper = (tool: Tool) => ask('helper', tool);

  it('approve an inner call in chat-agent', async () => {
    const tool = pay();
    const model = offlineModel({
      'chat_agent.router': () => ({ route: 'agent', reason: '' }),
      'chat_agent.agent': ({ messages }) =>
        messages.some(({ role }) => role === 'tool') ? 'done' : { toolCalls: [{ name: 'helper', arguments: { input: 'q' } }] },
    });
    const workflow = chatAgent({ model, tools: [helper(tool)] });
    const runtime = createRuntime({ workflows: [workflow] });
    const { asked, result } = await answerAll(runtime, runtime.start(workflow, { input: 'q' }));
    expect([asked.length, result.status, tool.asked]).toEqual([1, 'done', ['x']]);
  });

  it('approve an inner call in plan-execute, beside other steps of the plan', async () => {
    const tool = pay();
    const model = offlineModel({
      'plan_execute.intent_classifier': () => ({ intent: 'new_question', rewritten_query: 'q', needs_tool: true, constraints: null }),
      'plan_execute.planner': () => ({
        steps: asJson([
          { step_id: 1, tool: 'helper', input: 'a' },
          { step_id: 2, tool: 'echo', input: { text: 'b' } },
          { step_id: 3, tool: 'echo', input_from: { text: 'step_1' } },
        ]),
      }),
      'plan_execute.final_answer': () => 'done',
    });
    const plain = echo();
    const workflow = planExecute({ model, tools: [helper(tool), plain] });
    const runtime = createRuntime({ workflows: [workflow] });
    const { asked, result } = await answerAll(runtime, runtime.start(workflow, { input: 'q' }));
    expect([asked.length, result.status, tool.asked]).toEqual([1, 'done', ['x']]);
    expect(plain.asked).toEqual(['b', 'said: pay x']);
  });
});

describe('a crash before any write', () => {
  const world = () => {
    const done: string[] = [];
    const note = (name: string, more: Partial<Tool> = {}): Tool =>
      textTool(name, async ({ text }) => `${name} ${done.push(`${name} ${String(text)}`) > 0}`, { effect: 'once', ...more });
    const inner = asTool(parentOf(ask('deep', note('deeper'), 'd')), { name: 'inner', description: 'i' });
    const workflow = parentOf(ask('a', note('pay', { needsApproval: true }), '1'), ask('b', note('write'), '2'), inner);
    return { done, workflow };
  };

  it('neither loses nor repeats the once calls of parallel and nested agents', async () => {
    let current = world();
    const doubts: string[] = [];
    const { result, crashes } = await crashResume(
      () => {
        current = world();
        return current.workflow;
      },
      { input: 'q' },
      {
        resolve: ({ describe }) => {
          const { tool, args } = describe as { readonly tool: string; readonly args: { readonly text: string } };
          doubts.push(tool);
          return current.done.includes(`${tool} ${args.text}`) ? { as: 'done', output: `${tool} true` } : { as: 'retry' };
        },
        compare: ({ result }) => (result.status === 'done' ? result.output.answer : result),
        onEnd: () => expect([...current.done].sort()).toEqual(['deeper d', 'pay 1', 'write 2']),
      },
    );
    expect(result).toMatchObject({
      status: 'done',
      output: { answer: 'said: said: pay true | said: write true | said: said: deeper true' },
    });
    expect(crashes).toBeGreaterThan(30);
    expect(new Set(doubts)).toEqual(new Set(['pay', 'write', 'deeper']));
  });
});

describe('a workflow as a tool outside a run', () => {
  const call = (tool: Tool) => parseToolCall({ id: '1', name: tool.name, arguments: '{"input":"q"}' }, { tools: [tool] });

  it('starts a run of its own', async () => {
    const tool = ask('helper', echo());
    const { results } = await executeCalls([call(tool)], { tools: [tool] });
    expect(results).toMatchObject([{ status: 'success', output: 'said: echo x' }]);
  });

  it('fails with SUBWORKFLOW_WAITS if it needs approval', async () => {
    const tool = ask('helper', pay());
    const { results } = await executeCalls([call(tool)], { tools: [tool] });
    expect(results).toMatchObject([{ status: 'failure', error: { code: 'SUBWORKFLOW_WAITS' } }]);
  });

  describe('taint outside a run', () => {
    const file = (execute: Tool['execute'] = async () => 'secret'): Tool =>
      textTool('file', execute, { capabilities: { private: true, untrusted: false, external: false } });
    const isPrivate = { private: true, untrusted: false, user: false };
    const both = { private: true, untrusted: true, user: true };
    const reader = ask('reader', file());
    const plan = (tool: Tool) => parsePlan({ steps: [{ step_id: 1, tool: tool.name, input: { input: 'q' } }] }, { tools: [tool] });

    it('is returned by executeCalls and executePlan', async () => {
      const options = { tools: [reader] };
      const { results, taint } = await executePlan(plan(reader), options);
      expect((await executeCalls([call(reader)], options)).taint).toEqual(isPrivate);
      expect(taint).toEqual(isPrivate);
      expect((await executePlan(parsePlan({ steps: [] }, options), { ...options, history: results })).taint).toEqual(isPrivate);
    });

    it('is returned with a custom io', async () => {
      const io: ExecuteCallsOptions['io'] = {
        step: (key, work) => work({ number: 1, idempotencyKey: key, signal: new AbortController().signal }),
        emit() {},
      };
      expect((await executeCalls([call(reader)], { tools: [reader], io })).taint).toEqual(isPrivate);
    });

    it('is kept under createActor', async () => {
      const { machine, parseInput, toMachineInput, thread } = parentOf(reader);
      const input = toMachineInput(parseInput({ input: 'q' }), { runId: 'r', startedAt: 0, thread: thread?.initial ?? null });
      const actor = createActor(machine, { input });
      const ended = toPromise(actor);
      actor.start();
      await ended;
      expect(actor.getSnapshot().context.taint).toEqual(isPrivate);
    });

    it('includes everything when the workflow is wrapped in another tool', async () => {
      const { workflow: _, ...wrapped } = reader;
      expect((await executeCalls([call(reader)], { tools: [wrapped] })).taint).toMatchObject({ private: true, untrusted: true });
    });

    it('is kept when the workflow fails, and includes everything if the workflow keeps no taint', async () => {
      const failing = asTool(
        toolAgent({
          tools: [file()],
          model: { name: 'dead', generate: () => Promise.reject(new WorkflowError({ code: 'MODEL_REFUSED', message: 'm' })) },
        }),
        { name: 'failing', description: 'f' },
      );
      const { results, taint } = await executeCalls([call(failing)], { tools: [failing], taint: isPrivate });
      expect([results, taint]).toMatchObject([[{ status: 'failure', error: { code: 'TOOL_FAILED' } }], isPrivate]);
      const careless = asTool(carelessly(), { name: 'careless', description: 'c', toInput: () => undefined });
      expect((await executeCalls([call(careless)], { tools: [careless], approved: [signatureOf(careless)] })).taint).toEqual(both);
    });

    it('restricts the calls of the workflow', async () => {
      const web = echo('web', { capabilities: { private: false, untrusted: false, external: true } });
      const surfer = ask('surfer', web);
      const { results } = await executeCalls([call(surfer)], { tools: [surfer], taint: isPrivate });
      expect([results, web.asked]).toMatchObject([[{ error: { code: 'SUBWORKFLOW_WAITS' } }], []]);
    });
  });
});

const signatureOf = (tool: Tool): string => toolSignature({ name: tool.name, args: { input: 'q' } });

/** A workflow without any notion of taint. */
function carelessly() {
  const state = defineState<object & Record<string, never>, unknown, string>();
  const machine = setup({ types: state.types }).createMachine({
    id: 'careless',
    initial: 'done',
    context: {},
    output: () => 'whatever it has read',
    states: { done: { type: 'final' } },
  });
  return defineWorkflow({ machine, nodes: {} });
}
