/** Names of models by their makers, who are what the conventions call the provider where nothing better is known. */
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

/** The provider of a model by its name, `unknown` where the name does not say. */
export const providerName = (model: string): string => makers.find(([pattern]) => pattern.test(model))?.[1] ?? 'unknown';
