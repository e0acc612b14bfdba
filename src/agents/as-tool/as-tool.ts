import { fromErrorInfo, toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import { messageOf } from '../../core/errors/message-of.ts';
import type { Json, JsonObject, JsonSchema } from '../../core/ports/json.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { Tool, ToolCapabilities, ToolWorkflow, WorkflowCallEnd, WorkflowCalls } from '../../core/ports/tool.ts';
import { standardJsonSchema } from '../../core/schema/standard-json-schema.ts';
import type { GuardEvent, TellVerdict } from '../../core/util/apply-guards.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { checkTimeout } from '../../core/util/check-integer.ts';
import { hash } from '../../core/util/hash.ts';
import { isObject } from '../../core/util/is-object.ts';
import { issuesText } from '../../core/util/issues-text.ts';
import { Stop } from '../../core/util/stop.ts';
import { everyTaint, hasTaint, noTaint, readTaint } from '../../core/util/taint.ts';
import { taintOfError } from '../../core/util/tainted-error.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { Workflow } from '../../engine/define/define-workflow.ts';
import { taintInput, taintOfEnd } from '../../engine/drive/carry-taint.ts';
import { drive } from '../../engine/drive/driver.ts';
import type { Outcome } from '../../engine/drive/host.ts';
import { type CallPlace, CallsInside, callsInside } from './calls-inside.ts';
import { runAlone } from './run-alone.ts';

/** End of a called workflow. */
export interface AgentEnd<TOutput> {
  readonly finalState: string;
  readonly output: TOutput;
}

export interface AsToolOptions<TInput, TOutput, TArgs>
  extends Pick<
    Tool,
    'name' | 'effect' | 'errors' | 'risk' | 'needsApproval' | 'maxOutputBytes' | 'maxFileBytes' | 'unavailable' | 'context'
  > {
  /** Purpose and use of the tool, for the model. */
  readonly description: string;
  /** Schema of the arguments, an object. @default { input: string } */
  readonly input?: StandardSchema<TArgs>;
  /**
   * Converts the arguments, and the data of the calling run, to the workflow's input. Default: the arguments, and with a schema for
   * `context` also that data as `context`.
   */
  readonly toInput?: (args: TArgs, context: Json | undefined) => TInput;
  /** Converts the workflow's end to the tool's output. Default: the text `answer` of the output, or the whole output without one. */
  readonly toOutput?: (end: AgentEnd<TOutput>) => Json;
  /**
   * Capabilities of the tool. A workflow with the key `taint` in its input and its state checks its own calls. Its default is none before
   * it runs, and afterwards the taint of what it has read. Default for any other workflow: all three.
   */
  readonly capabilities?: ToolCapabilities;
  /**
   * Time limit of the workflow, in milliseconds. After it, the workflow is cancelled, and the call fails with `TOOL_TIMEOUT`. Time in which
   * a run waits for an answer does not count. The clock restarts in a process that resumes the run. An interrupted `once` call inside is in
   * doubt, as always. Default: only the limits of the run.
   */
  readonly timeoutMs?: number;
}

/** Arguments of a call, and the data of its run. */
interface CallData {
  readonly args: JsonObject;
  readonly context: Json | undefined;
}

const plainInput: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole task: nothing else is known there.' } },
  required: ['input'],
  additionalProperties: false,
};

/**
 * Turns a workflow into a tool. The workflow runs inside the run that calls it, and ends with it. Its work is in that run's journal and
 * counts towards that run's limits. Its questions are asked and answered in that run, and the text that it reads taints that run. Several
 * may run at the same time, and each may call others. A failure inside fails the call.
 *
 * Outside a run (`executeCalls` without `io`, a live actor), it has its own run in memory, which cannot ask questions.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an `input` without a JSON Schema, or a `timeoutMs` out of range.
 * @example
 * const research = asTool(toolAgent({ model, tools: [webSearch()] }), { name: 'research', description: 'Finds out about a subject.' });
 * const writer = toolAgent({ model, tools: [research], instructions: 'You write short reports.' });
 */
