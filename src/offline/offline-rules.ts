import { WorkflowError } from '../errors.ts';
import type { ModelAnswer } from '../models/model-answer.ts';
import type { ChatRequest } from '../ports/chat-model.ts';

/** Answers the requests of one task, mostly from `request.facts`. */
export type OfflineRule = (request: ChatRequest) => ModelAnswer | Promise<ModelAnswer>;

/** A rule for each task. */
export type OfflineRules = Readonly<Record<string, OfflineRule>>;

/**
 * Joins sets of rules.
 * @throws {WorkflowError} `OPTION_INVALID` when two of them answer the same task.
 */
export function combineRules(...records: readonly OfflineRules[]): OfflineRules {
  const rules = new Map<string, OfflineRule>();
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
