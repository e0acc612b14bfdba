import { WorkflowError } from '../core/errors/errors.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import type { ReplyCost, Reservation } from '../core/ports/model-budget.ts';
import type { NodeIo } from '../core/ports/node-io.ts';
import type { TokenUsage } from '../core/ports/run-event.ts';
import { usageOfError } from './spent-usage.ts';
import { boundRequestTokens } from './tokens/fit-request.ts';

/**
 * Sends a request to a model, and pays for it from the budget of the run.
 *
 * @throws {WorkflowError} see `NodeIo.reserve`; the errors of the model.
 */
export async function generateWithinBudget(
  model: ChatModel,
  request: ChatRequest,
  { reserve }: Pick<NodeIo, 'reserve'>,
): Promise<ChatReply> {
  if (!reserve) return model.generate(request);
  const outputTokens = request.maxOutputTokens ?? model.maxOutputTokens;
  const reservation = await reserve({ model: model.name, inputTokens: boundRequestTokens(request), outputTokens });
  let hasBegun = false;
  const begins = (show: ((text: string) => void) | undefined) => (text: string) => {
    hasBegun = true;
    show?.(text);
  };
  let cost: ReplyCost | 'all' | 'none' = 'none';
  try {
    request.signal?.throwIfAborted();
    cost = 'all';
    const { onToken, onReasoning } = request;
    const reply = await model.generate({
      ...request,
      ...(outputTokens === undefined ? { maxOutputTokens: reservation.maxOutputTokens } : {}),
      ...(onToken ? { onToken: begins(onToken) } : {}),
      ...(onReasoning ? { onReasoning: begins(onReasoning) } : {}),
    });
    cost = reply.cached ? 'none' : (costOf(reply) ?? 'all');
    return reply;
  } catch (error) {
    cost = costOf({ model: model.name, usage: usageOfError(error) }) ?? (!hasBegun && isUnanswered(error) ? 'none' : cost);
    throw error;
  } finally {
    await settle(reservation, cost);
  }
}

/** Returns `undefined` if no tokens were reported. */
const costOf = ({ model, usage }: { readonly model: string; readonly usage: TokenUsage }): ReplyCost | undefined =>
  usage.inputTokens + usage.outputTokens > 0 ? { model, usage } : undefined;

async function settle(reservation: Reservation, cost: ReplyCost | 'all' | 'none'): Promise<void> {
  try {
    await reservation.settle(cost);
  } catch {
    // the reply, or the model's error, must not be lost; unsettled, the call counts at its bound
  }
}

/** True if the provider has answered with an error, or could not be reached: that costs nothing. A time-out may. */
const isUnanswered = (error: unknown): boolean =>
  WorkflowError.isInstance(error) && freeCodes.has(error.code) && error.data?.limitMs === undefined;

const freeCodes: ReadonlySet<string> = new Set([
  'CONTEXT_TOO_SMALL',
  'MODEL_CONTEXT_FULL',
  'MODEL_INPUT_UNSUPPORTED',
  'MODEL_REQUEST_REFUSED',
  'MODEL_UNAVAILABLE',
]);
