import { type ErrorCode, WorkflowError } from '../core/errors/errors.ts';

// Assertions of contracts. They throw plain errors, so a contract runs under any test runner and on any platform.

/** @throws {Error} naming `fact`, if `holds` is false. */
export function check(holds: boolean, fact: string): asserts holds {
  if (!holds) throw new Error(`Expected that ${fact}.`);
}

/** @throws {Error} if two values differ as JSON. */
export function checkSame(found: unknown, expected: unknown, what: string): void {
  if (!isSameJson(found, expected)) throw new Error(`Expected ${what} to be ${print(expected)}, got ${print(found)}.`);
}

/**
 * Calls `work`, which must throw or reject with one of `codes`.
 * @returns the error, for checks of its data.
 * @throws {Error} if `work` succeeds, or fails with another code.
 */
export async function checkRefused(work: () => unknown, ...codes: readonly ErrorCode[]): Promise<WorkflowError> {
  let result: unknown;
  try {
    result = await work();
  } catch (cause) {
    if (WorkflowError.isInstance(cause) && codes.includes(cause.code)) return cause;
    throw new Error(`Expected the error ${codes.join(' or ')}, got ${nameOf(cause)}.`, { cause });
  }
  throw new Error(`Expected the error ${codes.join(' or ')}, but the call returned ${print(result)}.`);
}

const nameOf = (thrown: unknown): string => (WorkflowError.isInstance(thrown) ? thrown.code : String(thrown));

function print(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}

/** True if two values are equal as JSON. The order of keys is ignored, and `undefined` members count as absent. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // uses entries, because reading `__proto__` would return the prototype
  const left = membersOf(a);
  const right = new Map(membersOf(b));
  return left.length === right.size && left.every(([key, member]) => right.has(key) && isSameJson(member, right.get(key)));
}

const membersOf = (value: object): [key: string, member: unknown][] =>
  Object.entries(value).filter(([, member]) => member !== undefined || Array.isArray(value));
