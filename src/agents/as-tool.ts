import { fromErrorInfo, toErrorInfo, WorkflowError } from '../errors.ts';
import type { Json, JsonObject, JsonSchema } from '../ports/json.ts';
import type { StandardSchema } from '../ports/standard-schema.ts';
import type { Taint } from '../ports/taint.ts';
import type { Tool, ToolCapabilities, ToolWorkflow, WorkflowCallEnd, WorkflowCalls } from '../ports/tool.ts';
import { taintInput, taintOfEnd } from '../runtime/carry-taint.ts';
import { drive } from '../runtime/driver.ts';
import type { Outcome } from '../runtime/host.ts';
import { standardJsonSchema } from '../schema/standard-json-schema.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { checkTimeout } from '../util/check-integer.ts';
import { hash } from '../util/hash.ts';
import { isObject } from '../util/is-object.ts';
import { issuesText } from '../util/issues-text.ts';
import { Stop } from '../util/stop.ts';
import { everyTaint, hasTaint, noTaint, readTaint } from '../util/taint.ts';
import { taintOfError } from '../util/tainted-error.ts';
import { toJson } from '../util/to-json.ts';
import type { Workflow } from '../workflow/define-workflow.ts';
import { type CallPlace, CallsInside, callsInside } from './calls-inside.ts';
import { runAlone } from './run-alone.ts';

/** How a called workflow has ended. */
export interface AgentEnd<TOutput> {
  readonly finalState: string;
  readonly output: TOutput;
}

export interface AsToolOptions<TInput, TOutput, TArgs>
  extends Pick<Tool, 'name' | 'effect' | 'errors' | 'risk' | 'needsApproval' | 'maxOutputBytes' | 'unavailable'> {
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** Its arguments, an object. @default { input: string } */
  readonly input?: StandardSchema<TArgs>;
  /** The workflow's input. Default: the arguments. */
  readonly toInput?: (args: TArgs) => TInput;
  /** What the caller is told. Default: the text `answer` of the output, or all of the output when it has none. */
  readonly toOutput?: (end: AgentEnd<TOutput>) => Json;
  /**
   * What it touches. Default: for a workflow that keeps the key `taint` in its input and its state, nothing before it has run and what it
   * has read afterwards, since it asks about its own calls; for any other one, all three.
   */
  readonly capabilities?: ToolCapabilities;
  /**
   * How long it may work, in milliseconds; then it is cancelled, and the call has failed with `TOOL_TIMEOUT`. The time in which a run rests
   * until somebody answers does not count, and the clock starts anew in a process that goes on with the run. A `once` call in it that is cut
   * off is in doubt, as ever. Default: no limit but those of the run.
   */
  readonly timeoutMs?: number;
}

const plainInput: JsonSchema = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole task: nothing else is known there.' } },
  required: ['input'],
  additionalProperties: false,
};

