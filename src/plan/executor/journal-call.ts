import { fromErrorInfo, keepThrown, thrownOf, toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Attempt, NodeIo } from '../../core/ports/node-io.ts';
import type { SchemaValidator } from '../../core/ports/schema-validator.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { Tool, ToolWorkflow, WorkflowCallEnd, WorkflowCalls } from '../../core/ports/tool.ts';
import { jsonSchemaValidator } from '../../core/schema/json-schema-validator.ts';
import { checkToolNames } from '../../core/tool-facts/check-tool-names.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { shownIssues } from '../../core/util/shown-list.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { noTaint } from '../../core/util/taint.ts';
import { reviewedTool } from '../../core/util/tool-fingerprint.ts';
import { checkAllowTargets } from './allowed-targets.ts';
import { approvalReasons } from './approval.ts';
import { effectOf } from './effect-of.ts';
import type { ApprovedCall, CallOptions, CallRecord, FailedCall, HeldCall, SucceededCall } from './execute-plan.types.ts';
import { guardArguments, guardResult } from './guarded-call.ts';
import { callProgress } from './progress.ts';
import { capOutput, retryTool, toFailure } from './retry-tool.ts';
import { toolSignature } from './tool-signature.ts';

/** Shared by all calls of one execution. */
export interface CallEnvironment {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly io: Pick<NodeIo, 'step' | 'emit' | 'recorded' | 'runId' | 'threadId' | 'guards'>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'schedule'>;
  readonly allowEgress: boolean;
  readonly allowTargets: readonly string[];
  readonly validator: SchemaValidator;
  readonly concurrency: number;
  readonly timeZone: string | undefined;
  readonly context: Json | undefined;
  /** Runs tools that are workflows; absent outside a run. */
  readonly calls?: WorkflowCalls;
  /** Uses up a human's approval of a call. False if there is none for the tool's current definition. */
  readonly consumeApproval: (signature: string, tool: Tool) => boolean;
}

