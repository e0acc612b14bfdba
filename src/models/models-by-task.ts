import type { ChatModel } from '../ports/chat-model.ts';
import { withRuleInput } from './rule-model.ts';

/** The models of a workflow, among the options of its factory. */
export interface ModelOptions<TTask extends string> {
  /** Answers every task that `models` does not name. @default the workflow's offline rules: no key, no network */
  readonly model?: ChatModel;
  /** A model for single tasks, for example a small one for a router. */
  readonly models?: Partial<Record<TTask, ChatModel>>;
}

export interface ModelsByTaskOptions {
  /** Answers when no model was given. It is not wrapped. */
  readonly otherwise: ChatModel;
  /** What is put around each model that was given, once for each, for example `cachedModel`. Default: nothing. */
  readonly wrap?: (model: ChatModel) => ChatModel;
}

/** `TRuleInputs` names the tasks, and what a rule for each of them reads. */
export interface ModelsByTask<TRuleInputs> {
  /** The model of a task. Rules, where they answer instead of one, read `ruleInput`; a model never sees it. */
  readonly modelFor: <TTask extends keyof TRuleInputs & string>(task: TTask, ruleInput: TRuleInputs[TTask]) => ChatModel;
  /** All their names, each once: for `model` of `defineWorkflow`. */
  readonly modelNames: string;
}

/**
 * Chooses the model of each task of a workflow.
 *
 * @example
 * const { modelFor, modelNames } = modelsByTask<{ 'greeter.greet': { name: string } }>({ model, models }, { otherwise: offlineModel(rules) });
 * await askModel(modelFor('greeter.greet', { name: 'Ada' }), { task: 'greeter.greet', messages }, { io });
 */
export function modelsByTask<TRuleInputs>(
  { model, models = {} }: ModelOptions<keyof TRuleInputs & string>,
  { otherwise, wrap = (given) => given }: ModelsByTaskOptions,
): ModelsByTask<TRuleInputs> {
  const wrapped = new Map<ChatModel, ChatModel>();
  const wrapOnce = (given: ChatModel): ChatModel => {
    const known = wrapped.get(given) ?? wrap(given);
    wrapped.set(given, known);
    return known;
  };
  const chosen: Partial<Record<string, ChatModel>> = models;
  const names = [model ?? otherwise, ...Object.values(chosen)].flatMap((given) => (given ? [given.name] : []));
  return {
    modelFor: (task, ruleInput) => {
      const given = chosen[task] ?? model;
      return withRuleInput(given ? wrapOnce(given) : otherwise, ruleInput);
    },
    modelNames: [...new Set(names)].join(', '),
  };
}
