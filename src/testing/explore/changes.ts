import type { EventObject, MachineContext } from 'xstate';
import { errorCodes } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { Candidates } from './candidates.ts';
import { distinctBy } from './distinct-by.ts';
import type { Constants } from './guard-texts.ts';
import { errorOf, nameOfOutcome, type OutcomeClass } from './outcome-class.ts';
import { proposeEvents } from './propose-event.ts';
import { addReads, emptyReads, type ReadTree, recording } from './read-tree.ts';
import type { Subject } from './subject.ts';
import type { Transform } from './transform.ts';

/** Most examples of one event type. */
const maxEvents = 32;
const maxAlternatives = 4;
const maxMessages = 12;

/** A change of the state before it is known which keys decide it. */
interface Change {
  /** Patch of a state, as far as it matters: relevant keys, in a form that can be compared. */
  effect(state: MachineContext, relevant: ReadonlySet<string>): string;
  /** Reads the state as the change does. */
  look(state: MachineContext): unknown;
  results(state: MachineContext): readonly MachineContext[];
  readonly isSlow?: boolean;
  readonly isDelta?: boolean;
  /** Keys that it reduces, which always decide it. */
  reduced(state: MachineContext): readonly string[];
}

/** Finds the changes of a state that depend on the state, and the keys that decide them. */
export class Changes {
  readonly #subject: Subject;
  /** Values that changes read. */
  readonly reads: ReadTree = emptyReads();
  /** Event types for which no example was accepted. */
  readonly withoutExample: Map<string, string> = new Map();
  #events = new Map<string, readonly HumanEvent[]>();
  #failures: readonly (string | Partial<ErrorInfo>)[] = ['NODE_FAILED'];

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  /** Returns examples of the events that a waiting state accepts. */
  eventsOf(path: string): readonly OutcomeClass[] {
    const types = this.#subject.waits.get(path) ?? [];
    return types.flatMap((type) => (this.#events.get(type) ?? []).map((event) => ({ event })));
  }

  /**
   * Chooses examples of all events.
   *
   * @param samples States at which events must differ to count as different.
   */
  proposeEvents(constants: Constants, values: (key: string) => readonly unknown[], samples: readonly MachineContext[]): void {
    const { stepper, merger, waits, given } = this.#subject;
    this.withoutExample.clear();
    const accept = (event: HumanEvent): EventObject => stepper.parse(event);
    for (const [path, accepted] of waits) {
      if (given.has(path)) continue;
      for (const type of accepted) {
        const proposed = proposeEvents(type, accept, constants, merger?.eventOf(type));
        const varied = proposed.flatMap((event) => [event, ...variantsOf(event, values)]);
        const chosen = distinctBy(varied, (event) => this.#effectOf(event, samples));
        if (chosen.length === 0) this.withoutExample.set(type, path);
        this.#events.set(type, chosen.slice(0, maxEvents));
      }
    }
  }

  /** Failures of a node: those that guards and `onError` tell apart. */
  get failures(): readonly (string | Partial<ErrorInfo>)[] {
    return this.#failures;
  }

  /** Chooses the failures. The error's code, message and `retryable` vary if `onError` reads them. */
  proposeFailures({ texts }: Constants): void {
    const { merger, sample } = this.#subject;
    const reads = emptyReads();
    patchAt(() => merger?.patchOf(sample, { type: 'xstate.error.actor.', error: recording(errorOf('NODE_FAILED'), reads) } as EventObject));
    const codes = ['NODE_FAILED', ...texts.filter((text) => (errorCodes as readonly string[]).includes(text))];
    const reading = (member: string): boolean => reads.whole || reads.members.has(member);
    this.#failures = [
      ...new Set(codes),
      ...(reading('retryable') ? [{ retryable: true }] : []),
      ...(reads.members.has('message') ? texts.slice(0, maxMessages).map((message) => ({ message })) : []),
    ];
  }

  /** Returns the effect of an event on some states; `undefined` if the event is refused. */
  #effectOf(event: HumanEvent, samples: readonly MachineContext[]): string | undefined {
    const { stepper, merger } = this.#subject;
    try {
      const parsed = stepper.parse({ ...event });
      return JSON.stringify(samples.map((state) => patchAt(() => merger?.patchOf(state, { ...parsed }))));
    } catch {
      return undefined;
    }
  }

  /**
   * Returns the changes that depend on the state.
   *
   * @param relevant Keys that matter. Receives the keys that decide about them.
   * @param deltas Patches of keys with a reducer.
   */
  transforms(
    relevant: Set<string>,
    {
      deltas,
      values,
      samples,
    }: { deltas: ReadonlyMap<string, readonly unknown[]>; values: Candidates; samples: readonly MachineContext[] },
  ): readonly Transform[] {
    const changes = [...this.#eventChanges(), ...this.#errorChanges(), ...this.#givenChanges(), ...this.#reducerChanges(relevant, deltas)];
    for (;;) {
      const before = relevant.size;
      const made = changes.map((change): Transform => {
        const reads = this.#decidingKeys(change, relevant, values, samples);
        return { reads, isSlow: change.isSlow ?? false, isDelta: change.isDelta ?? false, results: (state) => change.results(state) };
      });
      for (const { reads } of made) for (const key of reads) relevant.add(key);
      if (relevant.size === before) return made.filter(({ reads }) => reads.size > 0);
    }
  }

  /** Returns the keys whose value changes the effect of a change on relevant keys. */
  #decidingKeys(
    change: Change,
    relevant: ReadonlySet<string>,
    values: Candidates,
    samples: readonly MachineContext[],
  ): ReadonlySet<string> {
    const deciding = new Set<string>();
    for (const state of samples) {
      for (const key of change.reduced(state)) if (relevant.has(key)) deciding.add(key);
      const found = emptyReads();
      patchAt(() => change.look(recording(state, found)));
      const keys = found.whole ? Object.keys(state) : [...found.members.keys()];
      for (const key of keys) {
        if (deciding.has(key) || !Object.hasOwn(state, key)) continue;
        const others = [...values.of(key).slice(0, maxAlternatives), otherThan(state[key])];
        const now = change.effect(state, relevant);
        if (others.some((other) => change.effect({ ...state, [key]: other }, relevant) !== now)) deciding.add(key);
      }
      const kept = emptyReads();
      for (const [key, inside] of found.members) if (deciding.has(key)) kept.members.set(key, inside);
      addReads(this.reads, kept);
    }
    return deciding;
  }

  #ofEvent(event: EventObject): Change | undefined {
    const { merger } = this.#subject;
    if (!merger) return undefined;
    return {
      effect: (state, relevant) =>
        JSON.stringify(
          Object.entries(patchAt(() => merger.patchOf(state, { ...event })) ?? { '!': true }).filter(
            ([key]) => relevant.has(key) || key === '!',
          ),
        ),
      look: (state) => merger.patchOf(state, { ...event }),
      results: (state) => [merger.merge(state, { ...event })],
      reduced: (state) => Object.keys(patchAt(() => merger.patchOf(state, { ...event })) ?? {}).filter((key) => merger.reducers.has(key)),
    };
  }

