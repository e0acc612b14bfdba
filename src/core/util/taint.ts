import type { Taint } from '../ports/taint.ts';

/** Taint of a thread before its first read. */
export const noTaint: Taint = Object.freeze({ private: false, untrusted: false, user: false });

/** Taint of unknown content. */
export const everyTaint: Taint = Object.freeze({ private: true, untrusted: true, user: true });

/** Adds taint to a thread's taint. Fits as a reducer for the key `taint` of a state. */
export function joinTaint(current: Taint, added: Taint): Taint {
  // Decision 61: taint is never removed, because a model mixes everything that it has read.
  const user = added.user === true ? true : current.user;
  if ((current.private || !added.private) && (current.untrusted || !added.untrusted) && user === current.user) return current;
  return {
    private: current.private || added.private,
    untrusted: current.untrusted || added.untrusted,
    ...(user === undefined ? {} : { user }),
  };
}

/** Reads a stored taint. An unreadable one counts as every taint, an absent bit as set. */
export function readTaint(value: unknown): Taint {
  if (typeof value !== 'object' || value === null || !('private' in value) || !('untrusted' in value)) return everyTaint;
  return { private: value.private !== false, untrusted: value.untrusted !== false, user: !('user' in value) || value.user !== false };
}

export const hasTaint = (value: unknown): value is { readonly taint: unknown } =>
  typeof value === 'object' && value !== null && 'taint' in value;

/** Adds taint to a patch. */
export const withTaint = <TPatch extends object>(patch: TPatch, taint: Taint | undefined): TPatch =>
  taint ? { ...patch, taint: hasTaint(patch) ? joinTaint(readTaint(patch.taint), taint) : taint } : patch;
