const actors = 'self|spawn|system';

/**
 * True when a function of a machine uses the live actors that XState passes. Decided from its source text, because calling it would need a
 * context. A function that hides the use fails by name when it runs.
 */
export function usesActors(part: unknown): boolean {
  if (typeof part !== 'function') return false;
  const text = Function.prototype.toString.call(part);
  const [, pattern, name] = /^[^(=]*\(\s*(?:\{([^}]*)\}|([\w$]+))/.exec(text) ?? [];
  if (pattern !== undefined) return new RegExp(`(?:^|,)\\s*(?:${actors})\\b`).test(pattern);
  const parameter = name ?? /^\s*(?:async\s+)?([\w$]+)\s*=>/.exec(text)?.[1];
  if (parameter === undefined) return false;
  const own = parameter.replaceAll('$', '\\$');
  return new RegExp(`(?<![\\w$.])${own}\\s*\\??\\.\\s*(?:${actors})\\b|\\{[^}]*\\b(?:${actors})\\b[^}]*\\}\\s*=\\s*${own}\\b`).test(text);
}
