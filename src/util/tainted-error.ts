import type { Taint } from '../ports/taint.ts';

const taints = new WeakMap<object, Taint>();

/**
 * Says what a thread holds in which an error has come up: its message may quote what was read there.
 * @returns what is to be thrown.
 */
export function taintError(thrown: unknown, taint: Taint | undefined): unknown {
  if (taint === undefined) return thrown;
  const error: object = Object(thrown) === thrown ? Object(thrown) : new Error(String(thrown));
  taints.set(error, taint);
  return error;
}

/** What was said of an error, or of the one that it was made of; `undefined` when nothing was. */
export function taintOfError(thrown: unknown): Taint | undefined {
  const error: { readonly cause?: unknown } = Object(thrown);
  try {
    return taints.get(error) ?? taints.get(Object(error.cause));
  } catch {
    return undefined; // a getter or a proxy may throw at any look
  }
}
