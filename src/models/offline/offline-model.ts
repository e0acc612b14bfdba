import { WorkflowError } from '../../core/errors/errors.ts';
import type { ChatReply, ChatRequest } from '../../core/ports/chat-model.ts';
import { loadedOnce } from '../../core/util/loaded-once.ts';
import { untilAborted } from '../../core/util/until-aborted.ts';
import { withSupportedFiles } from '../message-files.ts';
import { deliver, toChatReply } from '../model-answer.ts';
import type { OfflineAdvice } from '../offline-advice.ts';
import type { RuleInputSource, RuleModel } from '../rule-model.ts';
import { withAdvice } from './model-needed.ts';
import type { AnyRules, OfflineRules, RuleRequest } from './offline-rules.ts';

export interface OfflineModelOptions {
  /** @default 'offline (rules)' */
  readonly name?: string;
  /** Advice for answers with `modelNeeded` or `documentsNeeded`; called for these answers only. @default 'OPENAI_API_KEY' for a model */
  readonly advice?: OfflineAdvice | undefined;
}

/**
 * Creates a model that answers by rules, without a network: for demonstrations, tests and development. Streams its text word by word. Its
 * `generate` throws `MODEL_TASK_UNKNOWN` for a task without a rule.
 *
 * @param rules the rules, or a function that loads them on first use, which keeps them out of the initial bundle.
 * @example
 * const model = offlineModel<{ 'greeter.greet': { readonly name: string } }>({
 *   'greeter.greet': ({ ruleInput }) => `Hello ${ruleInput.name}!`,
 * });
 * await askModel(withRuleInput(model, { name: 'Ada' }), { task: 'greeter.greet', messages }, { io });
 */
export function offlineModel<TRuleInputs>(
  rules: Partial<OfflineRules<TRuleInputs>> | (() => Promise<Partial<OfflineRules<TRuleInputs>>>),
  { name = 'offline (rules)', advice }: OfflineModelOptions = {},
): RuleModel {
  // each rule gets the input from the node of its task
  const loaded = loadedOnce(async () => (typeof rules === 'function' ? await rules() : rules) as AnyRules);
  return {
    name,
    takesRuleInput: true,
    async generate(request, ruleInput): Promise<ChatReply> {
      request.signal?.throwIfAborted();
      const known = await loaded();
      const rule = Object.hasOwn(known, request.task) ? known[request.task] : undefined;
      if (!rule) throw unknownTask(name, request.task, Object.keys(known));
      const messages = withSupportedFiles(request.messages, { model: name, supports: () => false });
      const answer = await untilAborted(Promise.resolve(rule(toRuleRequest(name, { ...request, messages }, ruleInput))), request.signal);
      const chatReply = toChatReply(answer, { model: name });
      const reply = { ...chatReply, text: await untilAborted(withAdvice(chatReply.text, advice), request.signal) };
      deliver(reply.text.match(/\s*\S+|\s+$/g) ?? [], request);
      return reply;
    },
  };
}

const toRuleRequest = (name: string, request: ChatRequest, source: RuleInputSource | undefined): RuleRequest<never> => ({
  ...request,
  // a getter, because a cache must know if the rule read it
  get ruleInput(): never {
    if (!source) throw noRuleInput(name, request.task);
    return source() as never; // rules and nodes define the type
  },
});

const noRuleInput = (name: string, task: string): WorkflowError =>
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The rule of "${name}" for the task "${task}" has no rule input.`,
    hint: 'Use withRuleInput(model, input). A model that wraps rules must pass on the second argument of generate (see RuleModel).',
    data: { task },
  });

function unknownTask(name: string, task: string, known: readonly string[]): WorkflowError {
  const tasks = known.map((known) => `"${known}"`).join(', ') || 'none';
  return new WorkflowError({
    code: 'MODEL_TASK_UNKNOWN',
    message: `"${name}" has no rule for the task "${task}". Its tasks: ${tasks}.`,
    hint: 'Add a rule for it, or use a language model.',
    data: { task, known },
  });
}
