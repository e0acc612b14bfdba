import type { AnyTransitionDefinition, InspectionEvent } from 'xstate';
import { edgeName, partName, pathOf } from '../engine/define/graph.ts';
import type { TakenEdge } from './drawing/drawn-path.ts';

/**
 * Converts an inspection event of XState to a message for the inspector's WebSocket. Unlike `@statelyai/inspect`, it sends the microsteps, so
 * the inspector knows each edge and does not have to derive it. Returns `undefined` for events that the inspector does not show. Values that
 * are no JSON are left out.
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
      const definition = toText(logic?.config, (_, value) => (typeof value === 'function' ? { type: value.name } : value));
      const name = id === undefined || id === sessionId ? (logic?.config?.id ?? sessionId) : id;
      return toText({ type, sessionId, name, parentId: _parent?.sessionId, definition });
    }
    case '@xstate.microstep':
      return toText({ type, sessionId, transitions: event._transitions.map(toTakenEdge) });
    case '@xstate.snapshot':
      return (
        toText({ type, sessionId, event: event.event, snapshot: event.snapshot }) ??
        toText({
          type,
          sessionId,
          event: { type: event.event.type },
          snapshot: { ...event.snapshot, context: undefined, children: undefined },
        })
      );
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

/** Returns the JSON of a value; `undefined` if it has none. */
function toText(value: unknown, replacer?: (key: string, value: unknown) => unknown): string | undefined {
  try {
    return JSON.stringify(value, replacer);
  } catch {
    return undefined; // a cycle or a BigInt
  }
}
