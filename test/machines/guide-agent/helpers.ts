import { createRuntime, type HumanEvent, type Interrupt, type RunResult, type RunStore, type Tool } from 'agent-machines';
import { createKnowledgeBase, type GuideAgentOptions, type GuideAgentOutput, guideAgent } from 'agent-machines/machines/guide-agent';
import { createLongTermMemory, type LongTermMemory } from 'agent-machines/memory';
import { type Script, type ScriptedReply, scriptedModel } from 'agent-machines/models';
import { hashedEmbedder, memoryIndex } from 'agent-machines/search';
import { expect } from 'vitest';
import { modelCallsOf, pathOf } from '../../fixtures/watch-run.ts';

const service = (id: string, name: string, purpose: string, tags: readonly string[], amount = 10) => ({
  id,
  name,
  category: tags[0] ?? 'etc',
  purpose,
  description: `${purpose}를 돕는다.`,
  description_en: `${name} helps.`,
  price: { amount, currency: 'USD', per: 'month', free_tier: false },
  languages: ['ko'],
  tags: [...tags],
});

/** Three services, and a page about one of them. */
export const knowledge = createKnowledgeBase(
  [
    service('script-fox', '대본여우', '영상 대본 쓰기', ['글쓰기', '대본']),
    service('caption-owl', '자막부엉', '자막 넣기', ['영상', '자막']),
    service('free-caption', '무료자막', '자막 달기', ['영상', '자막'], 0),
  ],
  [{ name: 'trends.md', text: '# 동향\n\n## 자막\n\n자막부엉은 자막을 빨리 만든다.\n' }],
  { isPrivate: false },
);

export const newMemory = (): LongTermMemory => {
  const embedder = hashedEmbedder();
  return createLongTermMemory({ index: memoryIndex({ embedder }), embedder });
};

const asked =
  (task: string) =>
  (reply: ScriptedReply['reply']): ScriptedReply => ({ task: `guide_agent.${task}`, reply });

export const work = asked('llm_router')({ is_complex_task: true, reason: '' });
export const question = asked('llm_router')({ is_complex_task: false, reason: '' });
export const planReply = asked('planning_node');
export const plan = (...sub_tasks: readonly string[]): ScriptedReply => planReply({ sub_tasks });
export const recommendation = asked('recommend_tool_node');
export const calls = (...made: readonly (readonly [name: string, args: unknown])[]): ScriptedReply =>
  recommendation({ toolCalls: made.map(([name, args], index) => ({ id: `c${index + 1}`, name, arguments: args as never })) });
export const lookUp = calls(['retrieve_docs', { query: '자막' }]);
export const pick = (service: string, ...source_ids: readonly string[]): ScriptedReply =>
  recommendation({ service, reason: '알맞다', source_ids });
export const guide = asked('guide_generation_node');
export const reflection = asked('reflection_node');
export const remember = (...memories: readonly { readonly kind: string; readonly text: string }[]): ScriptedReply =>
  reflection({ memories });

/** What follows the approval of a plan of one sub-task. */
export const rest = [lookUp, pick('자막부엉', 'caption-owl'), guide('가이드입니다.'), remember()] as const;

export interface SessionOptions extends Partial<GuideAgentOptions> {
  readonly store?: RunStore;
  readonly input?: string;
  readonly userId?: string;
  readonly threadId?: string;
}

/** A run of guide-agent with a scripted model, up to where it waits or ends. */
export async function begin(script: readonly ScriptedReply[], options: SessionOptions = {}) {
  const { store, input = '쇼츠를 만들고 싶어', userId = 'kim', threadId, ...rest } = options;
  const model = scriptedModel(script as Script);
  const workflow = guideAgent({ knowledge, model, ...rest });
  const runtime = createRuntime({ ...(store ? { store } : {}), workflows: [workflow] });
  const run = runtime.start(workflow, { input, userId }, threadId === undefined ? {} : { threadId });
  let result: RunResult<unknown> = await run.result;
  const events = async () => (await runtime.history(run.id)).flatMap((entry) => entry.events);
  return {
    model,
    workflow,
    runtime,
    runId: run.id,
    interrupt: (): Interrupt => interruptOf(result),
    result: (): RunResult<unknown> => result,
    async send(event: HumanEvent, interruptId = interruptOf(result).id): Promise<RunResult<unknown>> {
      result = await (await runtime.send(run.id, event, { interruptId })).result;
      return result;
    },
    /** The end of the run, whose script must be used up. */
    end(): { readonly finalState: string; readonly output: GuideAgentOutput } {
      model.assertConsumed();
      if (!('finalState' in result)) throw new Error(`no end: ${JSON.stringify(result)}`);
      return { finalState: result.finalState, output: result.output as GuideAgentOutput };
    },
    events,
    /** The nodes, in the order in which they began. */
    path: async () => pathOf(await events()),
    modelCalls: async () => modelCallsOf(await events()),
    toolsCalled: async () => (await events()).flatMap((event) => (event.type === 'tool-start' ? [event.tool] : [])),
  };
}

export function interruptOf(result: RunResult<unknown>): Interrupt {
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(`it does not wait: ${JSON.stringify(result)}`);
  return result.interrupt;
}

/** Approves the plan of a run that waits, and hands its end out. */
export async function approved(script: readonly ScriptedReply[], options: SessionOptions = {}) {
  const session = await begin(script, options);
  await session.send({ type: 'APPROVE' });
  return { ...session, ...session.end() };
}

/** The tool messages of a request, parsed. */
export const answersIn = ({ messages }: { readonly messages: readonly { readonly role: string; readonly content: string }[] }) =>
  messages.flatMap(({ role, content }) => (role === 'tool' ? [JSON.parse(content) as Record<string, unknown>] : []));

/** A tool that does what it is told, counting its calls. */
export function fakeTool(name: string, run: () => unknown, more: Partial<Tool> = {}): Tool & { readonly made: readonly unknown[] } {
  const made: unknown[] = [];
  return {
    name,
    description: name,
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, additionalProperties: false },
    effect: 'pure',
    capabilities: { private: false, untrusted: true, external: false },
    ...more,
    made,
    async execute(args) {
      made.push(args);
      return run() as never;
    },
  };
}

/** What a refused call rejects with, as code and message. */
export async function refusal(promise: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  const error = await promise.then(
    () => undefined,
    (cause: { readonly code: string; readonly message: string }) => cause,
  );
  expect(error).toBeDefined();
  return { code: error?.code ?? '', message: error?.message ?? '' };
}
