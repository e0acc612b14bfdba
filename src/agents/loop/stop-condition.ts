import type { ChatMessage } from '../../core/ports/chat-model.ts';
import type { Json } from '../../core/ports/json.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { type ModelPrice, modelCost } from '../../core/util/model-cost.ts';
import type { PastCall } from '../../plan/executor/execute-calls.ts';

/** A step of a tool loop after its calls: what a stop condition reads. */
export interface FinishedStep {
  /** Number of replies with tool calls so far, this step included. */
  readonly steps: number;
  /** The step's calls, with their outputs or errors. Calls that were invalid or rejected are missing. */
  readonly calls: readonly PastCall[];
  /** Messages of the run so far: replies of the model, calls, their answers. */
  readonly messages: readonly ChatMessage[];
  /** Token usage of the run so far. */
  readonly usage: TokenUsage;
  /** Data of the run, as its caller gave it. Absent: none. */
  readonly context?: Json;
}

/**
 * Decides after the calls of a step whether the loop stops: `true`, or an object with the output of the run. Pure and synchronous, because a
 * restart may run it again.
 */
export type StopCondition = (step: FinishedStep) => boolean | { readonly output: Json };

/**
 * Stops once a call of the tool has succeeded. The output of the run is the output of its last call.
 *
 * @example toolAgent({ model, tools: [search, submit], stopWhen: [calledTool('submit')] })
 */
export const calledTool =
  (name: string): StopCondition =>
  ({ calls }) => {
    const last = calls.filter(({ call }) => call.name === name).findLast((one) => one.status === 'success');
    return last ? { output: last.output } : false;
  };

/**
 * Stops after this many replies with tool calls, without another model call. `maxSteps` of an agent calls the model once more.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a number below 1.
 */
export function stepsAtMost(count: number): StopCondition {
  checkInteger('stepsAtMost', count, { min: 1 });
  return ({ steps }) => steps >= count;
}

/**
 * Stops once the run's model calls have cost at least this much. The last call may exceed it: for a limit that holds, use a budget.
 *
 * @param amount in the currency of the price.
 * @param price of the agent's model; of the dearest one if there are several.
 * @throws {WorkflowError} `OPTION_INVALID` for an amount that is not above 0.
 * @example costAtMost(0.1, { inputPerMillion: 0.25, outputPerMillion: 2 })
 */
export function costAtMost(amount: number, price: ModelPrice): StopCondition {
  if (!(amount > 0)) throw optionInvalid(`costAtMost is ${amount}.`, 'Give an amount above 0, in the currency of the price.');
  return ({ usage }) => (modelCost(usage, ['model'], { model: price }) ?? 0) >= amount;
}

/** Returns how the first condition that is met ends the loop; `undefined` if none is met. */
export function stopOf(conditions: readonly StopCondition[], step: FinishedStep): { readonly output?: Json } | undefined {
  for (const condition of conditions) {
    const met = condition(step);
    if (met === true) return {};
    if (met !== false) return met;
  }
  return undefined;
}
