const validated = new WeakSet<object>();

/** Marks a parser's result. Only `parsePlan` and `validateCall` call it, which `test/house.test.ts` checks. */
export function markValidated<T extends object>(value: T): T {
  validated.add(value);
  return value;
}

/** True for the object that a parser returned, and false for its copies. */
export const isValidated = (value: object): boolean => validated.has(value);
