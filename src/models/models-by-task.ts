import type { ChatModel } from '../ports/chat-model.ts';

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

export interface ModelsByTask<TTask extends string> {
  /** The model of a task. */
  readonly modelFor: (task: TTask) => ChatModel;
  /** All their names, each once: for `model` of `defineWorkflow`. */
  readonly modelNames: string;
}

/**
 * Chooses the model of each task of a workflow.
 *
 * @example
 * const { modelFor, modelNames } = modelsByTask<'greeter.greet'>({ model, models }, { otherwise: offlineModel(rules) });
 */
export function modelsByTask<TTask extends string>(
  { model, models = {} }: ModelOptions<TTask>,
  { otherwise, wrap = (given) => given }: ModelsByTaskOptions,
): ModelsByTask<TTask> {
  const wrapped = new Map<ChatModel, ChatModel>();
  const wrapOnce = (given: ChatModel): ChatModel => {
    const known = wrapped.get(given) ?? wrap(given);
    wrapped.set(given, known);
    return known;
  };
  const chosen: Partial<Record<string, ChatModel>> = models;
  const names = [model ?? otherwise, ...Object.values(chosen)].flatMap((given) => (given ? [given.name] : []));
  return {
    modelFor: (task) => {
      const given = chosen[task] ?? model;
      return given ? wrapOnce(given) : otherwise;
    },
    modelNames: [...new Set(names)].join(', '),
  };
}
