import type { Taint } from '../ports/taint.ts';
import { hasTaint, joinTaint, readTaint } from '../util/taint.ts';

/** An inner machine's input, with what the outer thread holds: what is asked inside may be made of it. */
export const taintInput = (input: unknown, outer: unknown): unknown =>
  hasTaint(input) && hasTaint(outer) ? { ...input, taint: joinTaint(readTaint(input.taint), readTaint(outer.taint)) } : input;

/**
 * What an inner workflow has brought, by the key `taint` of its last state. One that does not keep it may have read anything.
 *
 * @returns `undefined` when the outer state does not keep it, either.
 */
export const taintOfEnd = (inner: unknown, outer: unknown): Taint | undefined =>
  hasTaint(outer) ? joinTaint(readTaint(outer.taint), readTaint(hasTaint(inner) ? inner.taint : undefined)) : undefined;
