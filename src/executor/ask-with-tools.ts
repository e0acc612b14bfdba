import { type AskModelOptions, askModel } from '../models/ask-model.ts';
import { assistantMessage } from '../models/assistant-message.ts';
import { noUsage } from '../models/no-usage.ts';
import { parseJsonReply, type ReplyForm, replySchemaOf } from '../models/parse-json-reply.ts';
import type { ChatMessage, ChatModel, ChatReply, ChatRequest, ModelToolCall } from '../ports/chat-model.ts';
import type { NodeIo } from '../ports/node-io.ts';
import type { TokenUsage } from '../ports/run-event.ts';
import type { Tool } from '../ports/tool.ts';
import { toModelTools } from '../tool-facts/to-model-tools.ts';
import { addUsage } from '../util/add-usage.ts';
import { hasCode } from '../util/has-code.ts';

export interface AskWithToolsOptions<T> extends Pick<AskModelOptions, 'links'> {
  readonly io: Pick<NodeIo, 'emit' | 'signal' | 'step'>;
  /** What the model may call. */
  readonly tools: readonly Tool[];
  /** False: the tools are shown, and none may be called any more. @default true */
  readonly mayCall?: boolean;
  /** What an answer must be: JSON of this form. Default: text. */
  readonly form?: ReplyForm<T>;
  /** How often the model is asked again, with the reasons, when its answer is not of that form. @default 1 */
  readonly maxRepairs?: number;
}

/** What a model has replied that may call tools: an answer, or calls. */
export type ToolTurn<T = string> = {
  /** What the model has said beside its calls, too. */
  readonly text: string;
  /** What the conversation grows by: the reply, and before it the answers that were refused, each with the reasons. */
  readonly messages: readonly ChatMessage[];
  /** Of all requests. */
  readonly usage: TokenUsage;
} & (
  | { readonly kind: 'answer'; readonly value: T }
  /** Give them to `answerPendingCalls`. With `mayCall: false`, too: a model may call what it was told not to. */
  | { readonly kind: 'calls'; readonly calls: readonly ModelToolCall[] }
);

/**
 * The model's half of a loop of tools: asks it once, with its reply streamed, and says whether it has answered or calls tools. The other
 * half is `answerPendingCalls`.
 *
 * @throws {WorkflowError} `MODEL_OUTPUT_INVALID` when the last answer is refused; what `askModel` throws.
 * @example
 * const turn = await askWithTools(model, { task: 'shop.agent', messages }, { io, tools });
 * if (turn.kind === 'answer') return { answer: turn.text };
 * return { messages: turn.messages, pendingCalls: turn.calls };
 */
export async function askWithTools<T = string>(
  model: ChatModel,
  request: ChatRequest,
  { io, tools, mayCall = true, form, maxRepairs = 1, links }: AskWithToolsOptions<T>,
): Promise<ToolTurn<T>> {
  const output =
    form && ({ type: 'json-schema', name: request.task.replaceAll(/[^a-zA-Z0-9_-]/g, '_'), schema: replySchemaOf(form) } as const);
  const added: ChatMessage[] = [];
  let usage: TokenUsage = noUsage;
  for (let attempt = 0; ; attempt++) {
    const asked: ChatRequest = {
      ...request,
      messages: [...request.messages, ...added],
      tools: toModelTools(tools),
      toolChoice: mayCall ? 'auto' : 'none',
      ...(output ? { output } : {}),
    };
    const ask = async (): Promise<Reply> => toReply(await askModel(model, asked, { io, stream: true, links }));
    // one commit less where there is nothing to lose: a single reply goes into its node's own outcome
    const reply = form && maxRepairs > 0 ? await io.step(`ask_${attempt + 1}`, ask) : await ask();
    usage = addUsage(usage, reply.usage);
    const { text, toolCalls } = reply;
    added.push(assistantMessage(reply));
    const turn = { text, messages: added, usage };
    if (toolCalls.length > 0) return { kind: 'calls', calls: toolCalls, ...turn };
    try {
      // without a form, T is string
      return { kind: 'answer', value: form ? parseJsonReply(text, form) : (text as T), ...turn };
    } catch (error) {
      if (!hasCode(error, 'MODEL_OUTPUT_INVALID') || attempt >= maxRepairs) throw error;
      io.emit({ type: 'step-reset' }); // its tokens were shown
      added.push({
        role: 'user',
        content: `${error.message}\nAnswer again with one JSON object of the required form, and nothing else.`,
      });
    }
  }
}

/** What is kept of a model's reply. */
type Reply = Pick<ChatReply, 'text' | 'toolCalls' | 'providerData' | 'usage'>;

const toReply = ({ text, toolCalls, providerData, usage }: ChatReply): Reply => ({
  text,
  toolCalls: toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
  ...(providerData ? { providerData } : {}),
  usage,
});
