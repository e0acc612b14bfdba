import { toErrorInfo, WorkflowError } from '../core/errors/errors.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import type { ErrorInfo } from '../core/ports/error-info.ts';
import type { JsonObject } from '../core/ports/json.ts';
import type { TokenUsage } from '../core/ports/run-event.ts';
import { addUsage } from '../core/util/add-usage.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { noUsage } from '../core/util/no-usage.ts';
import { askWithRuleInput, isRuleModel, type RuleInputSource } from './rule-model.ts';
import { usageOfError, withUsage } from './spent-usage.ts';

export interface FallbackModelOptions {
  /**
   * Called before the next model is tried. All tokens sent to `onToken` for this request so far become void. They are not buffered, so a
   * caller that shows them must discard them now.
   */
  readonly onFallback?: (fallback: Fallback) => void;
}

/** A switch from one model to the next. */
export interface Fallback {
  /** Name of the model that failed. */
  readonly from: string;
  /** Name of the next model. */
  readonly to: string;
  readonly error: ErrorInfo;
}

/**
 * Calls the first of `models`, and the next one after an error with `retryable: true` or `MODEL_UNAVAILABLE`. All other errors (a rejected
 * request, a content filter, an abort) are passed on. `reply.model` names the model that answered.
 *
 * If several models fail, the last error is thrown, with the earlier ones as `data.earlier`.
 * @throws {WorkflowError} `OPTION_INVALID` without a model.
 * @example fallbackModel([openaiModel({ model: 'gpt-5-mini' }), offlineModel(rules)])
 */
export function fallbackModel(models: readonly ChatModel[], { onFallback }: FallbackModelOptions = {}): ChatModel {
  const [first, ...rest] = models;
  if (!first) {
    throw optionInvalid('fallbackModel has no model.', 'Pass at least one model.');
  }

  const bounds = models.flatMap(({ maxOutputTokens }) => maxOutputTokens ?? []);

  const ask = async (
    model: ChatModel,
    others: readonly ChatModel[],
    request: ChatRequest,
    ruleInput: RuleInputSource | undefined,
    earlier: readonly JsonObject[],
    spent: TokenUsage,
  ): Promise<ChatReply> => {
    try {
      const reply = await askWithRuleInput(model, request, ruleInput);
      return earlier.length === 0 ? reply : { ...reply, usage: addUsage(reply.usage, spent) };
    } catch (error) {
      request.signal?.throwIfAborted();
      const info = toErrorInfo(error);
      const [next, ...rest] = others;
      if (!next || !(info.retryable || info.code === 'MODEL_UNAVAILABLE'))
        throw earlier.length === 0 ? error : withUsage(withEarlier(error, info, earlier), addUsage(usageOfError(error), spent));
      onFallback?.({ from: model.name, to: next.name, error: info });
      return ask(next, rest, request, ruleInput, [...earlier, toData(model.name, info)], addUsage(spent, usageOfError(error)));
    }
  };

  return {
    name: models.map(({ name }) => name).join(' → '),
    ...(bounds.length > 0 ? { maxOutputTokens: Math.max(...bounds) } : {}),
    ...(models.some(isRuleModel) ? { takesRuleInput: true } : {}),
    generate: (request: ChatRequest, ruleInput?: RuleInputSource) => ask(first, rest, request, ruleInput, [], noUsage),
  };
}

function withEarlier(cause: unknown, info: ErrorInfo, earlier: readonly JsonObject[]): WorkflowError {
  const code = WorkflowError.isInstance(cause) ? cause.code : 'UNKNOWN';
  return new WorkflowError({ ...info, code, data: { ...info.data, earlier }, cause });
}

const toData = (model: string, { name, code, message, retryable, data }: ErrorInfo): JsonObject => ({
  model,
  name,
  code,
  message,
  retryable,
  ...(data ? { data } : {}),
});
