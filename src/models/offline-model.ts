import { WorkflowError } from '../errors.ts';
import type { ChatModel, ChatReply, ChatRequest } from '../ports/chat-model.ts';
import { deliver, type ModelAnswer, toChatReply } from './model-answer.ts';
import { untilAborted } from './until-aborted.ts';

/** Answers the requests of one task, mostly from `request.facts`. */
export type OfflineRule = (request: ChatRequest) => ModelAnswer | Promise<ModelAnswer>;

/** A rule for each task. */
export type OfflineRules = Readonly<Record<string, OfflineRule>>;

/**
 * Makes a model that answers by rules, without a network: for demonstrations, tests and development. Its text arrives word by word.
 * Its `generate` throws `MODEL_TASK_UNKNOWN` for a task without a rule.
 *
 * @example
 * const model = offlineModel({ 'greeter.greet': ({ facts }) => `Hello ${facts?.name}!` });
 */
export function offlineModel(rules: OfflineRules, { name = 'offline (rules)' }: { readonly name?: string } = {}): ChatModel {
  return {
    name,
    async generate(request): Promise<ChatReply> {
      request.signal?.throwIfAborted();
      const rule = Object.hasOwn(rules, request.task) ? rules[request.task] : undefined;
      if (!rule) throw unknownTask(name, request.task, Object.keys(rules));
      const answer = await untilAborted(Promise.resolve(rule(request)), request.signal);
      const reply = toChatReply(answer, { model: name });
      deliver(reply.text.match(/\s*\S+|\s+$/g) ?? [], request);
      return reply;
    },
  };
}

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

function unknownTask(name: string, task: string, known: readonly string[]): WorkflowError {
  const tasks = known.map((known) => `"${known}"`).join(', ') || 'none';
  return new WorkflowError({
    code: 'MODEL_TASK_UNKNOWN',
    message: `"${name}" has no rule for the task "${task}". It knows: ${tasks}.`,
    hint: 'Add a rule for it, or use a language model.',
    data: { task, known },
  });
}
