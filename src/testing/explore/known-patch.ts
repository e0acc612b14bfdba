import type { EventObject, MachineContext } from 'xstate';
import type { Merger } from '../../engine/define/state.ts';
import type { Stepper } from '../../engine/drive/stepper.ts';
import { textOfObject } from './known.ts';

const maxKnownPatches = 50_000;

const maxKnownEvents = 20_000;

const knownEvents = new WeakMap<Stepper, Map<string, { readonly event: EventObject } | { readonly error: unknown }>>();

/** Returns an event as a stepper parses it. Each event is parsed once, because a schema checks it slowly. */
export function knownEvent(stepper: Stepper, event: EventObject): EventObject {
  const known = knownEvents.get(stepper) ?? new Map();
  knownEvents.set(stepper, known);
  const text = JSON.stringify(event);
  let found = known.get(text);
  if (!found) {
    try {
      found = { event: stepper.parse({ ...event }) };
    } catch (error) {
      found = { error };
    }
    if (known.size >= maxKnownEvents) known.clear();
    known.set(text, found);
  }
  if ('error' in found) throw found.error;
  return found.event;
}

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
  const place = `${text}${Object.isFrozen(state) ? textOfObject(state) : JSON.stringify(state)}`;
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
