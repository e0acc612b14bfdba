import { type ErrorCode, WorkflowError } from '../errors.ts';
import { isSameJson } from './is-same-json.ts';

// What a contract says when it is broken. Plain errors, so that a contract runs under any test runner and on any platform.

/** @throws {Error} `fact`, when it does not hold. */
export function check(holds: boolean, fact: string): asserts holds {
  if (!holds) throw new Error(`It does not hold that ${fact}.`);
}

/** @throws {Error} when two values differ as JSON. */
export function checkSame(found: unknown, expected: unknown, what: string): void {
  if (!isSameJson(found, expected)) throw new Error(`${what} is ${print(found)} instead of ${print(expected)}.`);
}

/**
 * Does what must be refused, by a throw or by a rejection.
 * @returns the error, for a look at its data.
 * @throws {Error} when it is not refused, or with none of `codes`.
 */
export async function checkRefused(work: () => unknown, ...codes: readonly ErrorCode[]): Promise<WorkflowError> {
  let result: unknown;
  try {
    result = await work();
  } catch (cause) {
    if (WorkflowError.isInstance(cause) && codes.includes(cause.code)) return cause;
    throw new Error(`It was refused with ${nameOf(cause)} instead of ${codes.join(' or ')}.`, { cause });
  }
  throw new Error(`It was not refused with ${codes.join(' or ')}, but returned ${print(result)}.`);
}

const nameOf = (thrown: unknown): string => (WorkflowError.isInstance(thrown) ? thrown.code : String(thrown));

function print(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}… (${text.length} characters)` : text;
}