export function asTool<TInput, TState, TOutput, TArgs = { readonly input: string }>(
  workflow: Workflow<TInput, TState, TOutput>,
  options: AsToolOptions<TInput, TOutput, TArgs>,
): Tool {
  const { input, toInput, toOutput = defaultOutput, timeoutMs = Number.POSITIVE_INFINITY, ...spec } = options;
  if (timeoutMs !== Number.POSITIVE_INFINITY) checkTimeout('timeoutMs', timeoutMs);
  const inputOf = (args: JsonObject, context: Json | undefined): TInput => {
    const read = readArguments(input, args);
    if (toInput) return toInput(read, context);
    const given: unknown = spec.context && context !== undefined ? Object.assign({}, read, { context }) : read;
    return given as TInput; // the workflow validates it itself
  };
  const outputOf = (end: AgentEnd<Json>): Json => toJson(toOutput({ ...end, output: end.output as TOutput }), `${spec.name} output`);
  const machineInput = ({ args, context }: CallData, runId: string, startedAt: number, tell?: TellVerdict): unknown =>
    workflow.toMachineInput(toJson(workflow.parseInput(inputOf(args, context), tell), 'input'), {
      runId,
      startedAt,
      thread: workflow.thread?.initial ?? null,
    });

  const driveAt = async (call: CallData, taint: Taint, { host, key, stop, guards }: CallPlace): Promise<Outcome> => {
    const outer = { taint };
    let inner: unknown;
    try {
      const verdicts: GuardEvent[] = [];
      const given = taintInput(
        machineInput(call, key, host.startedAt, (verdict) => verdicts.push(verdict)),
        outer,
      );
      // a step, because the input is parsed again at each resume
      const told = async (): Promise<number> => verdicts.map((verdict) => host.emit(verdict, key)).length;
      if (verdicts.length > 0) await host.memo(key, 'input guards', told, stop, { effect: 'pure' }, Number.POSITIVE_INFINITY);
      const { state, finalState, output, failure } = await drive(workflow, given, host, { prefix: `${key}/`, stop, guards });
      inner = state;
      const read = taintOfEnd(inner, outer) ?? everyTaint;
      if (failure) return { error: failure, taint: read };
      return { output: { output: outputOf({ finalState, output }), taint: { ...read } } };
    } catch (thrown) {
      return { error: toErrorInfo(thrown), taint: taintOfError(thrown) ?? taintOfEnd(inner, outer) ?? everyTaint };
    }
  };

  const alone: NonNullable<ToolWorkflow['runAlone']> = (args, taint, signal, context) =>
    runAlone(workflow, { toInput: () => inputOf(args, context), toOutput: outputOf, taint, signal });

  const toolWorkflow: ToolWorkflow = {
    structureHash: workflow.structureHash,
    ...(workflow.offer ? { offer: hash(canonicalJson(workflow.offer(null))) } : {}),
    callsIn: callsInside,
    runAlone: alone,
    capabilitiesOf: (args, context) => (keepsTaint(() => machineInput({ args, context }, '', 0)) ? harmless : undefined),
    async run(calls: WorkflowCalls, key, args, taint, context) {
      if (!(calls instanceof CallsInside)) throw new TypeError('The calls belong to another copy of the package.');
      const work = (within: CallPlace): Promise<Outcome> => driveAt({ args, context }, taint, within);
      return toEnd(await calls.make(key, (place) => withinTime(spec.name, timeoutMs, place, work)));
    },
  };

  return {
    effect: 'idempotent',
    errors: 'hidden', // errors come from its nodes, which are not tools
    ...spec,
    inputSchema: input ? toInputSchema(spec.name, input) : plainInput,
    timeoutMs,
    workflow: spec.capabilities ? { ...toolWorkflow, capabilitiesOf: () => spec.capabilities } : toolWorkflow,
    execute: async (args, { signal, taint = noTaint, context }) => {
      const end = await alone(args, taint, signal, context);
      if ('error' in end) throw fromErrorInfo(end.error);
      return end.output;
    },
  };
}

/** Cancels work that exceeds the limit. The resulting failure is stored as the outcome, which a replay returns without working. */
async function withinTime(
  tool: string,
  timeoutMs: number,
  place: CallPlace,
  work: (place: CallPlace) => Promise<Outcome>,
): Promise<Outcome> {
  if (timeoutMs === Number.POSITIVE_INFINITY) return work(place);
  const { host, key, stop } = place;
  const halt = new Stop();
  stop.onAbort(() => halt.abort(stop.reason));
  let cancel = (): void => {};
  const start = async (): Promise<boolean> => {
    cancel = host.clock.schedule(timeoutMs, () => halt.abort(timedOut(tool, timeoutMs)));
    return true;
  };
  // a step, because an inspection of the run performs no steps and must not start the clock
  await host.memo(key, `time limit (${host.attempt(key)})`, start, stop, { effect: 'pure' }, Number.POSITIVE_INFINITY);
  try {
    return await work({ ...place, stop: halt });
  } finally {
    cancel();
  }
}

const timedOut = (tool: string, timeoutMs: number): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_TIMEOUT',
    message: `The workflow "${tool}" did not finish within ${timeoutMs} ms.`,
    hint: `Raise timeoutMs of "${tool}", or set time limits on its nodes.`,
    retryable: true,
    data: { tool, timeoutMs },
  });

const harmless: ToolCapabilities = Object.freeze({ private: false, untrusted: false, external: false });

function readArguments<TArgs>(input: StandardSchema<TArgs> | undefined, args: JsonObject): TArgs {
  if (!input) return args as TArgs; // the executor has checked them against the schema
  const read = input['~standard'].validate(args);
  if (!(read instanceof Promise) && !read.issues) return read.value;
  const why = read instanceof Promise ? 'their schema validates asynchronously' : (issuesText(read) ?? 'they do not match the schema');
  throw new WorkflowError({
    code: 'TOOL_INPUT_INVALID',
    message: `The arguments of the workflow are invalid: ${why}.`,
    hint: 'Call it with arguments that match its description.',
  });
}

/** Returns the text answer, or the whole output without one. */
const defaultOutput = ({ output }: AgentEnd<unknown>): Json => {
  const json = toJson(output ?? null, 'output');
  return isObject(json) && typeof json.answer === 'string' ? json.answer : json;
};

function keepsTaint(inputOf: () => unknown): boolean {
  try {
    return hasTaint(inputOf());
  } catch {
    return false;
  }
}

function toEnd(outcome: Outcome): WorkflowCallEnd {
  if ('error' in outcome) return { error: outcome.error, taint: readTaint(outcome.taint) };
  const { output = null, taint } = 'output' in outcome ? outcome.output : {};
  return { output, taint: readTaint(taint) };
}

function toInputSchema(name: string, input: StandardSchema<unknown>): JsonSchema {
  try {
    return standardJsonSchema(input);
  } catch (cause) {
    throw new WorkflowError({
      code: 'OPTION_INVALID',
      message: `The input of "${name}" has no JSON Schema: ${messageOf(cause)}.`,
      hint: 'Use a schema that JSON Schema can express.',
      cause,
    });
  }
}
