import type { ChatMessage, ChatModel, ChatRequest, ModelToolCall } from '../../core/ports/chat-model.ts';
import type { NodeIo } from '../../core/ports/node-io.ts';
import type { TokenUsage } from '../../core/ports/run-event.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { toModelTools } from '../../core/tool-facts/to-model-tools.ts';
import { addUsage } from '../../core/util/add-usage.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { noUsage } from '../../core/util/no-usage.ts';
import { repairMessage } from '../../core/util/repair-message.ts';
import { type AskModelOptions, askModel } from '../../models/ask-model.ts';
import { assistantMessage } from '../../models/assistant-message.ts';
import type { GuardedReply } from '../../models/guarded-exchange.ts';
import { withToolFilesWithin } from '../../models/message-files.ts';
import { parseJsonReply, type ReplyForm, replySchemaOf } from '../../models/parse-json-reply.ts';
import type { AnswerCallsOptions } from './answer-calls.ts';
import { toolMessage } from './tool-message.ts';

export interface AskWithToolsOptions<T> extends Pick<AskModelOptions, 'links' | 'holdAnswers'> {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'step' | 'guards' | 'reserve'>;
  /** Tools that the model may call. */
  readonly tools: readonly Tool[];
  /** False: the model sees the tools and may no longer call them. @default true */
  readonly mayCall?: boolean;
  /** Form of the answer as JSON. Default: text. */
  readonly form?: ReplyForm<T>;
  /**
   * Checks a call: `checkToolCall`. A reply whose calls are all invalid is requested again, with the errors, so that it uses up no step.
   * Default: not checked.
   */
  readonly check?: AnswerCallsOptions['check'];
  /** Maximum number of repeated requests, with the reasons, after an answer of another form or with invalid calls only. @default 1 */
  readonly maxRepairs?: number;
}

/** Reply of a model with tools: an answer, or calls. */
export type ToolTurn<T = string> = {
  /** Text of the reply, also beside calls. */
  readonly text: string;
  /** New messages of the conversation: rejected replies with the reasons, then the reply. */
  readonly messages: readonly ChatMessage[];
  /** Sum of all requests. */
  readonly usage: TokenUsage;
} & (
  | {
      readonly kind: 'answer';
      readonly value: T;
      /** Guards that hold the answer, with `holdAnswers`; `messages` ends before it then. */
      readonly heldBy: readonly string[];
    }
  /** Pass them to `answerPendingCalls`, also with `mayCall: false`, because a model may ignore that. */
  | { readonly kind: 'calls'; readonly calls: readonly ModelToolCall[] }
);

/**
 * The model's half of a tool loop: sends one streamed request and returns an answer or calls. The request has the newest 4 MB of the files
 * of tool results; the older ones become a line of text each. The other half is `answerPendingCalls`.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` when the last answer is rejected; errors of `askModel`.
 * @example
 * const turn = await askWithTools(model, { task: 'shop.agent', messages }, { io, tools });
 * if (turn.kind === 'answer') return { answer: turn.text };
 * return { messages: turn.messages, pendingCalls: turn.calls };
 */
export async function askWithTools<T = string>(
  model: ChatModel,
  request: ChatRequest,
  { io, tools, mayCall = true, form, check, maxRepairs = 1, links, holdAnswers = false }: AskWithToolsOptions<T>,
): Promise<ToolTurn<T>> {
  const output =
    form && ({ type: 'json-schema', name: request.task.replaceAll(/[^a-zA-Z0-9_-]/g, '_'), schema: replySchemaOf(form) } as const);
  const added: ChatMessage[] = [];
  let usage: TokenUsage = noUsage;
  for (let attempt = 0; ; attempt++) {
    const chatRequest: ChatRequest = {
      ...request,
      messages: withToolFilesWithin([...request.messages, ...added]),
      tools: toModelTools(tools),
      toolChoice: mayCall ? (request.toolChoice ?? 'auto') : 'none',
      ...(output ? { output } : {}),
    };
    const ask = async (): Promise<Reply> => toReply(await askModel(model, chatRequest, { io, stream: true, links, holdAnswers }));
    // saves a commit: a single reply is part of its node's own outcome
    const reply = form && maxRepairs > 0 ? await io.step(`ask_${attempt + 1}`, ask) : await ask();
    usage = addUsage(usage, reply.usage);
    const { text, toolCalls, heldBy = [] } = reply;
    added.push(assistantMessage(reply));
    const turn = { text, messages: added, usage };
    if (toolCalls.length > 0) {
      const errors = mayCall && check && attempt < maxRepairs ? errorsOf(toolCalls, check) : [];
      if (errors.length < toolCalls.length) return { kind: 'calls', calls: toolCalls, ...turn };
      io.emit({ type: 'step-reset' });
      added.push(...errors);
      continue;
    }
    try {
      // without a form, T is string
      const value = form ? parseJsonReply(text, form) : (text as T);
      return { kind: 'answer', value, heldBy, ...turn, messages: heldBy.length > 0 ? added.slice(0, -1) : added };
    } catch (error) {
      if (!hasCode(error, 'MODEL_OUTPUT_INVALID') || attempt >= maxRepairs) throw error;
      io.emit({ type: 'step-reset' }); // discards the tokens shown so far
      added.push(repairMessage(`${error.message}\nAnswer again with one JSON object of the required form, and nothing else.`));
    }
  }
}

/** Answers to the invalid calls of a reply. */
const errorsOf = (calls: readonly ModelToolCall[], check: AnswerCallsOptions['check']): readonly ChatMessage[] =>
  calls.flatMap((call, index) => {
    const checked = check(call, index);
    return 'error' in checked ? [toolMessage(call.id, checked.error)] : [];
  });

/** Stored part of a model's reply. */
type Reply = Pick<GuardedReply, 'text' | 'toolCalls' | 'providerData' | 'usage' | 'heldBy'>;

const toReply = ({ text, toolCalls, providerData, usage, heldBy }: GuardedReply): Reply => ({
  text,
  toolCalls: toolCalls.map(({ id, name, arguments: argsText }) => ({ id, name, arguments: argsText })),
  ...(providerData ? { providerData } : {}),
  ...(heldBy ? { heldBy } : {}),
  usage,
});
