import { WorkflowError } from '../errors.ts';
import { deliver, toChatReply } from '../models/model-answer.ts';
import { untilAborted } from '../models/until-aborted.ts';
import type { ChatModel, ChatReply } from '../ports/chat-model.ts';
import type { OfflineRules } from './offline-rules.ts';

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

function unknownTask(name: string, task: string, known: readonly string[]): WorkflowError {
  const tasks = known.map((known) => `"${known}"`).join(', ') || 'none';
  return new WorkflowError({
    code: 'MODEL_TASK_UNKNOWN',
    message: `"${name}" has no rule for the task "${task}". It knows: ${tasks}.`,
    hint: 'Add a rule for it, or use a language model.',
    data: { task, known },
  });
}