  #eventChanges(): readonly Change[] {
    const { stepper, listed } = this.#subject;
    const events = [...[...this.#events.values()].flat(), ...listed.flatMap((outcome) => ('event' in outcome ? [outcome.event] : []))];
    return events.flatMap((event) => {
      const parsed = patchAt(() => stepper.parse({ ...event }));
      return (parsed && this.#ofEvent(parsed)) ?? [];
    });
  }

  #errorChanges(): readonly Change[] {
    const errors = this.#subject.listed.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
    const distinct = new Map([...this.#failures, ...errors].map((error) => [JSON.stringify(error), error]));
    return [...distinct.values()].flatMap(
      (error) => this.#ofEvent({ type: 'xstate.error.actor.', error: errorOf(error) } as EventObject) ?? [],
    );
  }

  #givenChanges(): readonly Change[] {
    const { functions, merger } = this.#subject;
    return functions.map((outcomes): Change => {
      const patchesAt = (state: MachineContext): readonly MachineContext[] =>
        outcomes(state).flatMap((outcome) => ('patch' in outcome ? [outcome.patch] : []));
      return {
        effect: (state, relevant) =>
          JSON.stringify(
            (patchAt(() => outcomes(state)) ?? []).map((outcome) => [
              nameOfOutcome(outcome),
              'patch' in outcome ? Object.entries(outcome.patch).filter(([key]) => relevant.has(key)) : outcome,
            ]),
          ),
        isSlow: true,
        look: (state) => outcomes(state),
        results: (state) => patchesAt(state).map((output) => mergeOutput(merger, state, output)),
        reduced: (state) =>
          (patchAt(() => patchesAt(state)) ?? []).flatMap((patch) => Object.keys(patch).filter((key) => merger?.reducers.has(key))),
      };
    });
  }

  #reducerChanges(relevant: ReadonlySet<string>, deltas: ReadonlyMap<string, readonly unknown[]>): readonly Change[] {
    const { merger } = this.#subject;
    return [...deltas].flatMap(([key, patches]) =>
      patches.map(
        (delta): Change => ({
          isDelta: true,
          effect: () => '',
          look: () => undefined,
          results: (state) => [mergeOutput(merger, state, { [key]: delta })],
          reduced: () => (relevant.has(key) ? [key] : []),
        }),
      ),
    );
  }
}

/** Returns the state after a node has returned a patch. */
export const mergeOutput = (merger: Subject['merger'], state: MachineContext, output: object): MachineContext =>
  merger?.merge(state, { type: 'xstate.done.actor.', output } as EventObject) ?? state;

/** Returns copies of an event with other values, for each field that is named like a key of the state. */
function variantsOf(event: HumanEvent, values: (key: string) => readonly unknown[]): readonly HumanEvent[] {
  return Object.keys(event).flatMap((field) =>
    field === 'type' ? [] : values(field).map((value): HumanEvent => ({ ...event, [field]: value }) as HumanEvent),
  );
}

function patchAt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'string') return `${value}x`;
  if (Array.isArray(value)) return value.length > 0 ? value.slice(1) : ['x'];
  return isObject(value) ? {} : 'x';
}
