import type { EventObject, MachineContext } from 'xstate';
import type { Merger } from '../../engine/define/state.ts';
import { addReads, emptyReads, memberOf, type ReadTree, recording } from './read-tree.ts';

/**
 * Records the values that an event's patch reads from the state, if they affect values that guards read.
 *
 * @returns true if a value is new.
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

  /** Returns true if another value under this key would change a relevant part of the patch. */
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
