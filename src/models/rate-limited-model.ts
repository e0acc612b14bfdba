import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';
import { type RateLimitOptions, rateLimitQueue } from '../core/util/rate-limit-queue.ts';
import { askWithRuleInput, type RuleInputSource, traitsOf } from './rule-model.ts';

/**
 * Limits the rate of a model: at most `calls` requests start in any `perMs`, across all models that share `limits`. Further requests wait.
 * A request that would wait longer than `maxWaitMs` fails with `MODEL_UNAVAILABLE` and its `retryAfterMs`. Put it inside `cachedModel`, so
 * that cache hits do not count.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example cachedModel(rateLimitedModel(model, { limits: rateLimits(store), calls: 60, perMs: 60_000 }));
 */
export function rateLimitedModel(model: ChatModel, options: RateLimitOptions): ChatModel {
  const awaitPlace = rateLimitQueue(options, `model ${model.name}`, 'MODEL_UNAVAILABLE');
  return {
    ...traitsOf(model),
    async generate(request: ChatRequest, ruleInput?: RuleInputSource): Promise<ChatReply> {
      await awaitPlace(request.signal);
      return askWithRuleInput(model, request, ruleInput);
    },
  };
}
