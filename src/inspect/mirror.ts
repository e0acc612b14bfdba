import {
  type Actor,
  type ActorSystem,
  type AnyActorLogic,
  type AnyActorRef,
  type AnyStateMachine,
  createActor,
  type EventObject,
  type InspectionEvent,
} from 'xstate';
import type { Taint } from '../ports/taint.ts';
import { taintError } from '../util/tainted-error.ts';

/** What a machine of a run is told, as its driver tells it. */
export type MirroredEvent = EventObject & Readonly<Record<string, unknown>>;

/** A live actor beside a run, which is told what the run's machine is told, and works on nothing. */
export interface Mirror {
  readonly actor: AnyActorRef;
  take(event: MirroredEvent): void;
  /** As a live actor is stopped; one that has ended stays as it is. */
  stop(): void;
}

export interface MirrorOptions {
  readonly machine: AnyStateMachine;
  /** Of the machine. */
  readonly input: unknown;
  /** Of the actor. */
  readonly id: string;
  /** Is told what XState tells of the actor and of its nodes. */
  readonly inspect: (event: InspectionEvent) => void;
}

/**
 * Starts an actor of a machine whose nodes end and whose timers fire when the mirror is told so. It is XState's own actor, so what it
 * shows is what a live one shows.
 */
export function startMirror({ machine, input, id, inspect }: MirrorOptions): Mirror {
  const nodes = new Map<string, (ending: EventObject) => void>();
  const timers = new Map<string, () => void>();
  const { actors } = machine.implementations;
  const provided = machine.provide({
    actors: Object.fromEntries(Object.entries(actors).map(([name, logic]) => [name, waitingLogic(logic as AnyActorLogic, nodes)])),
  });
  provided.options = machine.options;
  const actor: Actor<AnyStateMachine> = createActor(provided, { id, input, clock: toldClock(() => actor, timers), inspect });
  actor.subscribe({ error: () => {} }); // the run has failed by it, and says so: nobody else has to
  actor.start();
  return {
    actor,
    take(event) {
      const { type, actorId, output, error, taint } = event;
      const node = typeof actorId === 'string' ? nodes.get(actorId) : undefined;
      const timer = timers.get(type);
      if (timer) timer();
      else if (node && type.startsWith('xstate.done.actor.')) node({ type: 'xstate.promise.resolve', data: output } as EventObject);
      else if (node && type.startsWith('xstate.error.actor.')) {
        const data = taint === undefined ? error : taintError({ ...Object(error) }, taint as Taint);
        node({ type: 'xstate.promise.reject', data } as EventObject);
      } else actor.send({ ...event }); // a copy: the merger remembers events by identity
    },
    stop: () => void actor.stop(),
  };
}

/** How a promise's actor tells itself of its end: `send` would not say who has sent it. */
interface Relay {
  _relay(source: AnyActorRef, target: AnyActorRef, event: EventObject): void;
}

/** The logic of a node that does nothing but wait to be told how it has ended. */
const waitingLogic = (logic: AnyActorLogic, nodes: Map<string, (ending: EventObject) => void>): AnyActorLogic => ({
  ...logic,
  start(_snapshot, { self, system }) {
    nodes.set(self.id, (ending) => {
      nodes.delete(self.id);
      (system as ActorSystem<never> & Relay)._relay(self, self, ending);
    });
  },
});

/** A clock on which nothing fires by itself. XState schedules a timer, then asks the clock: the newest one is the one that is asked for. */
function toldClock(actor: () => AnyActorRef, timers: Map<string, () => void>) {
  return {
    setTimeout(callback: () => void): string {
      const { type } = Object.values(actor().system.getSnapshot()._scheduledEvents).at(-1)?.event ?? { type: '' };
      timers.set(type, () => {
        timers.delete(type);
        callback();
      });
      return type;
    },
    clearTimeout: (type: string) => void timers.delete(type),
  };
}
