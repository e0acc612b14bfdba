import type { Taint } from '../ports/taint.ts';

/** Of a thread in which nothing was read yet. */
export const noTaint: Taint = Object.freeze({ private: false, untrusted: false });

/** Of something of which nothing is known. */
export const everyTaint: Taint = Object.freeze({ private: true, untrusted: true });

/** What a thread holds that holds both: a reducer for the key `taint` of a state. */
export const joinTaint = (a: Taint, b: Taint): Taint =>
  (a.private || !b.private) && (a.untrusted || !b.untrusted)
    ? a
    : { private: a.private || b.private, untrusted: a.untrusted || b.untrusted };

/** Reads a stored taint; whatever cannot be read as one counts as both. */
export function readTaint(value: unknown): Taint {
  if (typeof value !== 'object' || value === null || !('private' in value) || !('untrusted' in value)) return everyTaint;
  return { private: value.private !== false, untrusted: value.untrusted !== false };
}

export const hasTaint = (value: unknown): value is { readonly taint: unknown } =>
  typeof value === 'object' && value !== null && 'taint' in value;

/** A patch, with what the thread holds after it. */
export const withTaint = <TPatch extends object>(patch: TPatch, taint: Taint | undefined): TPatch =>
  taint ? { ...patch, taint: hasTaint(patch) ? joinTaint(readTaint(patch.taint), taint) : taint } : patch;
