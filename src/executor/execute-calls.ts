import { WorkflowError } from '../errors.ts';
import type { ValidatedCall } from '../ports/tool-call.ts';
import { isValidated } from '../util/validated.ts';
import { capabilitiesOf, toEnvironment } from './call-tool.ts';
import { SharedCalls } from './execute-plan.ts';
import type { CallOptions, CallRecord } from './execute-plan.types.ts';

export interface ExecuteCallsOptions extends CallOptions {
  /** Calls that were made before: one with the signature of a successful one is not made again. @default [] */
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
 * @throws {WorkflowError} `TOOL_CALL_INVALID` for a call that `parseToolCall` has not made; `CALL_IN_DOUBT`; the reason of an abort. A failing
 *   tool is a failed call, not an exception.
 */
export async function executeCalls(calls: readonly ValidatedCall[], options: ExecuteCallsOptions): Promise<CallsResult> {
  for (const call of calls) assertValidated(call);
  const environment = toEnvironment(options);
  const shared = new SharedCalls(options.history ?? [], environment);
  const once = calls.some(({ name }) => (environment.tools.get(name)?.effect ?? 'once') === 'once');
  const concurrency = once ? 1 : (options.concurrency ?? 8);
  const results: PastCall[] = [];
  let tainted = options.tainted ?? false;
  for (let first = 0; first < calls.length; first += concurrency) {
    const before = tainted;
    const batch = calls.slice(first, first + concurrency);
    const made = await Promise.all(
      batch.map(async (call, index) => ({ call, ...(await shared.call(`call_${first + index}`, call.name, call.args, before)) })),
    );
    results.push(...made);
    tainted ||= made.some(({ call, status }) => {
      const tool = environment.tools.get(call.name);
      return status === 'success' && (!tool || capabilitiesOf(tool).private);
    });
  }
  return { results, tainted };
}

function assertValidated(call: ValidatedCall): void {
  if (isValidated(call)) return;
  throw new WorkflowError({
    code: 'TOOL_CALL_INVALID',
    message: `The call of "${call.name}" did not come from parseToolCall, so it is not made.`,
    hint: "Pass the model's call to parseToolCall, and its result to executeCalls.",
  });
}
