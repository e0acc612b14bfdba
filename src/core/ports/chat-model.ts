import type { Json, JsonObject, JsonSchema } from './json.ts';
import type { MessageFile } from './message-file.ts';
import type { TokenUsage } from './run-event.ts';

/** A language model: one request, one reply. */
export interface ChatModel {
  /** Shown in events and in the terminal, for example `gpt-5-mini` or `offline (rules)`. */
  readonly name: string;
  /** Upper bound of a reply in tokens when a request sets none; the window keeps this much free. Absent: unknown. */
  readonly maxOutputTokens?: number;
  /**
   * Answers a request; text arrives through `onToken` as it is produced.
   * @throws {WorkflowError} `MODEL_TRUNCATED`, `MODEL_REFUSED`, `MODEL_EMPTY`, `MODEL_UNAVAILABLE`,
   *   `MODEL_STREAM_CUT`: a reply that is not complete is never returned as if it were; `MODEL_INPUT_UNSUPPORTED` for a file that it does not
   *   take.
   */
  generate(request: ChatRequest): Promise<ChatReply>;
}

/** A request to a model. */
export interface ChatRequest {
  /** The node that sends the request, for example `plan_execute.planner`; scripted and offline models choose their answer by it. */
  readonly task: string;
  readonly messages: readonly ChatMessage[];
  /** Tools that the model may call. @default [] */
  readonly tools?: readonly ModelTool[];
  /** @default 'auto' */
  readonly toolChoice?: 'auto' | 'none' | 'required';
  /** Required form of the reply's text. @default { type: 'text' } */
  readonly output?: ChatOutput;
  /** Sampling temperature. Default: the provider's. */
  readonly temperature?: number;
  /** Upper bound of the reply, in tokens. Default: the provider's. */
  readonly maxOutputTokens?: number;
  /** The same request may be answered from a cache. @default false */
  readonly deterministic?: boolean;
  readonly signal?: AbortSignal;
  /** Called with each piece of the reply's text. Discard the pieces when `generate` rejects. */
  readonly onToken?: (text: string) => void;
  /** Called with each piece of the model's reasoning, if the provider sends it. Discard the pieces when `generate` rejects. */
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
      /** Images and other files of the message. A model that does not support them fails before it sends anything. */
      readonly files?: readonly MessageFile[];
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ModelToolCall[];
      readonly providerData?: ProviderData;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly content: string;
      /** Images and other files of the result. A model that does not support one reads a line of text in its place. */
      readonly files?: readonly MessageFile[];
    };

/**
 * Opaque data that a provider wants back unchanged with its own message, such as reasoning and signatures. It is stored with the message,
 * never shown, and sent only to the model that produced it.
 */
export interface ProviderData {
  /** The provider and its model, as its adapter names them. An adapter drops data of another source. */
  readonly from: string;
  readonly data: JsonObject;
}

/** A call as the model wrote it: untrusted text until `parseToolCall` has checked it. */
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
  /** The model's reasoning, if the provider sends it. Never part of the answer. */
  readonly reasoning?: string;
  readonly toolCalls: readonly ModelToolCall[];
  /** Data for the assistant message that stores this reply; `assistantMessage` copies it. */
  readonly providerData?: ProviderData;
  readonly usage: TokenUsage;
  /** The model that answered. A fallback model may differ from the requested one. */
  readonly model: string;
  /** True when a cache answered: no request was sent and nothing was spent. */
  readonly cached: boolean;
  /** Anything the provider adds, such as its request id. */
  readonly metadata?: Json;
}
