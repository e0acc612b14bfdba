import { z } from 'zod';

const number = z.number().optional();

/**
 * What tunes a model: a workflow has models and bounds of its own, so it changes nothing that was promised to pass over it. Clients are told
 * in a header what it was. What would change what an answer is (`stop`, `logit_bias`, `response_format`, `tools`) is not among them.
 */
const tuning = {
  temperature: number,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  seed: number,
  reasoning_effort: z.string().optional(),
  verbosity: z.string().optional(),
  service_tier: z.string().optional(),
  parallel_tool_calls: z.boolean().optional(),
};

const text = z.strictObject({ type: z.literal('text') });
const noTools = z.enum(['none', 'auto']).optional();
const none = z.literal(0).optional();
const off = z.literal(false).optional();

export const chatTuning: z.ZodObject = z.object({
  ...tuning,
  max_tokens: number,
  max_completion_tokens: number,
  response_format: text.optional(),
  tool_choice: noTools,
  logprobs: off,
  top_logprobs: none,
});

export const responseTuning: z.ZodObject = z.object({
  ...tuning,
  max_output_tokens: number,
  max_tool_calls: number,
  truncation: z.enum(['auto', 'disabled']).optional(),
  text: z.strictObject({ format: text.optional(), verbosity: z.string().optional() }).optional(),
  reasoning: z.looseObject({}).optional(),
  tool_choice: noTools,
  top_logprobs: none,
});

/** Names what was passed over; nothing where there is none. */
export const ignoredHeaders = (ignored: readonly string[]): Readonly<Record<string, string>> =>
  ignored.length === 0 ? {} : { 'x-ignored-parameters': ignored.join(', ') };
