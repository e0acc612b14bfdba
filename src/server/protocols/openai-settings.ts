import { z } from 'zod';

const number = z.number().optional();

/**
 * Parameters that tune a model. A workflow has its own models and limits, so these are ignored and named in a response header. Parameters
 * that change the answer (`stop`, `logit_bias`, `tools`) are not included: they are unknown here.
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

const maxNamed = 20;

/** Header that names the ignored parts of a request; empty if there are none. A name that a header cannot hold becomes `other`. */
export function ignoredHeaders(ignored: readonly string[]): Readonly<Record<string, string>> {
  const names = new Set(ignored.map((name) => (/^[\w.[\]-]{1,64}$/.test(name) ? name : 'other')));
  return names.size === 0 ? {} : { 'x-ignored-parameters': [...names].slice(0, maxNamed).join(', ') };
}
