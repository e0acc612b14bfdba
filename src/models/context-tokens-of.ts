/** Taken for a model of another name: what most servers give a model that they were told nothing about, or more. */
const defaultContextTokens = 32_768;

/** Below it no prompt of a workflow fits. */
export const minContextTokens = 1_000;

/** What is published of models by the beginning of their names; the first that fits counts. */
const known: readonly (readonly [name: RegExp, contextTokens: number])[] = [
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_000_000],
  [/^(?:gpt-4o|gpt-4-turbo|gpt-4-\d{4}-preview|chatgpt-4o|o1-mini|o1-preview)/, 128_000],
  [/^(?:o1|o3|o4)\b/, 200_000],
  [/^gpt-4\b/, 8_192],
  [/^gpt-3\.5/, 16_385],
  [/^claude-/, 200_000],
  [/^gemini-/, 1_000_000],
  [/^deepseek-(?:chat|reasoner)/, 64_000],
  [/^(?:mistral|ministral|magistral|codestral|devstral)-.*-latest/, 128_000],
];

/**
 * How many tokens a model takes, request and reply together, by its name: as published for the models of the large providers, as the name
 * says (`…-32k`), and 32,768 for any other. Open models are cut to what their server was started with, so say it: `contextTokens`.
 *
 * @example contextTokensOf('gpt-5-mini') // 400_000
 */
export function contextTokensOf(modelName: string): number {
  const name = modelName.toLowerCase().replace(/^.*\//, '');
  const stated = /(?:^|[-_:])(\d{1,4})k(?![a-z0-9])/.exec(name)?.[1];
  if (stated !== undefined && Number(stated) >= 2) return Number(stated) * 1_000;
  return known.find(([pattern]) => pattern.test(name))?.[1] ?? defaultContextTokens;
}
