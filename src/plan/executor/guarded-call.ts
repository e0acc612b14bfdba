import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import type { Taint } from '../../core/ports/taint.ts';
import type { GuardContext } from '../../core/ports/text-guard.ts';
import { checkTexts } from '../../core/tool-facts/tool-content.ts';
import { guardsAt, judgeValue, unheld } from '../../core/util/apply-guards.ts';
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
  /** Names of the guards that want a human to decide. */
  readonly heldBy: readonly string[];
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
  if (guards.length === 0) return { args, heldBy: [] };
  const context: GuardContext = { border: 'tool-call', signal, tool, taint };
  return io.step(
    `${key}_guards`,
    async () => {
      const { value, heldBy } = await judgeValue(guards, args, context, io.emit);
      return { args: isObject(value) ? value : args, heldBy: [...heldBy] };
    },
    { effect: 'pure' },
  );
}

type CallEnd = { readonly output: Json } | { readonly error: ErrorInfo; readonly cause?: ErrorInfo };

/**
 * Checks the output or the error of a tool before anything of it is stored. The content of files is not checked.
 *
 * @throws {WorkflowError} `GUARD_STOPPED`, `GUARD_HELD`, `GUARD_FAILED`.
 */
export async function guardResult<T extends CallEnd>(end: T, { io, signal, tool, taint }: GuardedCallOptions): Promise<T> {
  const guards = guardsAt(io.guards, 'tool-result');
  if (guards.length === 0) return end;
  const context: GuardContext = { border: 'tool-result', signal, tool, taint };
  const check = async (value: Json): Promise<Json> => unheld(await judgeValue(guards, value, context, io.emit), context.border).value;
  const checkError = async (error: ErrorInfo): Promise<ErrorInfo> => {
    const { message, hint, data } = error;
    const parts = { message, ...(hint === undefined ? {} : { hint }), ...(data === undefined ? {} : { data }) };
    const checked = await check(parts);
    // a changed error is a new object, so that `thrownOf` does not return what was thrown
    return checked === parts ? error : { ...error, ...(isObject(checked) ? checked : {}) };
  };
  if ('output' in end) return { ...end, output: await checkTexts(end.output, check) };
  const { error, cause } = end;
  return { ...end, error: await checkError(error), ...(cause ? { cause: await checkError(cause) } : {}) };
}
