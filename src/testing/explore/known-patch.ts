import type { EventObject, MachineContext } from 'xstate';
import type { Merger } from '../../engine/define/state.ts';

const maxKnownPatches = 50_000;

const knownPatches = new WeakMap<Merger, Map<string, { readonly patch?: Partial<MachineContext> | undefined; readonly error?: unknown }>>();

/** Returns the patch of an event, which is made once for each state, because a schema checks it slowly. */
export function knownPatch(
  merger: Merger,
  event: EventObject,
  state: MachineContext,
  text: string = JSON.stringify(event),
): Partial<MachineContext> | undefined {
  const known = knownPatches.get(merger) ?? new Map();
  knownPatches.set(merger, known);
  const place = `${text}${JSON.stringify(state)}`;
  let found = known.get(place);
  if (!found) {
    try {
      found = { patch: merger.patchOf(state, { ...event }) };
    } catch (error) {
      found = { error };
    }
    if (known.size >= maxKnownPatches) known.clear();
    known.set(place, found);
  }
  if ('error' in found) throw found.error;
  return found.patch;
}
