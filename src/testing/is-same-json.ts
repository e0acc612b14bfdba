/** True for values that JSON cannot tell apart; the order of keys does not matter, and `undefined` members are absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // entries, because a lookup of `__proto__` would ask the prototype
  const left = membersOf(a);
  const right = new Map(membersOf(b));
  return left.length === right.size && left.every(([key, member]) => right.has(key) && isSameJson(member, right.get(key)));
}

const membersOf = (value: object): [key: string, member: unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined || Array.isArray(value));
