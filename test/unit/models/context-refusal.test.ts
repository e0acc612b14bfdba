import { describe, expect, it } from 'vitest';
import { type ContextRefusal, contextRefusal } from '../../../src/models/context-refusal.ts';

const said = (limitTokens?: number, inputTokens?: number, outputTokens?: number): ContextRefusal => ({
  ...(limitTokens === undefined ? {} : { limitTokens }),
  ...(inputTokens === undefined ? {} : { inputTokens }),
  ...(outputTokens === undefined ? {} : { outputTokens }),
});

describe('contextRefusal', () => {
  it.each<[string, number | undefined, string, ContextRefusal]>([
    [
      'OpenAI',
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
      said(128_000, 204_308),
    ],
    [
      'OpenAI with a bound of the reply',
      400,
      "This model's maximum context length is 4097 tokens. However, you requested 10057 tokens (57 in the messages, 10000 in the completion).",
      said(4_097, 57, 10_000),
    ],
    ['OpenAI without numbers', 400, 'Your input exceeds the context window of this model. Please adjust your input and try again.', said()],
    ['OpenAI by its code', 400, '{"code":"context_length_exceeded","message":"Please reduce the length of the messages."}', said()],
    [
      'OpenAI, more than a minute may have',
      429,
      'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389.',
      said(30_000, 342_389),
    ],
    [
      'llama.cpp',
      500,
      '{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}',
      said(256, 1_407),
    ],
    [
      'llama.cpp in words',
      400,
      'request (1407 tokens) exceeds the available context size (256 tokens), try increasing it',
      said(256, 1_407),
    ],
    ['llama-cpp-python', 400, 'Requested tokens (2285) exceed context window of 2048', said(2_048)],
    [
      'vLLM',
      400,
      "This model's maximum context length is 131072 tokens. However, you requested 128000 output tokens and your prompt contains at least 3073 input tokens, for a total of at least 131073 tokens.",
      said(131_072, 3_073, 128_000),
    ],
    [
      'vLLM with a bound that is too large',
      400,
      "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 3000 input tokens.",
      said(8_192, 3_000, 8_192),
    ],
    ['vLLM, the decoder', 400, 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.', said(4_096, 5_000)],
    ['Anthropic', 400, 'prompt is too long: 208310 tokens > 200000 maximum', said(200_000, 208_310)],
    [
      'Anthropic with a bound of the reply',
      400,
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
      said(200_000, 178_959, 64_000),
    ],
    ['Gemini', 400, 'The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).', said(1_048_576, 1_200_293)],
    [
      'Groq',
      413,
      'Request too large for model `llama-3.3-70b-versatile` in organization `org_1` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size',
      said(12_000, 14_137),
    ],
    [
      'Mistral',
      400,
      'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      said(32_768, 65_673),
    ],
    [
      'Cohere',
      400,
      'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 9000. Try using a shorter prompt.',
      said(4_081, 9_000),
    ],
    ['xAI', 400, "This model's maximum prompt length is 131072 but the request contains 200000 tokens.", said(131_072, 200_000)],
    [
      'OpenRouter',
      400,
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (30000 of text input, 10000 in the output).",
      said(32_768, 30_000, 10_000),
    ],
    [
      'numbers with commas',
      400,
      'This model’s maximum context length is 128,000 tokens. However, your messages resulted in 204,308 tokens.',
      said(128_000, 204_308),
    ],
    ['a stream, which has no status', undefined, '{"code":"context_length_exceeded","message":"too long"}', said()],
  ])('reads %s', (_, status, words, refusal) => {
    expect(contextRefusal(status, words)).toEqual(refusal);
  });

  it.each<[number, string]>([
    [
      429,
      'Rate limit reached for model `m` on tokens per minute (TPM): Limit 15000, Used 11972, Requested 4351. Please try again in 5.289s.',
    ],
    [400, 'Unsupported value: max_tokens. Use max_completion_tokens instead.'],
    [400, 'The response was filtered due to the prompt triggering the content management policy.'],
    [401, 'Incorrect API key provided.'],
    [404, 'The model `m` does not exist.'],
    [503, 'Overloaded'],
  ])('ignores another refusal (%i %s)', (status, words) => {
    expect(contextRefusal(status, words)).toBeUndefined();
  });
});
