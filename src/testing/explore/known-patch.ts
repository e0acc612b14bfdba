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

type Found = { readonly patch: Partial<MachineContext> | undefined } | { readonly error: unknown };

/** Patches by the texts of events and states. */
interface KnownPatches {
  count: number;
  readonly byEvent: Map<string, Map<string, Found>>;
}

const knownPatches = new WeakMap<Merger, KnownPatches>();

/** Returns the patch of an event, which is made once for each state, because a schema checks it slowly. */
export function knownPatch(
  merger: Merger,
  event: EventObject,
  state: MachineContext,
  text: string = JSON.stringify(event),
): Partial<MachineContext> | undefined {
  const known = knownPatches.get(merger) ?? { count: 0, byEvent: new Map() };
  knownPatches.set(merger, known);
  // two maps, because a text of both would have to be made and hashed each time
  const byState = known.byEvent.get(text) ?? new Map<string, Found>();
  known.byEvent.set(text, byState);
  const place = Object.isFrozen(state) ? textOfObject(state) : JSON.stringify(state);
  let found = byState.get(place);
  if (!found) {
    try {
      found = { patch: merger.patchOf(state, { ...event }) };
    } catch (error) {
      found = { error };
    }
    if (known.count >= maxKnownPatches) known.byEvent.clear();
    known.count = known.count >= maxKnownPatches ? 1 : known.count + 1;
    byState.set(place, found);
  }
  if ('error' in found) throw found.error;
  return found.patch;
}
