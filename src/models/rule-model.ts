import type { ChatModel, ChatReply, ChatRequest } from '../ports/chat-model.ts';

/** Gives a rule what the prompt was made from, when the rule asks for it. */
export type RuleInputSource = () => unknown;

/**
 * A model that answers by rules, or hands requests on to one that does. Rules read a *rule input*, beside the request: what the prompt was
 * made from, as data.
 */
export interface RuleModel extends ChatModel {
  /** Tells it from a model that is given the request and nothing else. */
  readonly takesRuleInput: true;
  /** @throws {WorkflowError} as every model, and `OPTION_INVALID` when a rule reads a rule input that it was not given. */
  generate(request: ChatRequest, ruleInput?: RuleInputSource): Promise<ChatReply>;
}

export const isRuleModel = (model: ChatModel): model is RuleModel => 'takesRuleInput' in model && model.takesRuleInput === true;

/** What a model around another one says of its replies, too. */
export const boundOf = ({ maxOutputTokens }: ChatModel): Pick<ChatModel, 'maxOutputTokens'> =>
  maxOutputTokens === undefined ? {} : { maxOutputTokens };

/** Asks a model; the rule input is for rules only. */
export const askWithRuleInput = (model: ChatModel, request: ChatRequest, ruleInput: RuleInputSource | undefined): Promise<ChatReply> =>
  isRuleModel(model) ? model.generate(request, ruleInput) : model.generate(request);

/**
 * The same model, with what its rules read for the next request. A model without rules is given back as it is: it never sees the rule input,
 * nor does a cache or the journal.
 *
 * @example await askModel(withRuleInput(model, { city }), { task: 'trip.answer', messages }, { io });
 */
export function withRuleInput(model: ChatModel, ruleInput: unknown): ChatModel {
  if (!isRuleModel(model)) return model;
  return { name: model.name, ...boundOf(model), generate: (request) => model.generate(request, () => ruleInput) };
}
