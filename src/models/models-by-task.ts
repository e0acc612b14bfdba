import { WorkflowError } from '../errors.ts';
import type { ChatModel } from '../ports/chat-model.ts';
import { checkInteger } from '../util/check-integer.ts';
import { nearestName } from '../util/nearest-name.ts';
import { contextTokensOf, minContextTokens } from './context-tokens-of.ts';
import { learnedContext } from './learned-context.ts';
import type { OfflineAdvice } from './offline-advice.ts';
import { withRuleInput } from './rule-model.ts';

/** The models of a workflow, among the options of its factory. */
export interface ModelOptions<TTask extends string> {
  /** Answers every task that `models` does not name. @default the workflow's offline rules: no key, no network */
  readonly model?: ChatModel;
  /**
   * A model for single nodes, for example `{ planner: large, default: small }`. A node is named alone or as its task (`plan_execute.planner`);
   * `default` is another word for `model`.
   */
  readonly models?: Partial<Record<ModelName<TTask>, ChatModel>>;
  /**
   * Tokens of a request and its reply together, of all its models, from 1,000: what is too long for it is cut, and stays whole in the
   * journal. @default by each model's name, 32,768 for one that is not known
   */
  readonly contextTokens?: number;
  /**
   * How often a model is asked again, with the reasons, when its reply cannot be used: of each reply that must be JSON. Default: 1; in
   * plan-execute 0, so that a turn takes the calls that its table says.
   */
  readonly maxRepairs?: number;
  /**
   * What the offline rules say can be done where they cannot answer without a language model: in the words of whoever asks, for
   * example a menu of your program, or `OPENAI_API_KEY or --base-url`. @default 'OPENAI_API_KEY' for a model
   */
  readonly advice?: OfflineAdvice;
}

/** What `models` can name. */
export type ModelName<TTask extends string> = TTask | NodeOfTask<TTask> | 'default';

/** The node of a task: what follows its first dot. */
export type NodeOfTask<TTask extends string> = TTask extends `${string}.${infer TNode}` ? TNode : never;

export interface ModelsByTaskOptions {
  /** Answers when no model was given. It is not wrapped. */
  readonly otherwise: ChatModel;
  /** What is put around each model that was given, once for each, for example `fittedModel` or `cachedModel`. Default: nothing. */
  readonly wrap?: (model: ChatModel) => ChatModel;
  /** All tasks of the workflow: `models` may name no others. Default: every name is taken. */
  readonly tasks?: readonly string[];
  /** How often a model is asked again where the options do not say. @default 1 */
  readonly maxRepairs?: number;
}

/** `TRuleInputs` names the tasks, and what a rule for each of them reads. */
export interface ModelsByTask<TRuleInputs> {
  /** The model of a task. Rules, where they answer instead of one, read `ruleInput`; a model never sees it. */
  readonly modelFor: <TTask extends keyof TRuleInputs & string>(task: TTask, ruleInput: TRuleInputs[TTask]) => ChatModel;
  /** All their names, each once: for `model` of `defineWorkflow`. */
  readonly modelNames: string;
  /** What a request of a task and its reply may have together, in tokens. */
  readonly contextTokensFor: (task: keyof TRuleInputs & string) => number;
  /** How often a model is asked again when its reply cannot be used. */
  readonly maxRepairs: number;
}

/**
 * Chooses the model of each task of a workflow.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for a name in `models` that no task has, for a task or the default named twice, and for a `contextTokens` below
 *   1,000, and for `maxRepairs`.
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
    if (chosen.has(task)) throw invalid(`"${nodeOf(task)}" has two models.`, 'Name a node alone or as its task, not both.');
    chosen.set(task, given);
  }
  const named = chosen.get('default');
  if (named && options.model) throw invalid('Both model and models.default are given.', 'Give one of them: they mean the same.');
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
    modelFor: (task, ruleInput) => {
      const given = givenFor(task);
      return withRuleInput(given ? wrapOnce(given) : otherwise, ruleInput);
    },
    contextTokensFor: (task) => tokensOf(givenFor(task) ?? otherwise),
    modelNames: [...new Set(names)].join(', '),
    maxRepairs: checkInteger('maxRepairs', options.maxRepairs ?? maxRepairs, { min: 0, max: 10 }),
  };
}

const nodeOf = (task: string): string => task.slice(task.indexOf('.') + 1);

/** The task that a name of `models` means. */
function taskNamed(name: string, tasks: readonly string[] | undefined): string {
  if (name === 'default' || tasks === undefined) return name;
  const task = tasks.find((task) => task === name || nodeOf(task) === name);
  if (task !== undefined) return task;
  const nodes = [...tasks.map(nodeOf), 'default'];
  const meant = nearestName(nodeOf(name), nodes);
  throw invalid(
    `No node "${name}" asks a model.`,
    `${meant === undefined ? '' : `Did you mean "${meant}"? `}There is: ${nodes.join(', ')}.`,
  );
}

const invalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'OPTION_INVALID', message, hint });
