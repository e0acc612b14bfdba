// What a model client or a tool with hidden errors throws stays in the log: no model and no user reads it.
import { type ChatModel, createRuntime, memoryStore, type RunEvent, type RunStore, type Tool, type Workflow } from 'agent-machines';
import { chatAgent } from 'agent-machines/machines/chat-agent';
import { contractAgent } from 'agent-machines/machines/contract-agent';
import { guideAgent } from 'agent-machines/machines/guide-agent';
import { planExecute } from 'agent-machines/machines/plan-execute';
import { toolAgent } from 'agent-machines/machines/tool-agent';
import { type Script, scriptedModel } from 'agent-machines/models';
import { hashedEmbedder } from 'agent-machines/search';
import { describe, expect, it } from 'vitest';
import * as chat from './chat-agent/helpers.ts';
import * as contracts from './contract-agent/helpers.ts';
import * as guides from './guide-agent/helpers.ts';
import { intent } from './plan-execute/helpers.ts';

const secret = 'secret upstream /etc/passwd';

class NamedError extends Error {
  override readonly name = secret;
}

/** Everything but a `WorkflowError`: nobody wrote it for a model or a user to read. */
const thrown: Readonly<Record<string, () => unknown>> = {
  'an error': () => new Error(secret),
  'an error with a cause': () => new Error('outer', { cause: new Error(secret) }),
  'an error with the secret as its name': () => new NamedError('no'),
  'an error of the system': () => Object.assign(new Error(`ENOENT: ${secret}`), { code: 'ENOENT', path: secret }),
  'an error with data': () => Object.assign(new Error(secret), { data: { secret }, hint: secret }),
  'several errors': () => new AggregateError([new Error(secret)], secret),
  'a text': () => secret,
  'an object': () => ({ message: secret, hint: secret, code: secret }),
  'an error of another realm': () => structuredClone(new TypeError(secret)),
};

/** What somebody outside sees of a run: what its models were sent, how it ended, and what its thread keeps. */
interface Outside {
  readonly requests: readonly unknown[];
  readonly result: unknown;
  readonly thread: unknown;
  readonly events: readonly RunEvent[];
}

const broken = (raise: () => unknown): Tool => ({
  name: 'broken',
  description: 'Fails.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  effect: 'pure',
  capabilities: { private: false, untrusted: false, external: false },
  errors: 'hidden',
  execute: () => Promise.reject(raise()),
});

const outsideOf = async (
  store: RunStore,
  runtime: ReturnType<typeof createRuntime>,
  runId: string,
  requests: readonly unknown[],
  result: unknown,
): Promise<Outside> => ({
  requests,
  result,
  thread: await store.readThread('t'),
  events: (await runtime.history(runId)).flatMap((entry) => entry.events),
});

type Machine = (raise: () => unknown) => Promise<Outside>;

/** Each machine, with a tool that throws and a model that goes on from there. */
const withTool: Readonly<Record<string, Machine>> = {
  async 'plan-execute'(raise) {
    const model = scriptedModel([
      { reply: intent(true) },
      { reply: { steps: [{ step_id: 1, tool: 'broken', input: {} }] } },
      { reply: { steps: [{ step_id: 2, tool: 'broken', input: {} }] } },
      { reply: { steps: [] } },
    ] as Script);
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(planExecute({ model, tools: [broken(raise)] }), { input: 'q' }, { threadId: 't' });
    return outsideOf(store, runtime, run.id, model.requests, await run.result);
  },
  async 'chat-agent'(raise) {
    const model = scriptedModel([chat.toAgent, chat.calls(['broken', {}]), chat.says('It does not work.')] as Script);
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(chatAgent({ model, tools: [broken(raise)] }), { input: 'q' }, { threadId: 't' });
    return outsideOf(store, runtime, run.id, model.requests, await run.result);
  },
  async 'tool-agent'(raise) {
    const model = scriptedModel([{ reply: { toolCalls: [{ name: 'broken', arguments: {} }] } }, { reply: 'It does not work.' }]);
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const run = runtime.start(toolAgent({ model, tools: [broken(raise)] }), { input: 'q' }, { threadId: 't' });
    return outsideOf(store, runtime, run.id, model.requests, await run.result);
  },
  async 'guide-agent'(raise) {
    const store = memoryStore();
    const script = [
      guides.work,
      guides.plan('a', 'b'),
      guides.calls(['broken', {}]),
      guides.lookUp,
      guides.pick('자막부엉', 'caption-owl'),
      guides.guide('가이드입니다.'),
      guides.remember(),
    ];
    const session = await guides.begin(script, { tools: [broken(raise)], store, threadId: 't' });
    await session.send({ type: 'EDIT', sub_tasks: ['자막 넣기'] });
    await session.send({ type: 'APPROVE' });
    return outsideOf(store, session.runtime, session.runId, session.model.requests, session.result());
  },
  async 'contract-agent'(raise) {
    const model = scriptedModel([
      contracts.callsOf(['hybrid_search', { topics: [{ topic_name: '고장', queries: ['고장'] }] }]),
      contracts.enough(true),
      contracts.answer('모르겠습니다.'),
    ] as Script);
    const embedder = hashedEmbedder();
    const failing = {
      ...embedder,
      embed: async (texts: readonly string[], options?: Parameters<typeof embedder.embed>[1]) => {
        if (texts.some((text) => text.includes('고장'))) throw raise();
        return embedder.embed(texts, options);
      },
    };
    const store = memoryStore();
    const runtime = createRuntime({ store });
    const workflow = contractAgent({ contracts: [{ contract: contracts.contract }], model, retrieval: { embedder: failing } });
    const run = runtime.start(workflow, { input: '손해배상은?' }, { threadId: 't' });
    return outsideOf(store, runtime, run.id, model.requests, await run.result);
  },
};

