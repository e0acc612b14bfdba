import { z } from 'zod';
import { WorkflowError } from '../../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../../core/ports/json.ts';
import { isObject } from '../../../core/util/is-object.ts';
import { unsupported } from '../read-body.ts';

export interface LangGraphToolCall {
  readonly id: string;
  readonly name: string;
  readonly args: JsonObject;
  readonly type: 'tool_call';
}

interface MessageBase {
  readonly id: string;
  readonly content: string;
  readonly additional_kwargs: Readonly<Record<string, never>>;
  readonly response_metadata: Readonly<Record<string, never>>;
}

/** A message in LangChain's JSON form. */
export type LangGraphMessage =
  | (MessageBase & { readonly type: 'human' })
  | (MessageBase & {
      readonly type: 'ai';
      readonly tool_calls: readonly LangGraphToolCall[];
      readonly invalid_tool_calls: readonly never[];
    })
  | (MessageBase & {
      readonly type: 'tool';
      readonly name: string;
      readonly tool_call_id: string;
      readonly status: 'success' | 'error';
    });

/** Change of a message, as the stream mode `messages-tuple` sends it: a piece of its text, the whole message, or its removal. */
export type LangGraphMessageChunk = LangGraphMessage | (MessageBase & { readonly type: 'AIMessageChunk' }) | RemovedMessage;

interface RemovedMessage {
  readonly type: 'remove';
  readonly id: string;
  readonly content: '';
}

const common = { additional_kwargs: {}, response_metadata: {} } as const;

export const humanMessage = (id: string, content: string): LangGraphMessage => ({ type: 'human', id, content, ...common });

export const aiMessage = (id: string, content: string, calls: readonly LangGraphToolCall[] = []): LangGraphMessage => ({
  type: 'ai',
  id,
  content,
  tool_calls: calls,
  invalid_tool_calls: [],
  ...common,
});

export const aiChunk = (id: string, content: string): LangGraphMessageChunk => ({ type: 'AIMessageChunk', id, content, ...common });

export const removedMessage = (id: string): LangGraphMessageChunk => ({ type: 'remove', id, content: '' });

export const toolCall = (id: string, name: string, args: Json): LangGraphToolCall => ({
  id,
  name,
  args: isObject(args) ? (args as JsonObject) : { input: args },
  type: 'tool_call',
});

export function toolMessage(callId: string, { id, name, output, error }: ToolOutcome): LangGraphMessage {
  const content = error ?? (typeof output === 'string' ? output : JSON.stringify(output ?? null));
  return { type: 'tool', id, name, content, tool_call_id: callId, status: error === undefined ? 'success' : 'error', ...common };
}

interface ToolOutcome {
  readonly id: string;
  readonly name: string;
  readonly output?: Json | undefined;
  readonly error?: string | undefined;
}

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const given = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(z.union([z.string(), part]))]),
});

/**
 * Text of the newest message of an input. The server has the history, so the other messages are not read.
 *
 * @throws {WorkflowError} `INPUT_INVALID` if the last message is not a human's; `OPTION_INVALID` for parts that are not text.
 */
export function lastHumanText(messages: unknown): string {
  if (typeof messages === 'string') return messages;
  const read = given.safeParse(Array.isArray(messages) ? messages.at(-1) : messages);
  const from = read.success ? (read.data.type ?? read.data.role) : undefined;
  if (!read.success || (from !== 'human' && from !== 'user')) {
    throw new WorkflowError({
      code: 'INPUT_INVALID',
      message: 'The last of input.messages is not a human message with a text.',
      hint: 'Add { type: "human", content: "…" }, or answer the open question in command.resume.',
    });
  }
  const { content } = read.data;
  if (typeof content === 'string') return content;
  return content.map((one) => (typeof one === 'string' ? one : textOf(one))).join('\n');
}

function textOf({ type, text }: z.infer<typeof part>): string {
  if (type === 'text' && text !== undefined) return text;
  throw unsupported(`a part of type "${type.slice(0, 40)}"`, 'Send text.');
}
