import { WorkflowError } from '../../core/errors/errors.ts';
import type { ChatRequest } from '../../core/ports/chat-model.ts';
import type { ModelAnswer } from '../model-answer.ts';

/** A request, with the data behind its prompt. */
export interface RuleRequest<TRuleInput> extends ChatRequest {
  /**
   * Input from the node, passed with `withRuleInput`.
   * @throws {WorkflowError} `OPTION_INVALID` if the node passed none, or a wrapping model did not forward it.
   */
  readonly ruleInput: TRuleInput;
}

/** Answers the requests of one task, mostly from its rule input. */
export type OfflineRule<TRuleInput = unknown> = (request: RuleRequest<TRuleInput>) => ModelAnswer | Promise<ModelAnswer>;

/**
 * A rule for each task. `TRuleInputs` maps each task to the input of its rule.
 * @example OfflineRules<{ 'trip.days': { readonly city: string } }>
 */
export type OfflineRules<TRuleInputs> = { readonly [TTask in keyof TRuleInputs]: OfflineRule<TRuleInputs[TTask]> };

/** Rules for some tasks, with any input. */
export type AnyRules = Readonly<Record<string, OfflineRule<never>>>;

/**
 * Joins sets of rules.
 * @throws {WorkflowError} `OPTION_INVALID` if two sets answer the same task.
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
