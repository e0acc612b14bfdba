import { fromErrorInfo, keepThrown, thrownOf, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { Tool, ToolInput, ToolOutput } from '../../core/ports/tool.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { callInvalid, validateCall } from '../../core/tool-facts/validate-call.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { isObject } from '../../core/util/is-object.ts';
import { toJson } from '../../core/util/to-json.ts';
import { describeReasons } from './approval-needed.ts';
import { executeCalls } from './execute-calls.ts';
import type { CallOptions, HeldCall } from './execute-plan.types.ts';

/** Options of a call that a node makes itself. */
export interface CallToolOptions extends Omit<CallOptions, 'tools' | 'concurrency' | 'io'> {
  /** Key of the call within the node's visit. A second call of the same tool needs one. @default the tool's name */
  readonly key?: string;
}

/**
 * Outcome of `tryTool`, with the taint of the thread after the call. A held call has not run: ask a human, and pass it with `approved`.
 */
export type ToolCallOutcome<TOutput = Json> = { readonly taint: Taint } & (
  | { readonly status: 'success'; readonly output: TOutput }
  | { readonly status: 'failure'; readonly error: ErrorInfo }
  | HeldCall
);

type CallIo = Pick<NodeIo, 'step' | 'emit' | 'recorded' | 'runId' | 'threadId' | 'signal' | 'guards'>;

/**
 * Calls a tool from a node and returns its output. The call is a journaled step, so a restart does not repeat it.
 *
 * The returned `taint` is that of the thread after the call, and an error of the tool carries it in `data.taint`. Store it if the state has
 * a taint.
 *
 * @throws {WorkflowError} The error of the tool; `CALL_NEEDS_APPROVAL` for a call that needs approval; all errors of `tryTool`.
 * @example const { output } = await callTool(pay, io, { euros: 5 });
 */
export async function callTool<TTool extends Tool>(
  tool: TTool,
  io: CallIo,
  args: ToolInput<TTool>,
  options: CallToolOptions = {},
): Promise<{ readonly output: ToolOutput<TTool>; readonly taint: Taint }> {
  const end = await tryTool(tool, io, args, options);
  if (end.status === 'success') return { output: end.output, taint: end.taint };
  const taint = { ...end.taint };
  if (end.status === 'failure') throw fromErrorInfo(keepThrown({ ...end.error, data: { ...end.error.data, taint } }, thrownOf(end.error)));
  throw new WorkflowError({
    code: 'CALL_NEEDS_APPROVAL',
    message: describeReasons(end),
    hint: 'Call it with tryTool, ask a human in a waiting state, and pass the approved call with `approved`.',
    data: { tool: end.tool, args: end.args, taint },
  });
}

/**
 * Calls a tool from a node and returns the outcome: `success`, `failure` or `held`. The call is a journaled step, so a restart does not
 * repeat it, and a `once` call that a crash interrupts is in doubt. It is cancelled with the node.
 *
 * @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED`; `TOOL_CALL_INVALID` for arguments that do not match the tool's schema; `TOOL_INVALID` for an unusable schema;
 * `STEP_KEY_REUSED` for a second call under the same key; `CALL_IN_DOUBT`; `OPTION_INVALID`; the reason of an abort.
 * @example const end = await tryTool(pay, io, { euros: 5 }, { key: 'deposit', taint: state.taint });
 */
export async function tryTool<TTool extends Tool>(
  tool: TTool,
  io: CallIo,
  args: ToolInput<TTool>,
  more: CallToolOptions = {},
): Promise<ToolCallOutcome<ToolOutput<TTool>>> {
  assertTypes(tool, io, more);
  const { key = tool.name, signal, ...options } = more;
  const { validator = jsonSchemaValidator } = options;
  const call = validateCall(tool, { id: key, args: toArguments(tool, args) }, validator);
  const { results, held, taint } = await executeCalls([call], {
    ...options,
    tools: [tool],
    io,
    signal: signal ? AbortSignal.any([io.signal, signal]) : io.signal,
    keyPrefix: `${key}_`,
  }).catch((cause: unknown) => {
    throw hasCode(cause, 'STEP_KEY_REUSED') ? keyReused(tool.name, key) : cause;
  });
  for (const { call: _, ...one } of held) return { ...one, taint };
  const [made] = results;
  if (made?.status === 'failure') return { status: 'failure', error: made.error, taint };
  // `defineTool` guarantees the type of a tool's output
  return { status: 'success', output: (made?.output ?? null) as ToolOutput<TTool>, taint };
}

/** Repeats the type check for callers without types. */
function assertTypes(tool: unknown, io: unknown, options: unknown): void {
  const refuse = (message: string, code: 'TOOL_INVALID' | 'OPTION_INVALID'): WorkflowError =>
    new WorkflowError({
      code,
      message,
      hint: 'Write callTool(tool, io, args, options), with a tool from defineTool and the io of the node.',
    });
  if (!isObject(tool) || typeof tool.execute !== 'function') throw refuse('The first argument of the call is not a tool.', 'TOOL_INVALID');
  if (!isObject(io) || typeof io.step !== 'function')
    throw refuse('The second argument of the call is not the io of a node.', 'OPTION_INVALID');
  if (!isObject(options)) throw refuse('The options of the call are not an object.', 'OPTION_INVALID');
}

function toArguments(tool: Tool, args: unknown): JsonObject {
  try {
    return toJson(args, 'args') as JsonObject;
  } catch (error) {
    if (hasCode(error, 'VALUE_NOT_JSON')) throw callInvalid(tool.name, error.message.replace(/\.$/, ''));
    throw error;
  }
}

const keyReused = (tool: string, key: string): WorkflowError =>
  new WorkflowError({
    code: 'STEP_KEY_REUSED',
    message: `This visit of the node has already called a tool under the key "${key}".`,
    hint: `Pass a key to the second call of "${tool}", such as { key: '${key}-2' }.`,
    data: { tool, key },
  });
