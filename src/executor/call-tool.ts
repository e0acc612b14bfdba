import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { Attempt, NodeIo } from '../ports/node-io.ts';
import type { SchemaValidator } from '../ports/schema-validator.ts';
import type { Tool, ToolCapabilities } from '../ports/tool.ts';
import { ajvValidator } from '../schema/ajv-validator.ts';
import { checkInteger } from '../util/check-integer.ts';
import { systemClock } from '../util/system-clock.ts';
import { attemptTool } from './attempt-tool.ts';
import type { CallOptions, CallRecord } from './execute-plan.types.ts';
import { toolSignature } from './tool-signature.ts';

/** What all calls of one execution share. */
export interface CallEnvironment {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly io: Pick<NodeIo, 'step' | 'emit' | 'recorded'>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'schedule'>;
  readonly allowEgress: boolean;
  readonly validator: SchemaValidator;
  readonly concurrency: number;
}

/** @throws {WorkflowError} `OPTION_INVALID` for two tools with one name, and a `concurrency` below 1. */
export function toEnvironment(options: CallOptions): CallEnvironment {
  const { tools, io = unjournaled, signal = neverAborted, clock = systemClock, allowEgress = false, validator = ajvValidator } = options;
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) {
      throw new WorkflowError({
        code: 'OPTION_INVALID',
        message: `Two tools have the name "${tool.name}".`,
        hint: 'Give each a name of its own.',
      });
    }
    byName.set(tool.name, tool);
  }
  const concurrency = checkInteger('concurrency', options.concurrency ?? 8, { min: 1 });
  return { tools: byName, io, signal, clock, allowEgress, validator, concurrency };
}

/** The capabilities of a tool; one that declares none is treated as having all. */
export const capabilitiesOf = (tool: Tool): ToolCapabilities => tool.capabilities ?? { private: true, untrusted: true, external: true };

/**
 * Makes one call as a journaled step, refusals included: what was decided before a crash is not decided again after it. Failures are
 * records; an abort and a call in doubt are thrown.
 *
 * @param key of the step, unique within its node.
 * @param tainted private data is in the thread.
 */
export async function callTool(
  key: string,
  tool: Tool,
  args: JsonObject,
  tainted: boolean,
  environment: CallEnvironment,
): Promise<CallRecord> {
  const { io, clock, allowEgress } = environment;
  const { name } = tool;
  const signature = toolSignature({ name, args });
  const refusal = whyRefused(tool, args, tainted && !allowEgress);
  const work: StepWork = refusal
    ? async () => ({ error: toErrorInfo(refusal), attempts: 0, startedAt: clock.now(), durationMs: 0 }) as unknown as Json
    : (attempt) => makeCall(key, tool, args, attempt, environment);
  const fromHuman = (output: Json): Json => ({ output, attempts: 1, startedAt: clock.now(), durationMs: 0 });
  const effect = refusal ? 'pure' : (tool.effect ?? 'once');
  try {
    const recorded = await io.step(key, work, { effect, describe: { tool: name, args }, fromHuman });
    if (typeof recorded !== 'object') throw decidedOtherwise(key);
    const { output, error, ...rest } = recorded as unknown as CallRecord;
    const outcome = error ? { status: 'failure' as const, error } : { status: 'success' as const, output: output ?? null };
    return { ...outcome, ...rest, signature, deduplicated: false };
  } catch (cause) {
    // a human has given the call up: it has failed, and the plan may go on without it
    if (WorkflowError.isInstance(cause) && cause.code === 'CALL_ABORTED') return failure(cause, signature, clock.now());
    throw cause;
  }
}

type StepWork = (attempt: Attempt) => Promise<Json>;

