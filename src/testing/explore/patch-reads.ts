import type { EventObject, MachineContext } from 'xstate';
import type { Merger } from '../../workflow/state.ts';
import { addReads, emptyReads, memberOf, type ReadTree, recording } from './read-tree.ts';

/**
 * Notes what the patch of an event reads of the state, as far as it decides over what guards read.
 *
 * @returns whether it reads something that was not noted yet.
 */
export function notePatchReads(merger: Merger, state: MachineContext, event: EventObject, reads: ReadTree, patchReads: ReadTree): boolean {
  const found = emptyReads();
  const before = patchOf(merger, recording(state, found), event);
  if (!before || Object.keys(before).every((key) => !reads.members.has(key))) return false;
  let grown = false;
  for (const [key, inside] of found.members) {
    if (!reads.members.has(key) && !decides(key)) continue;
    grown = addReads(memberOf(reads, key), inside) || grown;
    grown = addReads(memberOf(patchReads, key), inside) || grown;
  }
  return grown;

  /** Would another value of this place change a part of the patch that matters? */
  function decides(key: string): boolean {
    const other = { ...state, [key]: otherThan(state[key]) };
    const [now, then] = [patchOf(merger, state, { ...event }), patchOf(merger, other, { ...event })];
    return !now || !then || [...reads.members.keys()].some((name) => JSON.stringify(now[name]) !== JSON.stringify(then[name]));
  }
}

function patchOf(merger: Merger, state: MachineContext, event: EventObject): Partial<MachineContext> | undefined {
  try {
    return merger.patchOf(state, event);
  } catch {
    return undefined;
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}x`;
  if (Array.isArray(value)) return value.length > 0 ? value.slice(1) : ['x'];
  return value === null || value === undefined ? 'x' : {};
}
