import { WorkflowError } from '../errors.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { Taint } from '../ports/taint.ts';
import type { Tool, ToolInput, ToolOutput } from '../ports/tool.ts';
import type { ValidatedCall } from '../ports/tool-call.ts';
import { isValidated } from '../util/validated.ts';
import { threadTaint } from './approval.ts';
import { assertArguments, type CallEnvironment, toEnvironment, unknownTool } from './call-tool.ts';
import { effectOf } from './effect-of.ts';
import type { CallOptions, CallRecord, HeldCall } from './execute-plan.types.ts';
import { isNotCallable } from './is-not-callable.ts';
import type { Job } from './job.ts';
import { runJobs } from './run-jobs.ts';
import { toolSignature } from './tool-signature.ts';

export interface ExecuteCallsOptions<TTool extends Tool = Tool> extends CallOptions<TTool> {
  /**
   * Calls that were made before, in order: one with the signature of a successful one is not made again, unless something with an effect
   * has been at work since. @default []
   */
  readonly history?: readonly CallRecord[];
  /** Stands in front of the keys of its steps: a node that executes calls several times in one visit gives each time its own. @default '' */
  readonly keyPrefix?: string;
}

/** One executed call of a model. */
export interface PastCall<TName extends string = string, TInput = JsonObject, TOutput = Json> extends CallRecord<TOutput> {
  readonly call: ValidatedCall<TName, TInput>;
}

/** An executed call of any of these tools, with the arguments and the output of its own. */
export type ToolResult<TTool extends Tool> = TTool extends Tool ? PastCall<TTool['name'], ToolInput<TTool>, ToolOutput<TTool>> : never;

/** A model's call that waits for a human. */
export interface HeldModelCall extends HeldCall {
  readonly call: ValidatedCall;
}

export interface CallsResult<TResult = PastCall> {
  /** In the order of the calls, whatever order they finished in; without those that are held. */
  readonly results: readonly TResult[];
  /** What waits for a human, in the order of the calls: nothing of it was done. Pass what was approved with `approved`. */
  readonly held: readonly HeldModelCall[];
  /** What was not made: it stands behind a held call, and has to come after it. */
  readonly remaining: readonly ValidatedCall[];
  /** What the thread holds now. */
  readonly taint: Taint;
}

/**
 * Executes a model's tool calls: at the same time when there are several and none of them is `once`, else one after the other.
 *
 * @throws {WorkflowError} `TOOL_CALL_INVALID` for a call that `parseToolCall` has not made; `OPTION_INVALID`; `CALL_IN_DOUBT`; the reason of an abort. A failing
 *   tool is a failed call, not an exception.
 */
export async function executeCalls<TTool extends Tool>(
  calls: readonly ValidatedCall[],
  options: ExecuteCallsOptions<TTool>,
): Promise<CallsResult<ToolResult<TTool>>> {
  for (const call of calls) assertValidated(call);
  const environment = toEnvironment(options);
  const callOf = new Map(calls.map((call, index) => [toJob(call, `${options.keyPrefix ?? ''}call_${index}`, index, environment), call]));
  const jobs = [...callOf.keys()];
  const { records, held, remaining, taint } = await runJobs(
    jobs,
    {
      execution: jobs.some(({ effect }) => effect === 'once') ? 'sequential' : 'auto',
      until: 'end',
      history: options.history ?? [],
      succeeded: [],
      taint: threadTaint(options),
    },
    environment,
  );
  const withCalls = <T extends object>(ends: ReadonlyMap<Job, T>): (T & { readonly call: ValidatedCall })[] =>
    [...ends].flatMap(([job, end]) => {
      const call = callOf.get(job);
      return call ? [{ call, ...end }] : [];
    });
  const heldJobs = new Set(held.keys());
  const behind = remaining.flatMap((job) => (heldJobs.has(job) ? [] : (callOf.get(job) ?? [])));
  const results: readonly PastCall[] = withCalls(records);
  // a tool's output has the type that the tool says: `defineTool` holds it to that
  return { results: results as readonly ToolResult<TTool>[], held: withCalls(held), remaining: behind, taint };
}

const toJob = (call: ValidatedCall, key: string, index: number, environment: CallEnvironment): Job => {
  const { name, args } = call;
  const tool = environment.tools.get(name);
  return {
    id: index,
    key,
    effect: effectOf(tool),
    needs: [],
    prepare() {
      if (!tool) return unknownTool(name);
      try {
        // the tool that is run need not be the one that the call was checked against
        assertArguments(tool, args, `The call of "${name}" was not made`, environment);
        return { tool, args, signature: toolSignature({ name, args }) };
      } catch (error) {
        if (isNotCallable(error)) return error;
        throw error;
      }
    },
  };
};

function assertValidated(call: ValidatedCall): void {
  if (isValidated(call)) return;
  throw new WorkflowError({
    code: 'TOOL_CALL_INVALID',
    message: `The call of "${call.name}" did not come from parseToolCall, so it is not made.`,
    hint: "Pass the model's call to parseToolCall, and its result to executeCalls.",
  });
}
