import type { ChatModel, ChatReply, ChatRequest } from '../core/ports/chat-model.ts';

/** Returns the data that the prompt was made from, on a rule's request. */
export type RuleInputSource = () => unknown;

/**
 * A model that answers by rules, or passes requests on to one. Rules read a *rule input* beside the request: the data that the prompt was
 * made from.
 */
export interface RuleModel extends ChatModel {
  /** Marks a model that accepts a rule input. */
  readonly takesRuleInput: true;
  /** @throws {WorkflowError} as every model, and `OPTION_INVALID` when a rule reads a missing rule input. */
  generate(request: ChatRequest, ruleInput?: RuleInputSource): Promise<ChatReply>;
}

export const isRuleModel = (model: ChatModel): model is RuleModel => 'takesRuleInput' in model && model.takesRuleInput === true;

/** Copies the reply limit of the wrapped model. */
const boundOf = ({ maxOutputTokens }: ChatModel): Pick<ChatModel, 'maxOutputTokens'> =>
  maxOutputTokens === undefined ? {} : { maxOutputTokens };

/** Fields that a wrapper copies from its model. */
export const traitsOf = (model: ChatModel): Pick<ChatModel, 'name' | 'maxOutputTokens'> & Partial<Pick<RuleModel, 'takesRuleInput'>> => ({
  name: model.name,
  ...boundOf(model),
  ...(isRuleModel(model) ? { takesRuleInput: true } : {}),
});

/** Calls a model; the rule input is for rules only. */
export const askWithRuleInput = (model: ChatModel, request: ChatRequest, ruleInput: RuleInputSource | undefined): Promise<ChatReply> =>
  isRuleModel(model) ? model.generate(request, ruleInput) : model.generate(request);

/**
 * Binds a rule input to a model, for the next request. A model without rules is returned unchanged: it never sees the rule input, nor does
 * a cache or the journal.
 *
 * @example await askModel(withRuleInput(model, { city }), { task: 'trip.answer', messages }, { io });
 */
export function withRuleInput(model: ChatModel, ruleInput: unknown): ChatModel {
  if (!isRuleModel(model)) return model;
  return { name: model.name, ...boundOf(model), generate: (request) => model.generate(request, () => ruleInput) };
}
