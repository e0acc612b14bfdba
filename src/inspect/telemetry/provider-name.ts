/** Providers by model name. The OpenTelemetry conventions use the maker's name if the provider is unknown. */
const makers: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/(?:^|\/)(?:gpt-|o\d|chatgpt|text-embedding-)/i, 'openai'],
  [/(?:^|\/)claude/i, 'anthropic'],
  [/(?:^|\/)gemini/i, 'gcp.gemini'],
  [/(?:^|\/)(?:mistral|mixtral|magistral|codestral|ministral)/i, 'mistral_ai'],
  [/(?:^|\/)deepseek/i, 'deepseek'],
  [/(?:^|\/)grok/i, 'x_ai'],
  [/(?:^|\/)command-/i, 'cohere'],
  [/(?:^|\/)kimi|^moonshot/i, 'moonshot_ai'],
  [/\(rules\)/, 'agent_machines'],
];

/** Returns the provider of a model by its name, else `unknown`. */
export const providerName = (model: string): string => makers.find(([pattern]) => pattern.test(model))?.[1] ?? 'unknown';
