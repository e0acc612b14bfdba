/** Deeper states are not looked for: a stranger's state value may go on for ever. */
const deepest = 50;

/** Paths of the states of XState's state value, as in `GraphState.path`: those above others first. */
export function activePaths(value: unknown, parent = '', depth = 0): readonly string[] {
  const inside = (key: string): string => (parent === '' ? key : `${parent}.${key}`);
  if (typeof value === 'string') return [inside(value)];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > deepest) return [];
  return Object.entries(value).flatMap(([key, inner]) => [inside(key), ...activePaths(inner, inside(key), depth + 1)]);
}