/**
 * Makes a tool of a whole workflow. It runs inside the run that calls it: what it does is in that run's journal and counts towards its
 * limits, what it asks is asked by that run and answered there, what it reads taints that run, and it ends with it. Several may work at
 * the same time, and each may call others. A failure inside is a failed call.
 *
 * Called where there is no run (`executeCalls` without `io`, a live actor), it has a run of its own in memory, which may ask nobody.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for an `input` that has no JSON Schema, or a `timeoutMs` out of range.
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
  const inputOf = (args: JsonObject): TInput => {
    if (toInput) return toInput(readArguments(input, args));
    const read: unknown = readArguments(input, args);
    return read as TInput; // the workflow checks them itself
  };
  const outputOf = (end: AgentEnd<Json>): Json => toJson(toOutput({ ...end, output: end.output as TOutput }), `${spec.name} output`);
  const machineInput = (args: JsonObject, runId: string, startedAt: number): unknown =>
    workflow.toMachineInput(toJson(workflow.parseInput(inputOf(args)), 'input'), {
      runId,
      startedAt,
      thread: workflow.thread?.initial ?? null,
    });

  const driveAt = async (args: JsonObject, taint: Taint, { host, key, stop }: CallPlace): Promise<Outcome> => {
    const outer = { taint };
    let inner: unknown;
    try {
      const given = taintInput(machineInput(args, key, host.startedAt), outer);
      const { state, finalState, output, failure } = await drive(workflow, given, host, { prefix: `${key}/`, stop });
      inner = state;
      const read = taintOfEnd(inner, outer) ?? everyTaint;
      if (failure) return { error: failure, taint: read };
      return { output: { output: outputOf({ finalState, output }), taint: { ...read } } };
    } catch (thrown) {
      return { error: toErrorInfo(thrown), taint: taintOfError(thrown) ?? taintOfEnd(inner, outer) ?? everyTaint };
    }
  };

  const alone: NonNullable<ToolWorkflow['runAlone']> = (args, taint, signal) =>
    runAlone(workflow, { toInput: () => inputOf(args), toOutput: outputOf, taint, signal });

  const asked: ToolWorkflow = {
    structureHash: workflow.structureHash,
    ...(workflow.offer ? { offer: hash(canonicalJson(workflow.offer(null))) } : {}),
    callsIn: callsInside,
    runAlone: alone,
    capabilitiesOf: (args) => (keepsTaint(() => machineInput(args, '', 0)) ? harmless : undefined),
    async run(calls: WorkflowCalls, key, args, taint) {
      if (!(calls instanceof CallsInside)) throw new TypeError('These calls are of another copy of the package.');
      return toEnd(await calls.make(key, (place) => withinTime(spec.name, timeoutMs, place, (within) => driveAt(args, taint, within))));
    },
  };

  return {
    effect: 'idempotent',
    errors: 'hidden', // of its nodes, which are no tools
    ...spec,
    inputSchema: input ? toInputSchema(spec.name, input) : plainInput,
    timeoutMs,
    workflow: spec.capabilities ? { ...asked, capabilitiesOf: () => spec.capabilities } : asked,
    execute: async (args, { signal, taint = noTaint }) => {
      const end = await alone(args, taint, signal);
      if ('error' in end) throw fromErrorInfo(end.error);
      return end.output;
    },
  };
}

/** Cancels work that takes too long. What it has failed with then is its outcome, which a replay is given instead of working. */
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
  // a step, for whoever only looks at where the run stands performs none, and starts no clock
  await host.memo(key, `time limit (${host.attempt(key)})`, start, stop, { effect: 'pure' }, Number.POSITIVE_INFINITY);
  try {
    return await work({ host, key, stop: halt });
  } finally {
    cancel();
  }
}

const timedOut = (tool: string, timeoutMs: number): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_TIMEOUT',
    message: `The workflow "${tool}" did not finish within ${timeoutMs} ms.`,
    hint: `Raise timeoutMs of "${tool}", or give its nodes limits of their own.`,
    retryable: true,
    data: { tool, timeoutMs },
  });

const harmless: ToolCapabilities = Object.freeze({ private: false, untrusted: false, external: false });

function readArguments<TArgs>(input: StandardSchema<TArgs> | undefined, args: JsonObject): TArgs {
  if (!input) return args as TArgs; // the executor has held them to the schema
  const read = input['~standard'].validate(args);
  if (!(read instanceof Promise) && !read.issues) return read.value;
  const why = read instanceof Promise ? 'their schema checks asynchronously' : (issuesText(read) ?? 'they do not fit');
  throw new WorkflowError({
    code: 'TOOL_INPUT_INVALID',
    message: `The arguments of the workflow are not valid: ${why}.`,
    hint: 'Call it with arguments that fit its description.',
  });
}

/** An answer in words, where there is one. */
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
      message: `The input of "${name}" has no JSON Schema: ${cause instanceof Error ? cause.message : String(cause)}.`,
      hint: 'Describe it with what JSON has.',
      cause,
    });
  }
}