/** @throws {WorkflowError} `OPTION_INVALID` for two tools with one name, a `concurrency` below 1, and unreadable `allowTargets`. */
export function toEnvironment(options: CallOptions): CallEnvironment {
  const {
    tools,
    io = unjournaled,
    signal = neverAborted,
    clock = systemClock,
    allowEgress = false,
    validator = jsonSchemaValidator,
    timeZone,
    context,
  } = options;
  const allowTargets = checkAllowTargets(options.allowTargets ?? []);
  checkToolNames(tools.map(({ name }) => name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const concurrency = checkInteger('concurrency', options.concurrency ?? 8, { min: 1 });
  const calls = tools.find(({ workflow }) => workflow)?.workflow?.callsIn(io);
  const consumeApproval = approvals(options.approved ?? []);
  const shared = {
    tools: byName,
    io,
    signal,
    clock,
    allowEgress,
    allowTargets,
    validator,
    concurrency,
    timeZone,
    context,
    consumeApproval,
  };
  return { ...shared, ...(calls ? { calls } : {}) };
}

function approvals(approved: readonly (string | ApprovedCall)[]): CallEnvironment['consumeApproval'] {
  const left: ApprovedCall[] = approved.map((one) => (typeof one === 'string' ? { signature: one } : one));
  return (signature, tool) => {
    const index = left.findIndex(
      (one) => one.signature === signature && (one.definition === undefined || one.definition === reviewedTool(tool)),
    );
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  };
}

/** Outcome of a call; `behind`: not made, because an earlier call needs approval first. */
export type CallEnd = CallRecord | HeldCall | { readonly status: 'behind' };

/**
 * Makes one call as a journaled step, rejections included, so that a crash cannot change a decision. Failures and held calls are returned
 * as records; an abort and a call in doubt are thrown.
 *
 * @param key of the step, unique within its node.
 * @param taint of the thread at the time of the request.
 * @param mayMake false: only decides whether the call needs approval.
 */
export async function journalCall(
  key: string,
  tool: Tool,
  given: JsonObject,
  taint: Taint,
  environment: CallEnvironment,
  mayMake = true,
): Promise<CallEnd> {
  const { io, clock, signal, consumeApproval } = environment;
  const { name } = tool;
  const { args, heldBy } = await guardArguments(key, given, { io, signal, tool: name, taint });
  const asked = toolSignature({ name, args: given }); // equal calls are found by what was asked for
  const signature = toolSignature({ name, args });
  const refusal = toolProblem(tool) ?? maskProblem(tool, given, args, environment);
  const judged = tool.workflow ? withCapabilities(tool, tool.workflow, args, environment.context) : tool;
  // Decision 62: the call is returned with its arguments; the application decides who is asked.
  const reasons: HeldCall['reasons'] =
    refusal || consumeApproval(signature, tool)
      ? []
      : [...(heldBy.length > 0 ? ['guard' as const] : []), ...(await approvalReasons(key, judged, args, taint, environment))];
  const isMade = !refusal && reasons.length === 0;
  if (isMade && !mayMake) return { status: 'behind' };
  if (isMade && tool.workflow && environment.calls)
    return callWorkflow(key, tool, tool.workflow, { args, taint, signature: asked, calls: environment.calls }, environment);
  const late = isMade ? await admissionError(key, tool, environment) : undefined;
  let thrown: unknown; // the journal's copy of the error does not have it
  const work = async (attempt: Attempt): Promise<CallOutcome | { readonly held: HeldCall['reasons'] }> => {
    if (refusal ?? late) return { error: toErrorInfo(refusal ?? late), attempts: 0, startedAt: clock.now(), durationMs: 0 };
    if (!isMade) return { held: reasons };
    const made = await makeCall(key, tool, args, taint, attempt, environment);
    if ('error' in made) thrown = thrownOf(made.error);
    return made;
  };
  const fromHuman = (output: Json): JsonObject => ({ output, attempts: 1, startedAt: clock.now(), durationMs: 0 });
  try {
    const effect = isMade && !late ? effectOf(tool) : 'pure';
    const outcome = await io.step(key, work, { effect, describe: { tool: name, args }, fromHuman });
    if (typeof outcome !== 'object') throw reuseChanged(key);
    if ('held' in outcome) {
      const guards = heldBy.length > 0 ? { heldBy } : {};
      return { status: 'held', tool: name, args, signature, reasons: outcome.held, ...guards, ...requestOrigin(io, tool) };
    }
    if ('error' in outcome) keepThrown(outcome.error, thrown);
    return toRecord(outcome, asked);
  } catch (cause) {
    // a human has aborted the call; it counts as failed, and the plan may continue without it
    if (hasCode(cause, 'CALL_ABORTED')) return failedCall(cause, asked, clock.now());
    throw cause;
  }
}

/** Waits until the call may start. Outside its step, which would count as started. Returns the error if it may not. */
async function admissionError(key: string, tool: Tool, { io, signal }: CallEnvironment): Promise<unknown> {
  if (!tool.admit || io.recorded?.includes(key)) return undefined;
  try {
    await tool.admit(signal);
    return undefined;
  } catch (cause) {
    signal.throwIfAborted();
    return cause;
  }
}

/** Adds the capabilities of this call; all three if they are unknown. */
function withCapabilities(tool: Tool, workflow: ToolWorkflow, args: JsonObject, context: Json | undefined): Tool {
  const { capabilities: _, ...rest } = tool;
  const capabilities = tool.capabilities ?? workflow.capabilitiesOf(args, context);
  return { ...rest, ...(capabilities ? { capabilities } : {}) };
}

interface CalledWorkflow {
  readonly args: JsonObject;
  readonly taint: Taint;
  readonly signature: string;
  readonly calls: WorkflowCalls;
}

/** Runs a workflow inside the run. It journals its own work, and its end is a step like that of any call. */
async function callWorkflow(
  key: string,
  tool: Tool,
  workflow: ToolWorkflow,
  { args, taint, signature, calls }: CalledWorkflow,
  { io, clock, signal, context }: CallEnvironment,
): Promise<CallRecord> {
  const { name } = tool;
  const begin = async (): Promise<{ readonly startedAt: number; readonly structure: string }> => {
    io.emit({ type: 'tool-start', callId: key, tool: name, args });
    return { startedAt: clock.now(), structure: workflow.structureHash };
  };
  const { startedAt, structure } = await io.step(`${key}_begin`, begin, { effect: 'pure' });
  if (structure !== workflow.structureHash) throw workflowChanged(key, name);
  const isOver = io.recorded?.includes(key) === true;
  if (isOver) calls.pass(key);
  const ended = isOver ? undefined : await workflow.run(calls, key, args, taint, context);
  const record = async (): Promise<CallOutcome> => {
    const durationMs = clock.now() - startedAt;
    const end = { type: 'tool-end', callId: key, tool: name, durationMs, attempts: 1, deduplicated: false } as const;
    const whole = toToolEnd(tool, ended ?? { error: toErrorInfo(reuseChanged(key)), taint });
    const { cause, ...made } = await guardResult(whole, { io, signal, tool: name, taint });
    io.emit({ ...end, ...('error' in made ? { error: made.error } : {}), ...(cause ? { cause } : {}) });
    return { ...made, attempts: 1, startedAt, durationMs };
  };
  return toRecord(await io.step(key, record, { effect: 'pure' }), signature);
}

/** Reduces the end of a workflow to the part that its caller may see. */
function toToolEnd(tool: Tool, ended: WorkflowCallEnd): WorkflowCallEnd & { readonly cause?: ErrorInfo } {
  try {
    if ('output' in ended) return { ...ended, output: capOutput(tool, ended.output) };
    // its own timeout reveals nothing of the inside
    if (ended.error.code === 'TOOL_TIMEOUT' && ended.error.data?.tool === tool.name) return ended;
    return { ...ended, ...toFailure(tool, ended.error) };
  } catch (cause) {
    return { taint: ended.taint, error: toErrorInfo(cause) };
  }
}

const workflowChanged = (key: string, tool: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_DIVERGED',
    message: `The journal has a call "${key}" of "${tool}" with another workflow.`,
    hint: 'Finish the run with the version that started it.',
    data: { key, tool },
  });

/** Run and definition of the request, because the answer may arrive in another process with other tools. */
const requestOrigin = ({ runId }: Pick<NodeIo, 'runId'>, tool: Tool): Pick<HeldCall, 'runId' | 'definition'> =>
  runId === undefined ? {} : { runId, definition: reviewedTool(tool) };

/** A call's end in the journal. */
type CallOutcome = Omit<SucceededCall, 'status' | 'signature' | 'deduplicated'> | Omit<FailedCall, 'status' | 'signature' | 'deduplicated'>;

function toRecord(outcome: CallOutcome, signature: string): CallRecord {
  if ('error' in outcome) {
    const { error, ...rest } = outcome;
    return { status: 'failure', error, ...rest, signature, deduplicated: false };
  }
  const { output, ...rest } = outcome;
  return { status: 'success', output, ...rest, signature, deduplicated: false };
}

async function makeCall(
  key: string,
  tool: Tool,
  args: JsonObject,
  taint: Taint,
  attempt: Attempt,
  { io, signal, clock, timeZone, context }: CallEnvironment,
): Promise<CallOutcome> {
  const { name } = tool;
  io.emit({ type: 'tool-start', callId: key, tool: name, args });
  const startedAt = clock.now();
  const begun = clock.monotonic();
  const linked = AbortSignal.any([signal, attempt.signal]);
  let read: { readonly taint?: Taint } = {};
  const runAlone = tool.workflow?.runAlone;
  const called = runAlone ? standaloneTool(tool, runAlone, taint, (end) => (read = { taint: end })) : tool;
  const { idempotencyKey } = attempt;
  const progress = callProgress({ callId: key, tool: name }, io, clock);
  const run = { callId: key, runId: io.runId, threadId: io.threadId, timeZone, context, emit: progress.emit };
  const outcome = await retryTool(called, args, { signal: linked, idempotencyKey, clock, taint, ...run }).finally(progress.end);
  const { attempts } = outcome;
  const end = (more: { readonly error?: ErrorInfo; readonly cause?: ErrorInfo } = {}): number => {
    const durationMs = Math.round((clock.monotonic() - begun) * 10) / 10;
    io.emit({ type: 'tool-end', callId: key, tool: name, durationMs, attempts, deduplicated: false, ...more });
    return durationMs;
  };
  const tried = await guardResult(outcome, { io, signal: linked, tool: name, taint }).catch((refusal: unknown) => {
    if (!linked.aborted) end({ error: toErrorInfo(refusal) });
    throw refusal;
  });
  if (!('error' in tried)) return { ...tried, ...read, startedAt, durationMs: end() };
  const { error, cause } = tried;
  return { attempts, error, ...read, startedAt, durationMs: end({ error, ...(cause ? { cause } : {}) }) };
}

/** Wraps a workflow without a calling run as a tool; `onRead` receives its taint. */
const standaloneTool = (
  tool: Tool,
  runAlone: NonNullable<ToolWorkflow['runAlone']>,
  taint: Taint,
  onRead: (taint: Taint) => void,
): Tool => ({
  ...tool,
  async execute(args, { signal, context }) {
    const end = await runAlone(args, taint, signal, context);
    onRead(end.taint);
    if ('error' in end) throw fromErrorInfo(end.error);
    return end.output;
  },
});

/** Records a call that reuses an equal call's output. A journaled step, so that it is reported once. */
export async function recordReuse(
  key: string,
  tool: string,
  given: JsonObject,
  { output, signature }: SucceededCall,
  { io, clock, signal }: CallEnvironment,
  taint: Taint = noTaint,
): Promise<CallRecord> {
  const { args } = await guardArguments(key, given, { io, signal, tool, taint });
  const work = async (): Promise<number> => {
    io.emit({ type: 'tool-start', callId: key, tool, args });
    io.emit({ type: 'tool-end', callId: key, tool, durationMs: 0, attempts: 0, deduplicated: true });
    return clock.now();
  };
  const startedAt = await io.step(key, work, { effect: 'pure' });
  if (typeof startedAt !== 'number') throw reuseChanged(key);
  return { status: 'success', output, startedAt, durationMs: 0, attempts: 0, signature, deduplicated: true };
}

/** Record of a call that could not be made. */
export const failedCall = (error: WorkflowError, signature: string, startedAt: number): FailedCall => ({
  status: 'failure',
  error: toErrorInfo(error),
  startedAt,
  durationMs: 0,
  attempts: 0,
  signature,
  deduplicated: false,
});

/** A guard may mask arguments so that they no longer fit the tool. */
function maskProblem(tool: Tool, given: JsonObject, args: JsonObject, environment: CallEnvironment): WorkflowError | undefined {
  if (args === given) return undefined;
  try {
    assertArguments(tool, args, 'A guard has masked the call', environment);
    return undefined;
  } catch (problem) {
    if (hasCode(problem, 'TOOL_INPUT_INVALID')) return problem;
    throw problem;
  }
}

function toolProblem({ name, unavailable }: Tool): WorkflowError | undefined {
  if (unavailable === undefined) return undefined;
  return new WorkflowError({
    code: 'TOOL_UNAVAILABLE',
    message: unavailable,
    hint: `Set it, or continue without "${name}".`,
    data: { tool: name },
  });
}

export const unknownTool = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_UNKNOWN',
    message: `There is no tool "${name}".`,
    hint: 'Add it to `tools` of the executor.',
    data: { tool: name },
  });

