import { createRuntime, type HumanEvent, type Json, type RunResult, type RunStore, type Tool, WorkflowError } from 'agent-machines';
import { type PlanExecuteOptions, type PlanExecuteOutput, planExecute } from 'agent-machines/machines/plan-execute';
import { type Script, scriptedModel } from 'agent-machines/models';
import { defineTool } from 'agent-machines/tools';
import { z } from 'zod';
import { type WatchedRun, watchRun } from '../../fixtures/watch-run.ts';

/** A tool of one text argument that answers as it is told, and remembers what it was asked. */
export function textTool(
  name: string,
  answer: (text: string) => Json | Promise<Json>,
  more: Partial<Tool> = {},
): Tool & { readonly asked: string[] } {
  const asked: string[] = [];
  const tool = defineTool({
    name,
    description: `Answers ${name}.`,
    access: 'compute',
    input: z.strictObject({ text: z.string() }),
    execute: async ({ text }) => {
      asked.push(text);
      return answer(text);
    },
  });
  return { ...tool, ...more, asked };
}

export const failing =
  (message: string): (() => never) =>
  () => {
    throw new WorkflowError({ code: 'TOOL_FAILED', message });
  };

export const intent = (needsTool: boolean, query = 'a question', kind = 'new_question'): Json => ({
  intent: kind,
  rewritten_query: query,
  needs_tool: needsTool,
  constraints: null,
});

/** What the model answers, in order; with a `task`, only to that one. */
export interface Reply {
  readonly task?: string;
  readonly reply: unknown;
}

export interface Played extends WatchedRun<PlanExecuteOutput> {
  readonly requests: ReturnType<typeof scriptedModel>['requests'];
}

/** Runs plan-execute with a scripted model, up to where it waits or ends. */
export async function begin(
  script: readonly Reply[],
  tools: readonly Tool[],
  options: Partial<PlanExecuteOptions> & { store?: RunStore; threadId?: string; grantEgress?: boolean } = {},
) {
  const { store, threadId, grantEgress = false, ...rest } = options;
  const model = scriptedModel(script as Script);
  const workflow = planExecute({ model, tools, ...rest });
  const runtime = createRuntime({ ...(store ? { store } : {}), workflows: [workflow] });
  const run = runtime.start(workflow, { input: 'q' }, { grantEgress, ...(threadId === undefined ? {} : { threadId }) });
  let result: RunResult<unknown> = await run.result;
  const interrupt = () => {
    if (result.status !== 'waiting' || !result.interrupt) throw new Error(`it does not wait: ${JSON.stringify(result)}`);
    return result.interrupt;
  };
  return {
    model,
    runtime,
    runId: run.id,
    interrupt,
    question: () => interrupt().question,
    result: () => result,
    async send(event: HumanEvent, interruptId = interrupt().id): Promise<RunResult<unknown>> {
      result = await (await runtime.send(run.id, event, { interruptId })).result;
      return result;
    },
    /** The end of the run, whose script must be used up. */
    end(): { readonly finalState: string; readonly output: PlanExecuteOutput } {
      model.assertConsumed();
      if (result.status !== 'done' && result.status !== 'failed') throw new Error(`it does not end: ${JSON.stringify(result)}`);
      return result as never;
    },
  };
}

/** Runs plan-execute with a scripted model, which must be used up. */
export async function play(
  script: readonly Reply[],
  tools: readonly Tool[],
  input: string,
  options: Partial<PlanExecuteOptions> & { store?: RunStore; threadId?: string } = {},
): Promise<Played> {
  const { store, threadId, ...rest } = options;
  const model = scriptedModel(script as Script);
  const runtime = createRuntime(store ? { store } : {});
  const run = runtime.start(planExecute({ model, tools, ...rest }), { input }, threadId === undefined ? {} : { threadId });
  const played = await watchRun(run);
  model.assertConsumed();
  return { ...played, requests: model.requests };
}
