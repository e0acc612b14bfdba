import type { AnyTransitionDefinition, InspectionEvent } from 'xstate';
import { edgeName, partName, pathOf } from '../engine/define/graph.ts';
import type { TakenEdge } from './drawing/drawn-path.ts';

/**
 * Converts an inspection event of XState to a message for the inspector's WebSocket. Unlike `@statelyai/inspect`, it sends the microsteps, so
 * the inspector knows each edge and does not have to derive it. Returns `undefined` for events that the inspector does not show. Functions
 * become their names, and what JSON cannot contain becomes a text.
 *
 * @example
 * const socket = new WebSocket(webSocketUrl);
 * const isOpen = new Promise((resolve) => socket.addEventListener('open', resolve));
 * createActor(machine, {
 *   inspect(event) {
 *     const message = toInspectorMessage(event);
 *     if (message !== undefined) void isOpen.then(() => socket.send(message));
 *   },
 * });
 */
export function toInspectorMessage(event: InspectionEvent): string | undefined {
  const { type, actorRef } = event;
  const { sessionId } = actorRef;
  switch (type) {
    case '@xstate.actor': {
      const { id, logic, _parent } = actorRef as Inspected;
      const definition = JSON.stringify(toPlain(logic?.config));
      const name = id === undefined || id === sessionId ? (logic?.config?.id ?? sessionId) : id;
      return JSON.stringify({ type, sessionId, name, parentId: _parent?.sessionId, definition });
    }
    case '@xstate.microstep':
      return JSON.stringify({ type, sessionId, transitions: event._transitions.map(toTakenEdge) });
    case '@xstate.snapshot':
      return JSON.stringify({ type, sessionId, event: toPlain(event.event), snapshot: toPlain(event.snapshot) });
    default:
      return undefined;
  }
}

/** Parts of an actor that XState's types of inspection leave out. */
interface Inspected {
  readonly id?: string;
  readonly logic?: { readonly config?: { readonly id?: string } };
  readonly _parent?: { readonly sessionId: string };
}

function toTakenEdge(transition: AnyTransitionDefinition): TakenEdge {
  const { source, guard, eventType } = transition;
  const on = edgeName(eventType, source) || 'always';
  const rivals = on === 'always' ? source.always : source.transitions.get(eventType);
  const turn = rivals?.indexOf(transition) ?? -1;
  const name = guard === undefined ? undefined : partName(guard);
  return { from: pathOf(source), on, ...(name === undefined ? {} : { guard: name }), ...(turn < 0 ? {} : { turn }) };
}

/** Maximum depth of a sent value. */
const deepest = 40;

/** Converts any value to data that has JSON. Cycles are cut. */
function toPlain(value: unknown, around: readonly unknown[] = []): unknown {
  if (typeof value === 'function') return { type: value.name };
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (around.length > deepest || around.includes(value)) return '…';
  const inside = [...around, value];
  if ('toJSON' in value && typeof value.toJSON === 'function') return toPlain(value.toJSON(), inside);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (Array.isArray(value)) return value.map((item) => toPlain(item, inside));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member, inside)]));
}
