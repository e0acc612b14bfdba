import { createRuntime, type RunStore } from 'agent-machines';
import { type ToolAgentOptions, type ToolAgentOutput, toolAgent } from 'agent-machines/machines/tool-agent';
import { type ScriptedReply, scriptedModel } from 'agent-machines/models';
import { type WatchedRun, watchRun } from '../../fixtures/watch-run.ts';

/** A reply of a scripted model that calls these tools. */
export const calls = (...made: readonly (readonly [name: string, args: unknown, id?: string])[]): ScriptedReply =>
  ({
    reply: { toolCalls: made.map(([name, args, id]) => ({ name, arguments: args, ...(id === undefined ? {} : { id }) })) },
  }) as ScriptedReply;

export const says = (reply: unknown): ScriptedReply => ({ reply }) as ScriptedReply;

export interface PlayOptions<TOutput> extends ToolAgentOptions<TOutput> {
  readonly store?: RunStore;
  readonly threadId?: string;
}

/** Runs one request with a scripted model, which must be used up. */
export async function play<TOutput = string>(
  script: readonly ScriptedReply[],
  input: string,
  { store, threadId, ...options }: PlayOptions<TOutput> = {},
): Promise<WatchedRun<ToolAgentOutput<TOutput>> & { readonly requests: ReturnType<typeof scriptedModel>['requests'] }> {
  const model = scriptedModel(script);
  const workflow = toolAgent({ model, ...options });
  const run = createRuntime(store ? { store } : {}).start(workflow, { input }, threadId === undefined ? {} : { threadId });
  const played = await watchRun(run);
  model.assertConsumed();
  return { ...played, requests: model.requests };
}

/** Runs one request with a scripted model, up to where it waits or ends. */
export async function start<TOutput = string>(
  script: readonly ScriptedReply[],
  input: string,
  { store, threadId, ...options }: PlayOptions<TOutput> = {},
) {
  const model = scriptedModel(script);
  const workflow = toolAgent({ model, ...options });
  const runtime = createRuntime({ ...(store ? { store } : {}), workflows: [workflow] });
  const run = runtime.start(workflow, { input }, threadId === undefined ? {} : { threadId });
  return { model, runtime, workflow, run, result: await run.result };
}
