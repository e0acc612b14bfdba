import { fitRequest } from '../memory/fit-request.ts';
import type { ChatModel, ChatRequest } from '../ports/chat-model.ts';
import { checkInteger } from '../util/check-integer.ts';
import { contextTokensOf, minContextTokens } from './context-tokens-of.ts';
import { askWithRuleInput, boundOf, isRuleModel, type RuleInputSource } from './rule-model.ts';

export interface FittedModelOptions {
  /** Tokens of request and reply together, estimated from above; from 1,000. @default by the model's name: `contextTokensOf` */
  readonly contextTokens?: number;
}

/**
 * A model that is never sent more than it takes: what is too long is cut at the ends of sentences, with a mark that says how much was left
 * out. See `fitRequest`.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a `contextTokens` below 1,000; its `generate` also `CONTEXT_TOO_SMALL`.
 * @example const model = fittedModel(openaiModel({ model: 'qwen3:8b', baseURL }), { contextTokens: 8_192 });
 */
export function fittedModel(model: ChatModel, { contextTokens = contextTokensOf(model.name) }: FittedModelOptions = {}): ChatModel {
  checkInteger('contextTokens', contextTokens, { min: minContextTokens });
  return {
    name: model.name,
    ...boundOf(model),
    ...(isRuleModel(model) ? { takesRuleInput: true } : {}),
    async generate(request: ChatRequest, ruleInput?: RuleInputSource) {
      return askWithRuleInput(model, fitRequest(request, contextTokens, model.maxOutputTokens), ruleInput);
    },
  };
}
