import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { Tool, ToolInput, ToolOutput } from '../../core/ports/tool.ts';
import type { ValidatedCall } from '../../core/ports/tool-call.ts';
import { isValidated } from '../../core/util/validated.ts';
import { threadTaint } from './approval.ts';
import { effectOf } from './effect-of.ts';
import type { CallOptions, CallRecord, HeldCall } from './execute-plan.types.ts';
import { isNotCallable } from './is-not-callable.ts';
import type { Job } from './job.ts';
import { assertArguments, type CallEnvironment, toEnvironment, unknownTool } from './journal-call.ts';
import { runJobs } from './run-jobs.ts';
import { toolSignature } from './tool-signature.ts';

export interface ExecuteCallsOptions<TTool extends Tool = Tool> extends CallOptions<TTool> {
  /**
   * Earlier calls, in order. A call with the signature of a successful one is not repeated, unless a call with an effect ran since.
   * @default []
   */
  readonly history?: readonly CallRecord[];
  /** Prefix of its step keys. A node that executes calls several times in one visit needs a different one each time. @default '' */
  readonly keyPrefix?: string;
}

/** One executed call of a model. */
export type PastCall<TName extends string = string, TInput = JsonObject, TOutput = Json> = CallRecord<TOutput> & {
  readonly call: ValidatedCall<TName, TInput>;
};

/** An executed call of any of these tools, with its typed arguments and output. */
export type ToolResult<TTool extends Tool> = TTool extends Tool ? PastCall<TTool['name'], ToolInput<TTool>, ToolOutput<TTool>> : never;

/** A model's call that needs approval. */
export interface HeldModelCall extends HeldCall {
  readonly call: ValidatedCall;
}

export interface CallsResult<TResult = PastCall> {
  /** In the order of the calls, whatever order they finished in; without held ones. */
  readonly results: readonly TResult[];
  /** Calls that need approval, in the order of the calls; none of them has run. Pass approved ones with `approved`. */
  readonly held: readonly HeldModelCall[];
  /** Calls after a held one; they must run after it. */
  readonly remaining: readonly ValidatedCall[];
  /** Taint of the thread after these calls. */
  readonly taint: Taint;
}

/**
 * Executes a model's tool calls: concurrently, or one after the other if one of them is `once`.
 *
 * @throws {WorkflowError} `TOOL_CALL_INVALID` for a call that `parseToolCall` did not create; `OPTION_INVALID`; `CALL_IN_DOUBT`; the reason
 * of an abort. A failing tool is a failed call, not an exception.
 */
export async function executeCalls<TTool extends Tool>(
  calls: readonly ValidatedCall[],
  options: ExecuteCallsOptions<TTool>,
): Promise<CallsResult<ToolResult<TTool>>> {
  for (const call of calls) assertValidated(call);
  const environment = toEnvironment(options);
  // Decision 126: without a step of its own, a repeated model reply may put other calls under these keys.
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
  // `defineTool` guarantees the type of a tool's output
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
        // the executed tool may differ from the one that the call was checked against
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
    message: `The call of "${call.name}" did not come from parseToolCall.`,
    hint: "Pass the model's call to parseToolCall, and its result to executeCalls.",
  });
}
