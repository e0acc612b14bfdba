import { createRuntime, type Json, type Retriever, type RunStore, type Runtime, type Tool, type ToolCapabilities } from 'agent-machines';
import { folderDocuments } from 'agent-machines/documents';
import { type ChatAgentOptions, type ChatAgentOutput, type ChatAgentThread, chatAgent } from 'agent-machines/machines/chat-agent';
import type { WindowState } from 'agent-machines/memory';
import { type Script, scriptedModel } from 'agent-machines/models';
import { bm25Retriever } from 'agent-machines/search';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';
import { type WatchedRun, watchRun } from '../../fixtures/watch-run.ts';

const { documents } = await folderDocuments({ root: 'machines/chat-agent/examples', include: ['.'] });

/** The documents that ship with the workflow. */
export const policies: Retriever = bm25Retriever(documents);

/** A tool of one text argument that answers as it is told, and remembers what it was asked. */
export function textTool(
  name: string,
  answer: (text: string) => Json,
  capabilities: Partial<ToolCapabilities> = {},
): Tool & { readonly asked: string[] } {
  const asked: string[] = [];
  const tool = defineTool({
    name,
    description: `Answers ${name}.`,
    access: 'compute',
    capabilities,
    input: z.strictObject({ text: z.string() }),
    execute: async ({ text }) => {
      asked.push(text);
      return answer(text);
    },
  });
  return { ...tool, asked };
}

/** What the model answers, in order. */
export interface Reply {
  readonly task: string;
  readonly reply: unknown;
}

export const toAgent: Reply = { task: 'chat_agent.router', reply: { route: 'agent', reason: 'talk' } };
export const toRag: Reply = { task: 'chat_agent.router', reply: { route: 'rag', reason: 'a policy' } };
export const says = (text: string): Reply => ({ task: 'chat_agent.agent', reply: text });
export const summary = (text: string): Reply => ({ task: 'chat_agent.memory', reply: text });
export const calls = (...made: readonly (readonly [name: string, args: unknown, id?: string])[]): Reply => ({
  task: 'chat_agent.agent',
  reply: { toolCalls: made.map(([name, args, id]) => ({ name, arguments: args, ...(id === undefined ? {} : { id }) })) },
});

export type Played = WatchedRun<ChatAgentOutput>;

export interface PlayOptions extends ChatAgentOptions {
  readonly store?: RunStore;
  readonly threadId?: string;
}

/** Runs one turn with a scripted model, which must be used up. */
export async function play(
  script: readonly Reply[],
  input: string,
  { store, threadId, ...options }: PlayOptions = {},
): Promise<Played & { readonly requests: ReturnType<typeof scriptedModel>['requests'] }> {
  const model = scriptedModel(script as Script);
  const played = await turn(createRuntime(store ? { store } : {}), chatAgent({ model, ...options }), input, threadId);
  model.assertConsumed();
  return { ...played, requests: model.requests };
}

/** Runs one turn with a scripted model, up to where it waits or ends. */
export async function start(script: readonly Reply[], input: string, { store, threadId, ...options }: PlayOptions = {}) {
  const model = scriptedModel(script as Script);
  const workflow = chatAgent({ model, ...options });
  const runtime = createRuntime({ ...(store ? { store } : {}), workflows: [workflow] });
  const run = runtime.start(workflow, { input }, threadId === undefined ? {} : { threadId });
  return { model, runtime, run, result: await run.result };
}

/** What a turn asks a human. */
export async function question(...args: Parameters<typeof start>): Promise<Json | undefined> {
  const { result, model } = await start(...args);
  model.assertConsumed();
  if (result.status !== 'waiting' || !result.interrupt) throw new Error(`it does not wait: ${JSON.stringify(result)}`);
  return result.interrupt.question;
}

/** Runs one turn of a conversation. */
export const turn = (runtime: Runtime, workflow: ReturnType<typeof chatAgent>, input: string, threadId?: string): Promise<Played> =>
  watchRun(runtime.start(workflow, { input }, threadId === undefined ? {} : { threadId }));

/** What a thread remembers. */
export async function threadOf(store: RunStore, threadId: string): Promise<{ readonly window: WindowState } & ChatAgentThread> {
  const thread = await store.readThread(threadId);
  return thread?.state as never;
}

export const windowOf = async (store: RunStore, threadId: string): Promise<WindowState> => (await threadOf(store, threadId)).window;
