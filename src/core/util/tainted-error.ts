import type { Taint } from '../ports/taint.ts';

const taints = new WeakMap<object, Taint>();

/**
 * Attaches the thread's taint to an error, because its message may quote tainted text.
 * @returns the error to throw.
 */
export function taintError(thrown: unknown, taint: Taint | undefined): unknown {
  if (taint === undefined) return thrown;
  const error: object = Object(thrown) === thrown ? Object(thrown) : new Error(String(thrown));
  taints.set(error, taint);
  return error;
}

/** Taint attached to an error or to its cause; `undefined` if there is none. */
export function taintOfError(thrown: unknown): Taint | undefined {
  const error: { readonly cause?: unknown } = Object(thrown);
  try {
    return taints.get(error) ?? taints.get(Object(error.cause));
  } catch {
    return undefined; // a getter or a proxy may throw on any access
  }
}
