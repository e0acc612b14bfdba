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
import type { Taint } from '../core/ports/taint.ts';
import { taintError } from '../core/util/tainted-error.ts';

/** Event of a run's machine, as the driver sends it. */
export type MirroredEvent = EventObject & Readonly<Record<string, unknown>>;

/** Live actor that receives the events of a run's machine and executes nothing. */
export interface Mirror {
  readonly actor: AnyActorRef;
  take(event: MirroredEvent): void;
  /** Stops the actor, as a live one is stopped. No effect on one that has ended. */
  stop(): void;
}

export interface MirrorOptions {
  readonly machine: AnyStateMachine;
  /** Input of the machine. */
  readonly input: unknown;
  /** Id of the actor. */
  readonly id: string;
  /** Receives the inspection events of the actor and its nodes. */
  readonly inspect: (event: InspectionEvent) => void;
}

/**
 * Starts an actor whose nodes end and whose timers fire only on events of the mirror. It is a real XState actor, so it emits what a live
 * one emits.
 */
export function startXstateMirror({ machine, input, id, inspect }: MirrorOptions): Mirror {
  const nodes = new Map<string, (ending: EventObject) => void>();
  const timers = new Map<string, () => void>();
  const { actors } = machine.implementations;
  const provided = machine.provide({
    actors: Object.fromEntries(Object.entries(actors).map(([name, logic]) => [name, waitingLogic(logic as AnyActorLogic, nodes)])),
  });
  provided.options = machine.options;
  // Decision 200: a real actor, because hand-made inspection events break with each version of XState.
  const actor: Actor<AnyStateMachine> = createActor(provided, { id, input, clock: toldClock(() => actor, timers), inspect });
  actor.subscribe({ error: () => {} }); // the run itself reports this error
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
      } else actor.send({ ...event }); // a copy, because the merger identifies events by identity
    },
    stop: () => void actor.stop(),
  };
}

/** XState's internal method by which a promise actor sends its own end. `send` would omit the source. */
interface Relay {
  _relay(source: AnyActorRef, target: AnyActorRef, event: EventObject): void;
}

const waitingLogic = (logic: AnyActorLogic, nodes: Map<string, (ending: EventObject) => void>): AnyActorLogic => ({
  ...logic,
  start(_snapshot, { self, system }) {
    nodes.set(self.id, (ending) => {
      nodes.delete(self.id);
      (system as ActorSystem<never> & Relay)._relay(self, self, ending);
    });
  },
});

/** Clock whose timers fire only on request. XState registers a timer before it calls the clock, so the newest one is the caller's. */
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
