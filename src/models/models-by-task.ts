import type { ChatModel } from '../core/ports/chat-model.ts';
import { checkInteger } from '../core/util/check-integer.ts';
import { optionInvalid } from '../core/util/check-options.ts';
import { didYouMean } from '../core/util/nearest-name.ts';
import { contextTokensOf, minContextTokens } from './context-tokens-of.ts';
import { learnedContext } from './learned-context.ts';
import type { OfflineAdvice } from './offline-advice.ts';
import { withRuleInput } from './rule-model.ts';

/** Models of a workflow, part of its factory's options. */
export interface ModelOptions<TTask extends string> {
  /** Model of every task that `models` does not name. @default the workflow's offline rules: no key, no network */
  readonly model?: ChatModel;
  /**
   * Models of single nodes, for example `{ planner: large, default: small }`. A key is a node or its task (`plan_execute.planner`);
   * `default` is a synonym for `model`.
   */
  readonly models?: Partial<Record<ModelName<TTask>, ChatModel>>;
  /**
   * Maximum number of tokens of a request and its reply together, for all models; at least 1,000. Longer content is cut in the request, and
   * stays whole in the journal. @default by each model's name, 32,768 for an unknown one
   */
  readonly contextTokens?: number;
  /**
   * Maximum number of retries after an unusable reply; each sends the reasons to the model. Applies to each reply that must be JSON.
   * Default: 1. In plan-execute 0, so that the number of calls in a turn matches its table.
   */
  readonly maxRepairs?: number;
  /**
   * Advice of the offline rules for answers that need a language model. Use the words of your program, for example its menu, or
   * `OPENAI_API_KEY or --base-url`. @default 'OPENAI_API_KEY' for a model
   */
  readonly advice?: OfflineAdvice;
}

/** Keys of `models`. */
export type ModelName<TTask extends string> = TTask | NodeOfTask<TTask> | 'default';

/** The node of a task: the part after its first dot. */
export type NodeOfTask<TTask extends string> = TTask extends `${string}.${infer TNode}` ? TNode : never;

export interface ModelsByTaskOptions {
  /** Model for a workflow without configured models. It is not wrapped. */
  readonly otherwise: ChatModel;
  /** Wraps each configured model once, for example with `fittedModel` or `cachedModel`. Default: no wrapper. */
  readonly wrap?: (model: ChatModel) => ChatModel;
  /** All tasks of the workflow: `models` may name no others. Default: every name is accepted. */
  readonly tasks?: readonly string[];
  /** Maximum number of retries after an unusable reply, unless the options set it. @default 1 */
  readonly maxRepairs?: number;
}

/** The keys of `TRuleInputs` are the tasks, its values the rule input of each task. */
export interface ModelsByTask<TRuleInputs> {
  /** Returns the model of a task, or `instead` if it is given. Offline rules read `ruleInput`; a model never sees it. */
  readonly modelFor: <TTask extends keyof TRuleInputs & string>(
    task: TTask,
    ruleInput: TRuleInputs[TTask],
    instead?: ChatModel | undefined,
  ) => ChatModel;
  /** Unique names of all models, for `model` of `defineWorkflow`. */
  readonly modelNames: string;
  /** Maximum number of tokens of a task's request and its reply together. */
  readonly contextTokensFor: (task: keyof TRuleInputs & string) => number;
  /** Maximum number of retries after an unusable reply. */
  readonly maxRepairs: number;
}

/**
 * Selects the model of each task of a workflow.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a name in `models` that no task has, for a task or the default named twice, for a
 * `contextTokens` below 1,000, and for an invalid `maxRepairs`.
 * @example
 * const { modelFor, modelNames } = modelsByTask<{ 'greeter.greet': { name: string } }>({ model, models }, { otherwise: offlineModel(rules) });
 * await askModel(modelFor('greeter.greet', { name: 'Ada' }), { task: 'greeter.greet', messages }, { io });
 */
export function modelsByTask<TRuleInputs>(
  options: ModelOptions<keyof TRuleInputs & string>,
  { otherwise, wrap = (given) => given, tasks, maxRepairs = 1 }: ModelsByTaskOptions,
): ModelsByTask<TRuleInputs> {
  const chosen = new Map<string, ChatModel>();
  for (const [name, given] of Object.entries<ChatModel | undefined>(options.models ?? {})) {
    if (!given) continue;
    const task = taskNamed(name, tasks);
    if (chosen.has(task)) throw optionInvalid(`"${nodeOf(task)}" has two models.`, 'Name a node alone or as its task, not both.');
    chosen.set(task, given);
  }
  const named = chosen.get('default');
  if (named && options.model) throw optionInvalid('Both model and models.default are given.', 'Give one of them. They mean the same.');
  chosen.delete('default');
  const model = options.model ?? named;

  const { contextTokens } = options;
  if (contextTokens !== undefined) checkInteger('contextTokens', contextTokens, { min: minContextTokens });
  const tokensOf = (given: ChatModel): number => learnedContext(given, contextTokens ?? contextTokensOf(given.name)).contextTokens;
  const wrapped = new Map<ChatModel, ChatModel>();
  const wrapOnce = (given: ChatModel): ChatModel => {
    const known = wrapped.get(given) ?? wrap(given);
    wrapped.set(given, known);
    return known;
  };
  const names = [model ?? otherwise, ...chosen.values()].map(({ name }) => name);
  const givenFor = (task: string): ChatModel | undefined => chosen.get(task) ?? chosen.get(nodeOf(task)) ?? model;
  return {
    modelFor: (task, ruleInput, instead) => {
      const given = instead ?? givenFor(task);
      return withRuleInput(given ? wrapOnce(given) : otherwise, ruleInput);
    },
    contextTokensFor: (task) => tokensOf(givenFor(task) ?? otherwise),
    modelNames: [...new Set(names)].join(', '),
    maxRepairs: checkInteger('maxRepairs', options.maxRepairs ?? maxRepairs, { min: 0, max: 10 }),
  };
}

const nodeOf = (task: string): string => task.slice(task.indexOf('.') + 1);

function taskNamed(name: string, tasks: readonly string[] | undefined): string {
  if (name === 'default' || tasks === undefined) return name;
  const task = tasks.find((task) => task === name || nodeOf(task) === name);
  if (task !== undefined) return task;
  const nodes = [...tasks.map(nodeOf), 'default'];
  throw optionInvalid(`No node "${name}" calls a model.`, `${didYouMean(nodeOf(name), nodes)}There is: ${nodes.join(', ')}.`);
}