/** @throws {WorkflowError} `TOOL_INPUT_INVALID`: do not call the tool. */
export function assertArguments(tool: Tool, args: JsonObject, what: string, { validator }: CallEnvironment): void {
  const schema = validator.compile(tool.inputSchema);
  const issues = schema.ok ? schema.check(args) : [{ path: '', message: schema.reason }];
  if (issues.length === 0) return;
  throw argumentsInvalid(tool.name, `${what}: its arguments do not fit "${tool.name}": ${shownIssues(issues)}`);
}

export const argumentsInvalid = (tool: string, what: string): WorkflowError =>
  new WorkflowError({ code: 'TOOL_INPUT_INVALID', message: `${what}.`, hint: 'Call it with valid arguments.', data: { tool } });

/** The journal may come from a version that skipped other calls. */
const reuseChanged = (key: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_DIVERGED',
    message: `The journal and this version disagree on whether the call "${key}" was skipped.`,
    hint: 'Finish the run with the version that started it.',
    data: { key },
  });

const neverAborted = new AbortController().signal;

const unjournaled: Pick<NodeIo, 'step' | 'emit'> = {
  step: (key, work) => work({ number: 1, idempotencyKey: `${crypto.randomUUID()}/${key}`, signal: neverAborted }),
  emit: () => {},
};
