import type { Taint } from '../../core/ports/taint.ts';
import { hasTaint, joinTaint, readTaint } from '../../core/util/taint.ts';

/** Adds the taint of the outer thread to an inner machine's input, because requests of the inner machine may contain tainted data. */
export const taintInput = (input: unknown, outer: unknown): unknown =>
  hasTaint(input) && hasTaint(outer) ? { ...input, taint: joinTaint(readTaint(input.taint), readTaint(outer.taint)) } : input;

/**
 * Joins the taint of an inner workflow's last state, under the key `taint`, into that of the outer state. Without this key, the inner
 * workflow counts as having read anything.
 *
 * @returns `undefined` when the outer state has no `taint` either.
 */
export const taintOfEnd = (inner: unknown, outer: unknown): Taint | undefined =>
  hasTaint(outer) ? joinTaint(readTaint(outer.taint), readTaint(hasTaint(inner) ? inner.taint : undefined)) : undefined;
