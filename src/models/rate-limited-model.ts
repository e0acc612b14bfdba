import type { ChatModel, ChatReply, ChatRequest } from '../ports/chat-model.ts';
import type { Clock } from '../ports/clock.ts';
import type { CallRate, RateLimits } from '../ports/rate-limits.ts';
import { awaitPlace } from '../util/await-place.ts';
import { checkCallRate } from '../util/check-call-rate.ts';
import { checkTimeout } from '../util/check-integer.ts';
import { systemClock } from '../util/system-clock.ts';
import { askWithRuleInput, boundOf, isRuleModel, type RuleInputSource } from './rule-model.ts';

export interface RateLimitedModelOptions extends CallRate {
  /** Who gives out the places: `rateLimits` of `agent-machines/stores`. */
  readonly limits: RateLimits;
  /** What is counted together: all that share `limits` and this name. @default the model's */
  readonly name?: string;
  /** The longest that a request waits for its place, in milliseconds. @default 60_000 */
  readonly maxWaitMs?: number;
  /** @default the machine's clock */
  readonly clock?: Pick<Clock, 'schedule'>;
}

/**
 * A model whose requests wait until they may be made: in any `perMs`, `calls` of them at most, of all that share `limits`. One whose place is
 * further than `maxWaitMs` fails with `MODEL_UNAVAILABLE`, which says `retryAfterMs`. Put it inside of `cachedModel`, whose hits then take
 * no place.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example cachedModel(rateLimitedModel(model, { limits: rateLimits(store), calls: 60, perMs: 60_000 }));
 */
export function rateLimitedModel(model: ChatModel, options: RateLimitedModelOptions): ChatModel {
  const { limits, name = `model ${model.name}`, maxWaitMs = 60_000, clock = systemClock } = options;
  const place = {
    ...checkCallRate(options),
    limits,
    name,
    maxWaitMs: checkTimeout('maxWaitMs', maxWaitMs),
    clock,
    code: 'MODEL_UNAVAILABLE',
  } as const;
  return {
    name: model.name,
    ...boundOf(model),
    ...(isRuleModel(model) ? { takesRuleInput: true } : {}),
    async generate(request: ChatRequest, ruleInput?: RuleInputSource): Promise<ChatReply> {
      await awaitPlace(place, request.signal);
      return askWithRuleInput(model, request, ruleInput);
    },
  };
}
