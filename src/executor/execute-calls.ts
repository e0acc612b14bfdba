import { WorkflowError } from '../errors.ts';
import type { ValidatedCall } from '../ports/tool-call.ts';
import { isValidated } from '../util/validated.ts';
import { assertArguments, type CallEnvironment, toEnvironment, unknownTool } from './call-tool.ts';
import type { CallOptions, CallRecord } from './execute-plan.types.ts';
import { isNotCallable } from './is-not-callable.ts';
import type { Job } from './job.ts';
import { runJobs } from './run-jobs.ts';
import { toolSignature } from './tool-signature.ts';

export interface ExecuteCallsOptions extends CallOptions {
  /**
   * Calls that were made before, in order: one with the signature of a successful one is not made again, unless something with an effect
   * has been at work since. @default []
   */
  readonly history?: readonly CallRecord[];
}

/** One executed call of a model. */
export interface PastCall extends CallRecord {
  readonly call: ValidatedCall;
}

export interface CallsResult {
  /** In the order of the calls, whatever order they finished in. */
  readonly results: readonly PastCall[];
  /** Private data is in the thread now. */
  readonly tainted: boolean;
}

/**
 * Executes a model's tool calls: at the same time when there are several and none of them is `once`, else one after the other.
 *
 * @throws {WorkflowError} `TOOL_CALL_INVALID` for a call that `parseToolCall` has not made; `OPTION_INVALID`; `CALL_IN_DOUBT`; the reason of an abort. A failing
 *   tool is a failed call, not an exception.
 */
export async function executeCalls(calls: readonly ValidatedCall[], options: ExecuteCallsOptions): Promise<CallsResult> {
  for (const call of calls) assertValidated(call);
  const environment = toEnvironment(options);
  const callOf = new Map(calls.map((call, index) => [toJob(call, index, environment), call]));
  const jobs = [...callOf.keys()];
  const { records, tainted } = await runJobs(
    jobs,
    {
      execution: jobs.some(({ effect }) => effect === 'once') ? 'sequential' : 'auto',
      until: 'end',
      history: options.history ?? [],
      succeeded: [],
      tainted: options.tainted ?? false,
    },
    environment,
  );
  const results = [...records].flatMap(([job, record]) => {
    const call = callOf.get(job);
    return call ? [{ call, ...record }] : [];
  });
  return { results, tainted };
}

const toJob = (call: ValidatedCall, index: number, environment: CallEnvironment): Job => {
  const { name, args } = call;
  const tool = environment.tools.get(name);
  return {
    id: index,
    key: `call_${index}`,
    effect: tool?.effect ?? 'once',
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
