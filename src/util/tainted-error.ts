import type { Taint } from '../ports/taint.ts';

const taints = new WeakMap<object, Taint>();

/**
 * Says what a thread holds in which an error has come up: its message may quote what was read there.
 * @returns what is to be thrown.
 */
export function taintError(thrown: unknown, taint: Taint | undefined): unknown {
  if (taint === undefined) return thrown;
  const error = typeof thrown === 'object' && thrown !== null ? thrown : new Error(String(thrown));
  taints.set(error, taint);
  return error;
}

/** What was said of an error, or of one that it was made of; `undefined` when nothing was. */
export function taintOfError(thrown: unknown): Taint | undefined {
  for (let error = thrown, depth = 0; typeof error === 'object' && error !== null && depth < maxDepth; depth++) {
    const taint = taints.get(error);
    if (taint) return taint;
    error = causeOf(error);
  }
  return undefined;
}

const maxDepth = 20;

function causeOf(error: object): unknown {
  try {
    return 'cause' in error ? error.cause : undefined;
  } catch {
    return undefined; // a getter or a proxy may throw at any look
  }
}
