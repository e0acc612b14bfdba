import { fromErrorInfo, toErrorInfo } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Attempt } from '../../core/ports/node-io.ts';
import { asJson } from '../../core/util/as-json.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { toJson } from '../../core/util/to-json.ts';

/** Result of a step: its value or thrown error, and the outcome that the journal stores. */
export interface PerformedStep {
  readonly value?: Json;
  readonly thrown?: { readonly cause: unknown };
  readonly outcome: JsonObject;
}

export async function performStep(
  key: string,
  work: (attempt: Attempt) => Promise<unknown>,
  attempt: Attempt,
  maxOutputBytes: number,
): Promise<PerformedStep> {
  try {
    const value = toJson(await work(attempt), key, maxOutputBytes);
    return { value, outcome: { output: value } };
  } catch (cause) {
    return { thrown: { cause }, outcome: { error: asJson(toErrorInfo(cause)) } };
  }
}

/** Returns the recorded value of a step, or throws its recorded error. */
export function replayStep(outcome: Json, fromHuman: (output: Json) => Json = (output) => output): Json {
  const recorded = outcome as { readonly output: Json; readonly byHuman?: true } | { readonly error: ErrorInfo };
  if ('error' in recorded) throw fromErrorInfo(recorded.error);
  return recorded.byHuman ? toJson(fromHuman(recorded.output), 'step') : recorded.output;
}

/** True when a `once` step itself reports that its effect is unknown. */
export const isInDoubt = ({ thrown }: PerformedStep): boolean => hasCode(thrown?.cause, 'CALL_IN_DOUBT');
