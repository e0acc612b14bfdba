import type { JsonObject } from '../../core/ports/json.ts';

/**
 * The part of the AI SDK's language-model specification in use, so that `@ai-sdk/provider` stays out of our types. `LanguageModelV4` and
 * the older `LanguageModelV3` match it. Replies of such a model are read as unvalidated data.
 */
export interface AiSdkLanguageModel {
  /** Specification version: `v4` or `v3`. */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCallOptions): PromiseLike<object>;
  doStream(options: AiSdkCallOptions): PromiseLike<{ readonly stream: ReadableStream<object> }>;
}

/** Provider options, by provider name. */
export type AiSdkProviderOptions = Record<string, JsonObject>;

/** Reasoning effort, for providers with such a setting. */
export type AiSdkReasoning = 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** Options of a model call. Their parts follow the specification, and are named only where they are built. */
export interface AiSdkCallOptions {
  prompt: object[];
  maxOutputTokens?: number;
  temperature?: number;
  responseFormat?: object;
  tools?: object[];
  toolChoice?: object;
  abortSignal?: AbortSignal;
  headers?: Record<string, string | undefined>;
  reasoning?: string;
  providerOptions?: object;
}

export type AiSdkMessage = { role: 'system'; content: string } | { role: 'user' | 'assistant' | 'tool'; content: AiSdkPart[] };

/** `content` in the form of the version: `file` with wrapped data in v4, `image-data` or `file-data` in v3. */
export type AiSdkToolOutput =
  | { type: 'text'; value: string }
  | {
      type: 'content';
      value: (
        | { type: 'text'; text: string }
        | { type: 'file'; mediaType: string; filename?: string; data: { type: 'data'; data: string } }
        | { type: 'image-data' | 'file-data'; mediaType: string; filename?: string; data: string }
      )[];
    };

/** A part of a message, discriminated by `type`. */
export type AiSdkPart =
  | { type: 'text'; text: string; providerOptions?: AiSdkProviderOptions }
  | { type: 'file'; mediaType: string; filename?: string; data: string | { type: 'data'; data: string } }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown; providerOptions?: AiSdkProviderOptions }
  | { type: 'tool-result'; toolCallId: string; toolName: string; output: AiSdkToolOutput }
  /** A part returned to the provider unchanged. */
  | JsonObject;
