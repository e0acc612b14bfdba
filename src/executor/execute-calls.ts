import { WorkflowError } from '../errors.ts';
import type { ValidatedCall } from '../ports/tool-call.ts';
import { isValidated } from '../util/validated.ts';
import { assertArguments, capabilitiesOf, failure, toEnvironment, unknownTool } from './call-tool.ts';
import type { CallOptions, CallRecord } from './execute-plan.types.ts';
import { isNotCallable, SharedCalls } from './shared-calls.ts';

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
 * @throws {WorkflowError} `TOOL_CALL_INVALID` for a call that `parseToolCall` has not made; `OPTION_INVALID`; `CALL_IN_DOUBT`; the reason of an abort. A failing
 *   tool is a failed call, not an exception.
 */
export async function executeCalls(calls: readonly ValidatedCall[], options: ExecuteCallsOptions): Promise<CallsResult> {
  for (const call of calls) assertValidated(call);
  const environment = toEnvironment(options);
  const { tools } = environment;
  const shared = new SharedCalls(options.history ?? [], environment);
  const once = calls.some(({ name }) => (tools.get(name)?.effect ?? 'once') === 'once');
  const concurrency = once ? 1 : environment.concurrency;
  const results: PastCall[] = [];
  let tainted = options.tainted ?? false;

  const make = async (call: ValidatedCall, index: number, before: boolean): Promise<PastCall> => {
    const tool = tools.get(call.name);
    try {
      if (!tool) throw unknownTool(call.name);
      // the tool that is run need not be the one that the call was checked against
      assertArguments(tool, call.args, `The call of "${call.name}" was not made`, environment);
      return { call, ...(await shared.call(`call_${index}`, tool, call.args, before)) };
    } catch (error) {
      if (isNotCallable(error)) return { call, ...failure(error, '', environment.clock.now()) };
      throw error;
    }
  };

  for (let first = 0; first < calls.length; first += concurrency) {
    const before = tainted; // what runs at the same time cannot know of each other's results
    const batch = calls.slice(first, first + concurrency);
    const made = await Promise.all(batch.map((call, index) => make(call, first + index, before)));
    results.push(...made);
    tainted ||= made.some(({ call, status }) => {
      const tool = tools.get(call.name);
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
