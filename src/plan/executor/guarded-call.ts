import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Effect, NodeIo } from '../../core/ports/node-io.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { GuardContext } from '../../core/ports/text-guard.ts';
import { guardHeld, guardsAt, judgeValue } from '../../core/util/apply-guards.ts';
import { isObject } from '../../core/util/is-object.ts';

interface GuardedCallOptions {
  readonly io: Pick<NodeIo, 'emit' | 'guards' | 'step'>;
  readonly signal: AbortSignal;
  readonly tool: string;
  readonly taint: Taint;
}

/** Arguments after the guards of tool calls. */
export interface GuardedArguments {
  readonly args: JsonObject;
  /** True if a guard wants a human to decide. */
  readonly isHeld: boolean;
}

/**
 * Checks the arguments of a call. A journaled step, because a guard may decide differently after a crash.
 *
 * @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_FAILED`.
 */
export async function guardArguments(
  key: string,
  args: JsonObject,
  { io, signal, tool, taint }: GuardedCallOptions,
): Promise<GuardedArguments> {
  const guards = guardsAt(io.guards, 'tool-call');
  if (guards.length === 0) return { args, isHeld: false };
  const context: GuardContext = { border: 'tool-call', signal, tool, taint };
  return io.step(
    `${key}_guards`,
    async () => {
      const { value, heldBy } = await judgeValue(guards, args, context, io.emit);
      return { args: isObject(value) ? value : args, isHeld: heldBy.length > 0 };
    },
    { effect: 'pure' },
  );
}

type CallEnd = { readonly output: Json } | { readonly error: ErrorInfo; readonly cause?: ErrorInfo };

/**
 * Checks the output or the error of a tool before anything of it is stored. The refusal of a guard becomes the error of a `once` call,
 * because its step must not be repeated; `throwRefusal` throws it outside of the step.
 *
 * @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED` for calls with other effects.
 */
export async function guardResult<T extends CallEnd>(
  end: T,
  effect: Effect,
  { io, signal, tool, taint }: GuardedCallOptions,
): Promise<T | { readonly error: ErrorInfo; readonly cause?: never }> {
  const guards = guardsAt(io.guards, 'tool-result');
  if (guards.length === 0) return end;
  const context: GuardContext = { border: 'tool-result', signal, tool, taint };
  const check = async (value: Json): Promise<Json> => {
    const judged = await judgeValue(guards, value, context, io.emit);
    const [guard] = judged.heldBy;
    if (guard !== undefined) throw guardHeld(guard, 'tool-result');
    return judged.value;
  };
  const checkError = async (error: ErrorInfo): Promise<ErrorInfo> => {
    const { message, hint, data } = error;
    const parts = { message, ...(hint === undefined ? {} : { hint }), ...(data === undefined ? {} : { data }) };
    const checked = await check(parts);
    // what was thrown quotes the text as well
    return checked === parts ? error : { ...error, ...(isObject(checked) ? checked : {}) };
  };
  try {
    if ('output' in end) return { ...end, output: await check(end.output) };
    const { error, cause } = end;
    return { ...end, error: await checkError(error), ...(cause ? { cause: await checkError(cause) } : {}) };
  } catch (refusal) {
    if (effect !== 'once' || signal.aborted) throw refusal;
    return { error: toErrorInfo(refusal) };
  }
}

/** Ends the node of a call whose result a guard has refused. @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED`. */
export function throwRefusal({ code, message, hint, data }: ErrorInfo): void {
  if (code === 'GUARD_STOPPED' || code === 'GUARD_HELD' || code === 'GUARD_FAILED')
    throw new WorkflowError({ code, message, ...(hint === undefined ? {} : { hint }), ...(data === undefined ? {} : { data }) });
}
