import type { JsonObject } from '../../ports/json.ts';

/**
 * The part of the AI SDK's language-model specification that we use, so that `@ai-sdk/provider` is not in our types: `LanguageModelV4`, and
 * `LanguageModelV3` before it, have it. What such a model answers is read as data of which nothing is known.
 */
export interface AiSdkLanguageModel {
  /** `v4` or `v3`. */
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: AiSdkCallOptions): PromiseLike<object>;
  doStream(options: AiSdkCallOptions): PromiseLike<{ readonly stream: ReadableStream<object> }>;
}

/** Options of a provider, by its name. */
export type AiSdkProviderOptions = Record<string, JsonObject>;

/** How much a model thinks, where the provider has such a setting. */
export type AiSdkReasoning = 'provider-default' | 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** What a model is called with. Its parts are the specification's own, which we only name where we make them. */
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

/** A part of a message, of the kind that `type` says. */
export type AiSdkPart =
  | { type: 'text'; text: string; providerOptions?: AiSdkProviderOptions }
  | { type: 'file'; mediaType: string; filename?: string; data: string | { type: 'data'; data: string } }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown; providerOptions?: AiSdkProviderOptions }
  | { type: 'tool-result'; toolCallId: string; toolName: string; output: { type: 'text'; value: string } }
  /** Sent back as it came. */
  | JsonObject;