/** Each machine, with a model whose client throws at the first request. */
const started = async <TInput>(workflow: Workflow<TInput, unknown, unknown>, input: TInput): Promise<Outside> => {
  const store = memoryStore();
  const runtime = createRuntime({ store });
  const run = runtime.start(workflow, input, { threadId: 't' });
  return outsideOf(store, runtime, run.id, [], await run.result);
};
const dead = (raise: () => unknown): ChatModel => ({ ...scriptedModel([]), generate: () => Promise.reject(raise()) });
const withModel: Readonly<Record<string, Machine>> = {
  'plan-execute': (raise) => started(planExecute({ model: dead(raise), tools: [] }), { input: 'q' }),
  'tool-agent': (raise) => started(toolAgent({ model: dead(raise) }), { input: 'q' }),
  'chat-agent': (raise) => started(chatAgent({ model: dead(raise) }), { input: 'q' }),
  'guide-agent': (raise) => started(guideAgent({ model: dead(raise), knowledge: guides.knowledge }), { input: 'q', userId: 'kim' }),
  'contract-agent': (raise) =>
    started(contractAgent({ contracts: [{ contract: contracts.contract }], model: dead(raise) }), { input: '손해배상은?' }),
};

const table = (machines: Readonly<Record<string, Machine>>): [string, string][] =>
  Object.keys(machines).flatMap((machine) => Object.keys(thrown).map((what): [string, string] => [machine, what]));

const play = async (machines: Readonly<Record<string, Machine>>, machine: string, what: string): Promise<Outside> => {
  const [run, raise] = [machines[machine], thrown[what]];
  if (!run || !raise) throw new Error(`There is no ${machine} or ${what}.`);
  return run(raise);
};

describe('errors of a tool with hidden errors', () => {
  it.each(table(withTool))('reach no model and no user: %s, %s', async (machine, what) => {
    const { requests, result, thread, events } = await play(withTool, machine, what);
    expect(JSON.stringify({ requests, result, thread })).not.toContain(secret);
    // the model is told that it has failed, and which tool
    if (machine !== 'contract-agent')
      expect(JSON.stringify(requests).replaceAll('\\', '')).toContain('TOOL_FAILED: The tool "broken" failed.');
    // and the log says why
    const causes = events.flatMap((event) => (event.type === 'tool-end' && event.cause ? [event.cause] : []));
    expect(causes.length).toBeGreaterThan(0);
    if (what !== 'an error with a cause') expect(JSON.stringify(causes)).toContain(secret);
  });
});

describe("errors of a model's client", () => {
  it.each(table(withModel))('reach no user: %s, %s', async (machine, what) => {
    const { result, thread, events } = await play(withModel, machine, what);
    const { output } = result as { readonly output: unknown };
    expect(JSON.stringify({ output, thread })).not.toContain(secret);
    if (what !== 'an error with a cause') expect(JSON.stringify(events)).toContain(secret);
  });
});
