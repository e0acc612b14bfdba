import { WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { RunEvent } from '../../core/ports/run-event.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { itemAmong } from '../../core/util/id-among.ts';
import { newId } from '../../core/util/ids.ts';
import type { AnyWorkflow } from '../../engine/define/define-workflow.ts';
import type { Run, RunResult } from '../../engine/drive/run.ts';
import type { Runtime } from '../../engine/run/runtime.ts';

/** A workflow that is offered as a tool. */
export interface McpWorkflow {
  /** Name of the tool. */
  readonly id: string;
  readonly workflow: AnyWorkflow;
  readonly title?: string;
  /** Purpose of the workflow and when to use it, for the model. */
  readonly description?: string;
  /** JSON Schema of the input; must be an object. @default `{ input: string }` */
  readonly inputSchema?: JsonObject;
  /**
   * Field of a human's event that a plain text fills, by event type.
   * @default { REVISE: 'feedback', REJECT: 'reason' }
   */
  readonly textFields?: Readonly<Record<string, string>>;
}

/** Workflows and runs that MCP clients can reach. */
export interface McpSpace {
  readonly runtime: Runtime;
  readonly workflows: readonly McpWorkflow[];
  /** The same space for the requests of one actor. Default: the actor is not recorded. */
  as?(actor: Actor): McpSpace;
  /** Starts a run. Default: `runtime.start`. */
  start?(request: { readonly workflow: string; readonly input: Json; readonly threadId?: string }): Promise<{ readonly runId: string }>;
  /** Events of a run that `start` has started, until it rests. Default: the runtime's events. */
  events?(runId: string, options: { readonly from?: number; readonly signal?: AbortSignal }): AsyncIterable<RunEvent>;
}

/** Finds a workflow by its tool's name, with `-` or `_` between words: `plan-execute`, `plan_execute`. */
export const workflowNamed = ({ workflows }: McpSpace, name: string): McpWorkflow | undefined => itemAmong(name, workflows, ({ id }) => id);

/** A run whose events and result are followed. */
export type FollowedRun = Pick<Run<unknown>, 'id' | 'events' | 'result'> & { readonly threadId?: string };

/** @throws {WorkflowError} the errors of starting a run. */
export async function startRunIn(
  space: McpSpace,
  { id, workflow }: McpWorkflow,
  input: JsonObject,
  threadId: string | undefined,
): Promise<FollowedRun> {
  const conversation = threadId ?? (workflow.thread ? newId('t') : undefined);
  const inThread = conversation === undefined ? {} : { threadId: conversation };
  if (!space.start) return space.runtime.start(workflow, input, inThread);
  const { runId } = await space.start({ workflow: id, input, ...inThread });
  return Object.assign(followRunIn(space, runId), inThread); // a copy would read the `result` getter now
}

function followRunIn({ runtime, events }: McpSpace, runId: string): FollowedRun {
  return {
    id: runId,
    events: (options) => (events ? events(runId, { ...options }) : runtime.events(runId, options)),
    get result(): Promise<RunResult<unknown>> {
      return awaitResult(runtime, runId);
    },
  };
}

/** The events may end shortly before the result is known. A run that is driven here is awaited. */
async function awaitResult(runtime: Runtime, runId: string): Promise<RunResult<unknown>> {
  const { result } = await runtime.get(runId);
  if (result) return result;
  try {
    return await (await runtime.resume(runId)).result;
  } catch (error) {
    if (!hasCode(error, 'RUN_BUSY', 'THREAD_BUSY', 'RUNTIME_CLOSED')) throw error;
    return resultOf(runtime, runId);
  }
}

/** Result of a run that another process drives. */
export async function resultOf(runtime: Runtime, runId: string): Promise<RunResult<unknown>> {
  const { result, status } = await runtime.get(runId);
  return (
    result ?? {
      status: 'failed',
      error: new WorkflowError({ code: 'RUN_BUSY', message: `The run is ${status}.`, hint: 'Call show_run later.' }).toJSON(),
      resumable: true,
    }
  );
}