async function makeCall(
  key: string,
  tool: Tool,
  args: JsonObject,
  attempt: Attempt,
  { io, signal, clock }: CallEnvironment,
): Promise<Json> {
  const { name } = tool;
  io.emit({ type: 'tool-start', callId: key, tool: name, args });
  const startedAt = clock.now();
  const begun = clock.monotonic();
  const linked = AbortSignal.any([signal, attempt.signal]);
  const tried = await attemptTool(tool, args, { signal: linked, idempotencyKey: attempt.idempotencyKey, clock });
  const durationMs = Math.round((clock.monotonic() - begun) * 10) / 10;
  const { attempts } = tried;
  const end = { type: 'tool-end', callId: key, tool: name, durationMs, attempts, deduplicated: false } as const;
  if (!('error' in tried)) {
    io.emit(end);
    return { ...tried, startedAt, durationMs } as unknown as Json;
  }
  const { error, cause } = tried;
  io.emit({ ...end, error, ...(cause ? { cause } : {}) });
  return { attempts, error, startedAt, durationMs } as unknown as Json;
}

/** The record of a call that was not made because an equal one has been: a journaled step, too, so that it is reported once. */
export async function reuse(
  key: string,
  name: string,
  args: JsonObject,
  earlier: CallRecord,
  { io, clock }: CallEnvironment,
): Promise<CallRecord> {
  const work: StepWork = async () => {
    io.emit({ type: 'tool-start', callId: key, tool: name, args });
    io.emit({ type: 'tool-end', callId: key, tool: name, durationMs: 0, attempts: 0, deduplicated: true });
    return clock.now();
  };
  const startedAt = await io.step(key, work, { effect: 'pure' });
  if (typeof startedAt !== 'number') throw decidedOtherwise(key);
  const { output = null, signature } = earlier;
  return { status: 'success', output, startedAt, durationMs: 0, attempts: 0, signature, deduplicated: true };
}

/** The record of a call that could not be made. */
export const failure = (error: WorkflowError, signature: string, startedAt: number): CallRecord => ({
  status: 'failure',
  error: toErrorInfo(error),
  startedAt,
  durationMs: 0,
  attempts: 0,
  signature,
  deduplicated: false,
});

function whyRefused(tool: Tool, args: JsonObject, tainted: boolean): WorkflowError | undefined {
  if (tool.unavailable !== undefined) {
    return new WorkflowError({
      code: 'TOOL_UNAVAILABLE',
      message: tool.unavailable,
      hint: `Set it, or ask without "${tool.name}".`,
      data: { tool: tool.name },
    });
  }
  if (!tainted || !capabilitiesOf(tool).external) return undefined;
  return new WorkflowError({
    code: 'EGRESS_NEEDS_APPROVAL',
    message: `"${tool.name}" would send this out while private data is in the thread: ${JSON.stringify(args)}.`,
    hint: 'Allow it with --allow-egress (allowEgress), for this thread alone (grantEgress), or ask in a new thread.',
    data: { tool: tool.name, args },
  });
}

export const unknownTool = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_UNKNOWN',
    message: `There is no tool "${name}".`,
    hint: 'Give it to the executor in `tools`.',
    data: { tool: name },
  });

/** @throws {WorkflowError} `TOOL_INPUT_INVALID`: the tool must not be called. */
export function assertArguments(tool: Tool, args: JsonObject, what: string, { validator }: CallEnvironment): void {
  const schema = validator.compile(tool.inputSchema);
  const issues = schema.ok ? schema.check(args) : [{ path: '', message: schema.reason }];
  if (issues.length === 0) return;
  throw inputInvalid(
    tool.name,
    `${what}: its arguments do not fit "${tool.name}": ${issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}`,
  );
}

export const inputInvalid = (tool: string, what: string): WorkflowError =>
  new WorkflowError({ code: 'TOOL_INPUT_INVALID', message: `${what}.`, hint: 'Call it with arguments that fit.', data: { tool } });

/** The journal may be of a version that spared other calls. */
const decidedOtherwise = (key: string): WorkflowError =>
  new WorkflowError({
    code: 'JOURNAL_DIVERGED',
    message: `The journal says of "${key}" that it was made, and now it would be spared, or the other way round.`,
    hint: 'Finish the run with the version that began it.',
    data: { key },
  });

const neverAborted = new AbortController().signal;

const unjournaled: Pick<NodeIo, 'step' | 'emit'> = {
  step: (key, work) => work({ number: 1, idempotencyKey: `${crypto.randomUUID()}/${key}`, signal: neverAborted }),
  emit: () => {},
};
