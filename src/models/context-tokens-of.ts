/** Default for an unknown model name. Most servers give a model this many tokens, or more, without configuration. */
const defaultContextTokens = 32_768;

/** Minimum context size, in tokens; no prompt of a workflow fits below it. */
export const minContextTokens = 1_000;

/** Published context sizes by name prefix; the first match wins. */
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
 * Context size of a model by its name, request and reply together, in tokens. Uses the published size for models of the large providers,
 * the size in the name (`…-32k`), and 32,768 for any other. Servers start open models with a smaller context, so set `contextTokens` for
 * those.
 *
 * @example contextTokensOf('gpt-5-mini') // 400_000
 */
export function contextTokensOf(modelName: string): number {
  const name = modelName.toLowerCase().replace(/^.*\//, '');
  const stated = /(?:^|[-_:])(\d{1,4})k(?![a-z0-9])/.exec(name)?.[1];
  if (stated !== undefined && Number(stated) >= 2) return Number(stated) * 1_000;
  return known.find(([pattern]) => pattern.test(name))?.[1] ?? defaultContextTokens;
}
