/** Maximum depth. An untrusted state value may be nested without end. */
const deepest = 50;

/** Returns the paths of a state value of XState, as in `GraphState.path`, parents first. */
export function activePaths(value: unknown, parent = '', depth = 0): readonly string[] {
  const inside = (key: string): string => (parent === '' ? key : `${parent}.${key}`);
  if (typeof value === 'string') return [inside(value)];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > deepest) return [];
  return Object.entries(value).flatMap(([key, inner]) => [inside(key), ...activePaths(inner, inside(key), depth + 1)]);
}
