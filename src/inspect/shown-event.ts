import type { AnyActorRef, EventObject, InspectionEvent } from 'xstate';
import type { Censor, InspectedPart } from './censor.ts';

/** Snapshot of a machine or node, reduced to the fields that may contain untrusted data. */
interface AnySnapshot {
  readonly context?: unknown;
  readonly output?: unknown;
  readonly error?: unknown;
  readonly input?: unknown;
  readonly children?: Readonly<Record<string, AnyActorRef>>;
}

const parts: readonly (Exclude<InspectedPart, 'event'> & keyof AnySnapshot)[] = ['context', 'output', 'error', 'input'];

/**
 * Converts events of a mirror for an observer: snapshots and events are censored, and actors are read-only. The same actor or snapshot
 * always gives the same object.
 */
export function createShownEvents(censor: Censor): (event: InspectionEvent) => InspectionEvent {
  const actors = new WeakMap<AnyActorRef, AnyActorRef>();
  const snapshots = new WeakMap<object, object>();

  const showSnapshot = <T>(snapshot: T): T => {
    if (typeof snapshot !== 'object' || snapshot === null) return snapshot;
    const known = snapshots.get(snapshot);
    if (known) return known as T;
    const given: AnySnapshot = snapshot;
    const changes: Record<string, unknown> = {};
    for (const part of parts) {
      const shown = censor(given[part], part);
      if (shown !== given[part]) changes[part] = shown;
    }
    const { children } = given;
    if (children && Object.keys(children).length > 0) {
      changes.children = Object.fromEntries(Object.entries(children).map(([id, child]) => [id, showActor(child)]));
    }
    const shown = Object.keys(changes).length === 0 ? snapshot : { ...snapshot, ...changes };
    snapshots.set(snapshot, shown);
    return shown;
  };

  const showActor = (actor: AnyActorRef): AnyActorRef => {
    const known = actors.get(actor);
    if (known) return known;
    const { options } = actor as AnyActorRef & { options?: { input?: unknown } };
    const nothing = { value: () => {} }; // observers must not control the actor
    const shown = Object.create(actor, {
      getSnapshot: { value: () => showSnapshot(actor.getSnapshot()) },
      getPersistedSnapshot: { value: () => showSnapshot(actor.getSnapshot()) },
      _snapshot: { get: () => showSnapshot((actor as { _snapshot?: unknown })._snapshot) },
      _parent: { get: () => actor._parent && showActor(actor._parent) },
      options: { value: { ...options, input: censor(options?.input, 'input') } },
      ref: { get: () => shown },
      send: nothing,
      start: nothing,
      stop: nothing,
    }) as AnyActorRef;
    actors.set(actor, shown);
    return shown;
  };

  const showEvent = (event: EventObject): EventObject => censor(event, 'event') as EventObject;

  return (event) => {
    const actorRef = showActor(event.actorRef as AnyActorRef);
    switch (event.type) {
      case '@xstate.event':
        return {
          ...event,
          actorRef,
          sourceRef: event.sourceRef && showActor(event.sourceRef as AnyActorRef),
          event: showEvent(event.event),
        };
      case '@xstate.snapshot':
      case '@xstate.microstep':
        return { ...event, actorRef, event: showEvent(event.event), snapshot: showSnapshot(event.snapshot) };
      default:
        return { ...event, actorRef };
    }
  };
}
