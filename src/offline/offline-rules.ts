import { WorkflowError } from '../errors.ts';
import type { ModelAnswer } from '../models/model-answer.ts';
import type { ChatRequest } from '../ports/chat-model.ts';

/** A request, and what its prompt was made from, as data. */
export interface RuleRequest<TRuleInput> extends ChatRequest {
  /**
   * What the node has given with `withRuleInput`.
   * @throws {WorkflowError} `OPTION_INVALID` when it has given nothing, or a model in between has not handed it on.
   */
  readonly ruleInput: TRuleInput;
}

/** Answers the requests of one task, mostly from its rule input. */
export type OfflineRule<TRuleInput = unknown> = (request: RuleRequest<TRuleInput>) => ModelAnswer | Promise<ModelAnswer>;

/**
 * A rule for each task. `TRuleInputs` names the tasks, and what the rule of each one reads.
 * @example OfflineRules<{ 'trip.days': { readonly city: string } }>
 */
export type OfflineRules<TRuleInputs> = { readonly [TTask in keyof TRuleInputs]: OfflineRule<TRuleInputs[TTask]> };

/** Rules for some tasks, whatever they read. */
export type AnyRules = Readonly<Record<string, OfflineRule<never>>>;

/**
 * Joins sets of rules.
 * @throws {WorkflowError} `OPTION_INVALID` when two of them answer the same task.
 */
export function combineRules(...records: readonly AnyRules[]): AnyRules {
  const rules = new Map<string, OfflineRule<never>>();
  for (const [task, rule] of records.flatMap((record) => Object.entries(record))) {
    if (rules.has(task)) {
      throw new WorkflowError({
        code: 'OPTION_INVALID',
        message: `Two sets of rules answer the task "${task}".`,
        hint: 'Keep the rule in one of them.',
        data: { task },
      });
    }
    rules.set(task, rule);
  }
  return Object.fromEntries(rules);
}
