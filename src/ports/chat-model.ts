import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { MessageFile } from './message-file.ts';
import type { TokenUsage } from './run-event.ts';

/** A language model: one request, one reply. */
export interface ChatModel {
  /** Shown in events and in the terminal, for example `gpt-5-mini` or `offline (rules)`. */
  readonly name: string;
  /** Upper bound of its replies, in tokens, where a request says none: room that is kept free for them. Absent: nobody has said. */
  readonly maxOutputTokens?: number;
  /**
   * Answers a request; text arrives through `onToken` as it is produced.
   * @throws {WorkflowError} `MODEL_TRUNCATED`, `MODEL_REFUSED`, `MODEL_EMPTY`, `MODEL_UNAVAILABLE`,
   *   `MODEL_STREAM_CUT`: a reply that is not complete is never returned as if it were; `MODEL_INPUT_UNSUPPORTED` for a file that it does not
   *   take.
   */
  generate(request: ChatRequest): Promise<ChatReply>;
}

/** What a model is asked. */
export interface ChatRequest {
  /** The node that asks, for example `plan_execute.planner`: scripted and offline models answer by it. */
  readonly task: string;
  readonly messages: readonly ChatMessage[];
  /** Tools that the model may call. @default [] */
  readonly tools?: readonly ModelTool[];
  /** @default 'auto' */
  readonly toolChoice?: 'auto' | 'none' | 'required';
  /** What the text of the reply must be. @default { type: 'text' } */
  readonly output?: ChatOutput;
  /** Sampling temperature. Default: the provider's. */
  readonly temperature?: number;
  /** Upper bound of the reply, in tokens. Default: the provider's. */
  readonly maxOutputTokens?: number;
  /** The same request may be answered from a cache. @default false */
  readonly deterministic?: boolean;
  readonly signal?: AbortSignal;
  /** Called with each piece of the reply's text. Its pieces are void when `generate` rejects. */
  readonly onToken?: (text: string) => void;
  /** Called with each piece of what the model thinks before it answers, where the provider shows that. Void as those of `onToken`. */
  readonly onReasoning?: (text: string) => void;
}

/** `json`: one JSON value. `json-schema`: one that conforms to `schema`. */
export type ChatOutput =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | { readonly type: 'json-schema'; readonly name: string; readonly schema: JsonSchema };

/** A tool as a model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** One message of a conversation. */
export type ChatMessage =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user';
      readonly content: string;
      /** Images and other files that belong to it. A model that does not take them says so before anything is sent. */
      readonly files?: readonly MessageFile[];
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ModelToolCall[];
      readonly providerData?: ProviderData;
    }
  | { readonly role: 'tool'; readonly callId: string; readonly content: string };

/**
 * What a provider wants back with its own message, unchanged: reasoning, encrypted or not, and signatures. Opaque to everybody else: it is
 * stored with the message, never shown, and sent to nobody but the model that it is from.
 */
export interface ProviderData {
  /** The provider and its model, as its adapter names them. An adapter leaves out what is not from itself. */
  readonly from: string;
  readonly data: JsonObject;
}

/** A call as the model wrote it: untrusted text until `parseToolCall` has read it. */
export interface ModelToolCall {
  /** The model's own id. Not unique across replies. */
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** A complete reply. */
export interface ChatReply {
  readonly text: string;
  /** What the model thought before it answered, where the provider shows that. Never part of the answer. */
  readonly reasoning?: string;
  readonly toolCalls: readonly ModelToolCall[];
  /** For the assistant's message that keeps this reply: `assistantMessage` hands it on. */
  readonly providerData?: ProviderData;
  readonly usage: TokenUsage;
  /** The model that answered: with a fallback, not always the one that was asked. */
  readonly model: string;
  /** Answered from a cache: nothing was asked and nothing was spent. */
  readonly cached: boolean;
  /** Anything the provider adds, such as its request id. */
  readonly metadata?: Json;
}
