import type { ModelUsage } from './run-narrator.ts';

interface Sum {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

const sumOf = (usage: readonly ModelUsage[]): Sum => ({
  input: usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  cached: usage.reduce((sum, { cachedInputTokens = 0 }) => sum + cachedInputTokens, 0),
  output: usage.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  reasoning: usage.reduce((sum, { reasoningTokens = 0 }) => sum + reasoningTokens, 0),
});

/** Token usage of all models of a run, in the format of chat completions. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
  readonly completion_tokens_details: { readonly reasoning_tokens: number };
}

export function toChatUsage(usage: readonly ModelUsage[]): ChatUsage {
  const { input, cached, output, reasoning } = sumOf(usage);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

/** Token usage of all models of a run, in the format of responses. */
export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

export function toResponseUsage(usage: readonly ModelUsage[]): ResponseUsage {
  const { input, cached, output, reasoning } = sumOf(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
