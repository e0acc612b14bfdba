/** True if two values are equal as JSON. The order of keys is ignored, and `undefined` members count as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // uses entries, because reading `__proto__` would return the prototype
  const left = membersOf(a);
  const right = new Map(membersOf(b));
  return left.length === right.size && left.every(([key, member]) => right.has(key) && isSameJson(member, right.get(key)));
}

const membersOf = (value: object): [key: string, member: unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined || Array.isArray(value));
