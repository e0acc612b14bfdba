import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { NodeIo } from '../ports/node-io.ts';
import type { Tool, ToolCapabilities } from '../ports/tool.ts';
import { attemptTool } from './attempt-tool.ts';
import type { CallOptions, CallRecord } from './execute-plan.types.ts';
import { toolSignature } from './tool-signature.ts';

/** What all calls of one execution share. */
export interface CallEnvironment {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly io: Pick<NodeIo, 'step' | 'emit'>;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'schedule'>;
  readonly allowEgress: boolean;
}

export function toEnvironment({
  tools,
  io = unjournaled,
  signal = neverAborted,
  clock = plainClock,
  allowEgress = false,
}: CallOptions): CallEnvironment {
  return { tools: new Map(tools.map((tool) => [tool.name, tool])), io, signal, clock, allowEgress };
}

/** The capabilities of a tool; one that declares none is treated as having all. */
export const capabilitiesOf = (tool: Tool): ToolCapabilities => tool.capabilities ?? { private: true, untrusted: true, external: true };

/**
 * Makes one call as a journaled step. Failures are records; an abort and a call in doubt are thrown.
 *
 * @param key of the step, unique within its node.
 * @param tainted private data is in the thread.
 */
export async function callTool(
  key: string,
  name: string,
  args: JsonObject,
  tainted: boolean,
  { tools, io, signal, clock, allowEgress }: CallEnvironment,
): Promise<CallRecord> {
  const signature = toolSignature({ name, args });
  const tool = tools.get(name);
  const refusal = tool ? whyRefused(tool, args, tainted && !allowEgress) : unknownTool(name);
  if (!tool || refusal) return failure(refusal ?? unknownTool(name), signature, clock.now());
  const work: Parameters<NodeIo['step']>[1] = async (attempt) => {
    io.emit({ type: 'tool-start', callId: key, tool: name, args });
    const startedAt = clock.now();
    const begun = clock.monotonic();
    const linked = AbortSignal.any([signal, attempt.signal]);
    const tried = await attemptTool(tool, args, { signal: linked, idempotencyKey: attempt.idempotencyKey, clock });
    const durationMs = Math.round((clock.monotonic() - begun) * 10) / 10;
    const { attempts } = tried;
    io.emit({
      type: 'tool-end',
      callId: key,
      tool: name,
      durationMs,
      attempts,
      deduplicated: false,
      ...('error' in tried ? { error: tried.error } : {}),
    });
    return { ...tried, startedAt, durationMs } as unknown as Json;
  };
  const fromHuman = (output: Json): Json => ({ output, attempts: 1, startedAt: clock.now(), durationMs: 0 });
  try {
    const options = { effect: tool.effect ?? 'once', describe: { tool: name, args }, fromHuman };
    const { output, error, ...rest } = (await io.step(key, work, options)) as unknown as CallRecord;
    const outcome = error ? { status: 'failure' as const, error } : { status: 'success' as const, output: output ?? null };
    return { ...outcome, ...rest, signature, deduplicated: false };
  } catch (cause) {
    // a human has given the call up: it has failed, and the plan may go on without it
    if (WorkflowError.isInstance(cause) && cause.code === 'CALL_ABORTED') return failure(cause, signature, clock.now());
    throw cause;
  }
}

/** The record of a call that was not made because an equal one has been. */
export function reuse(key: string, name: string, args: JsonObject, earlier: CallRecord, { io, clock }: CallEnvironment): CallRecord {
  io.emit({ type: 'tool-start', callId: key, tool: name, args });
  io.emit({ type: 'tool-end', callId: key, tool: name, durationMs: 0, attempts: 0, deduplicated: true });
  const { status, output, error, signature } = earlier;
  const outcome = error ? { error } : { output: output ?? null };
  return { status, ...outcome, startedAt: clock.now(), durationMs: 0, attempts: 0, signature, deduplicated: true };
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
    hint: 'Allow it with --allow-egress (allowEgress: true), or ask in a new thread.',
    data: { tool: tool.name, args },
  });
}

const unknownTool = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'TOOL_UNKNOWN',
    message: `There is no tool "${name}".`,
    hint: 'Give it to the executor in `tools`.',
    data: { tool: name },
  });

const neverAborted = new AbortController().signal;

const unjournaled: Pick<NodeIo, 'step' | 'emit'> = {
  step: (key, work) => work({ number: 1, idempotencyKey: `${crypto.randomUUID()}/${key}`, signal: neverAborted }),
  emit: () => {},
};

const plainClock: CallEnvironment['clock'] = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
