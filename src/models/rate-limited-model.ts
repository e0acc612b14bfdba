import type { ChatModel, ChatReply, ChatRequest } from '../ports/chat-model.ts';
import { placeAwaiter, type RateLimitOptions } from '../util/place-awaiter.ts';
import { askWithRuleInput, boundOf, isRuleModel, type RuleInputSource } from './rule-model.ts';

/**
 * A model whose requests wait until they may be made: in any `perMs`, `calls` of them at most, of all that share `limits`. One whose place is
 * further than `maxWaitMs` fails with `MODEL_UNAVAILABLE`, which says `retryAfterMs`. Put it inside of `cachedModel`, whose hits then take
 * no place.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example cachedModel(rateLimitedModel(model, { limits: rateLimits(store), calls: 60, perMs: 60_000 }));
 */
export function rateLimitedModel(model: ChatModel, options: RateLimitOptions): ChatModel {
  const awaitPlace = placeAwaiter(options, `model ${model.name}`, 'MODEL_UNAVAILABLE');
  return {
    name: model.name,
    ...boundOf(model),
    ...(isRuleModel(model) ? { takesRuleInput: true } : {}),
    async generate(request: ChatRequest, ruleInput?: RuleInputSource): Promise<ChatReply> {
      await awaitPlace(request.signal);
      return askWithRuleInput(model, request, ruleInput);
    },
  };
}
