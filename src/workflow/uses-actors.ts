const actors = 'self|spawn|system';

/**
 * Does a function of a machine take the live actors that XState offers it? Read from its text: calling it would need a context.
 * One that hides it is refused by name when it runs.
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
