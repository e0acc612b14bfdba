const validated = new WeakSet<object>();

/** Marks a value that a parser has made. Called by `parsePlan` and `parseToolCall` only: `test/house.test.ts` holds that. */
export function markValidated<T extends object>(value: T): T {
  validated.add(value);
  return value;
}

/** True for the very object that a parser has made, and for no copy of it. */
export const isValidated = (value: object): boolean => validated.has(value);
