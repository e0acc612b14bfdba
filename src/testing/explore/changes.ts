import type { EventObject, MachineContext } from 'xstate';
import { errorCodes } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { WrittenPatch } from '../../engine/define/state.ts';
import { type Candidates, spread } from './candidates.ts';
import { distinctBy } from './distinct-by.ts';
import type { Constants } from './guard-texts.ts';
import { knownEvent, knownPatch } from './known-patch.ts';
import type { PatchEffect } from './live-keys.ts';
import { errorOf, nameOfOutcome, type OutcomeClass } from './outcome-class.ts';
import { answerText, type Probe } from './probe.ts';
import { proposeEvents } from './propose-event.ts';
import { addReads, emptyReads, memberOf, type ReadTree, recording } from './read-tree.ts';
import type { Subject } from './subject.ts';
import type { Transform } from './transform.ts';

/** Most examples of one event type. */
const maxEvents = 32;
const maxAlternatives = 4;
const maxMessages = 12;
/** Most combinations of other keys in which it is asked whether a key decides a patch. */
const maxJoint = 24;
/** Most values and patches of one key with which a reducer is tried. */
const maxReduced = 24;
/** Numbers at which a reducer that resets its key is tried besides the known ones. */
const farNumbers = [-1e6, -1_000, -7, 0.5, 3, 7, 42, 1_000, 1e6];

/** A change of the state before it is known which keys decide it. */
interface Change {
  /** Type of the event that makes it; `error` for a failure. */
  readonly on?: string;
  /** What makes it as a text, the same for equal ones. */
  readonly name: string;
  patch?(state: MachineContext): Partial<MachineContext> | undefined;
  /** Function that makes the patch. */
  readonly written?: WrittenPatch | undefined;
  /** Patch of a state, as far as it matters: relevant keys, in a form that can be compared. */
  effect(state: MachineContext, relevant: ReadonlySet<string>): string;
  /** Reads the state as the change does. */
  look(state: MachineContext): unknown;
  results(state: MachineContext): readonly MachineContext[];
  patchBeside?: Transform['patchBeside'];
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
  #samples: readonly MachineContext[] = [];

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
  proposeEvents(constants: Constants, values: ReadonlyMap<string, readonly unknown[]>, samples: readonly MachineContext[]): void {
    const { stepper, merger, waits, given } = this.#subject;
    this.withoutExample.clear();
    this.#samples = samples;
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

  /**
   * Returns one of the outcomes of a wait or the failures of a node for each effect on some keys.
   *
   * @param simple Returns the same for values of a key that nothing tells apart.
   */
  distinctIn(
    outcomes: readonly OutcomeClass[],
    keys: (on: string) => ReadonlySet<string>,
    simple: (key: string, value: unknown) => unknown,
  ): readonly OutcomeClass[] {
    return distinctBy(outcomes, (outcome) => {
      if (!('event' in outcome) && !('error' in outcome)) return JSON.stringify(outcome);
      const on = 'event' in outcome ? outcome.event.type : 'error';
      const read = keys(on);
      const patches = this.#patchesOf(outcome).map(
        (patch) => patch && Object.entries(patch).flatMap(([key, value]) => (read.has(key) ? [[key, simple(key, value)]] : [])),
      );
      return `${on} ${JSON.stringify(patches)}`;
    });
  }

  readonly #patches = new WeakMap<OutcomeClass, readonly (Partial<MachineContext> | undefined)[]>();

  #patchesOf(outcome: OutcomeClass): readonly (Partial<MachineContext> | undefined)[] {
    const known = this.#patches.get(outcome);
    if (known) return known;
    const { stepper, merger } = this.#subject;
    const event = patchAt(() =>
      'event' in outcome
        ? knownEvent(stepper, outcome.event)
        : ({ type: 'xstate.error.actor.', error: errorOf('error' in outcome ? outcome.error : '') } as EventObject),
    );
    const text = event && JSON.stringify(event);
    const made = this.#samples.map((state) => event && merger && patchAt(() => knownPatch(merger, event, state, text)));
    this.#patches.set(outcome, made);
    return made;
  }

  /** Returns the effect of an event on some states; `undefined` if the event is refused. */
  #effectOf(event: HumanEvent, samples: readonly MachineContext[]): string | undefined {
    const { stepper, merger } = this.#subject;
    try {
      const parsed = knownEvent(stepper, event);
      const text = JSON.stringify(parsed);
      return JSON.stringify(samples.map((state) => merger && patchAt(() => knownPatch(merger, parsed, state, text))));
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
      const made = distinctChanges(changes, relevant, samples).map((change): Transform => {
        const reads = this.#decidingKeys(change, relevant, values, samples);
        return {
          name: change.name,
          reads,
          isSlow: change.isSlow ?? false,
          isDelta: change.isDelta ?? false,
          patchBeside: (key, state) => change.patchBeside?.(key, state),
          results: (state) => change.results(state),
        };
      });
      for (const { reads } of made) for (const key of reads) relevant.add(key);
      if (relevant.size === before) return made.filter(({ reads }) => reads.size > 0);
    }
  }

  /** Returns the keys whose value changes the effect of a change on relevant keys, and those that it reduces. */
  #decidingKeys(
    change: Change,
    relevant: ReadonlySet<string>,
    values: Candidates,
    samples: readonly MachineContext[],
  ): ReadonlySet<string> {
    const reduced = samples.flatMap((state) => change.reduced(state)).filter((key) => relevant.has(key));
    return this.#readKeys(change, relevant, values, samples, new Set(reduced));
  }

  /** Returns the keys whose value changes the patch of relevant keys, and some that are known to do so. */
  #readKeys(
    change: Change,
    relevant: ReadonlySet<string>,
    values: Candidates,
    samples: readonly MachineContext[],
    known: ReadonlySet<string> = new Set(),
  ): ReadonlySet<string> {
    const deciding = new Set([...known, ...this.#decidingIn(change, relevant, values, samples)]);
    // only the check of a schema reads the state, and it accepts the patch in all samples
    const isConstant =
      change.on !== undefined &&
      !this.#isReading(change, samples) &&
      new Set(samples.map((state) => change.effect(state, relevant))).size === 1;
    if (isConstant) return deciding;
    for (const state of samples) {
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

  /** Returns the keys whose value changes what a function writes to relevant keys, for some values of its other keys. */
  #decidingIn(
    { written }: Change,
    relevant: ReadonlySet<string>,
    values: Candidates,
    samples: readonly MachineContext[],
  ): readonly string[] {
    if (!written) return [];
    const reads = this.#readsOf(written, samples);
    const keys = keysOf(reads, samples);
    const deciding = keys.filter((key) => decides(key, keys, written, (written) => relevant.has(written), values, samples));
    for (const key of deciding) addReads(memberOf(this.reads, key), reads.members.get(key) ?? emptyReads());
    return deciding;
  }

  /** Returns the keys that functions of the definition read, although none of their values changes what is written. */
  unmoved(relevant: ReadonlySet<string>, values: Candidates): readonly { readonly on: string; readonly key: string }[] {
    const samples = this.#samples;
    return distinctChanges([...this.#eventChanges(), ...this.#errorChanges()], relevant, samples).flatMap(({ on = '', written, patch }) => {
      const writes = samples.flatMap((state) => Object.keys(patchAt(() => patch?.(state)) ?? {}));
      if (!written || !writes.some((key) => relevant.has(key))) return [];
      const keys = keysOf(this.#readsOf(written, samples), samples);
      return keys.filter((key) => !decides(key, keys, written, () => true, values, samples)).map((key) => ({ on, key }));
    });
  }

  #isReading({ written }: Change, samples: readonly MachineContext[]): boolean {
    if (!written) return false;
    const { whole, members } = this.#readsOf(written, samples);
    return whole || members.size > 0;
  }

  #readsOf(written: WrittenPatch, samples: readonly MachineContext[]): ReadTree {
    const found = emptyReads();
    for (const state of samples) {
      patchAt(() => written.at(recording(state, found)));
      patchAt(() => written.at(recording(state, found, true)));
    }
    return found;
  }

  readonly #probes = new Map<string, Probe>();

  /** Returns a probe for each key that a function of the definition writes, and that matters. It reads the other keys only. */
  probes(relevant: ReadonlySet<string>, samples: readonly MachineContext[]): readonly Probe[] {
    const changes = distinctChanges([...this.#eventChanges(), ...this.#errorChanges()], relevant, samples);
    return changes.flatMap(({ name, written }) => {
      if (!written) return [];
      const found = this.#readsOf(written, samples);
      const keys = new Set(samples.flatMap((state) => Object.keys(patchAt(() => written.at(state)) ?? {})));
      return [...keys].flatMap((key) => {
        if (!relevant.has(key)) return [];
        const place = `${key} ${name}`;
        const known = this.#probes.get(place);
        const probe = known ?? {
          text: written.source,
          reads: emptyReads(),
          ask: (state: MachineContext) => answerText(() => Reflect.get(Object(written.at(state)), key)),
        };
        this.#probes.set(place, probe);
        const { members, ...all } = found;
        addReads(probe.reads, { ...all, members: new Map([...members].filter(([other]) => other !== key)) });
        return probe.reads.whole || probe.reads.members.size > 0 ? [probe] : [];
      });
    });
  }

  /** Returns the effects of events and failures on relevant keys, as far as some states show them. */
  effects(relevant: ReadonlySet<string>, values: Candidates, samples: readonly MachineContext[]): readonly PatchEffect[] {
    const { given, waits } = this.#subject;
    const unknown = [...waits].flatMap(([path, types]) => (typeof given.get(path) === 'function' ? types : []));
    return [
      ...distinctChanges([...this.#eventChanges(), ...this.#errorChanges()], relevant, samples).map((change): PatchEffect => {
        const patches = samples.map((state) => patchAt(() => change.patch?.(state)));
        const reads = this.#readKeys(change, relevant, values, samples);
        const written = patches.flatMap((patch) => Object.keys(patch ?? {})).filter((key) => relevant.has(key));
        // whether a patch throws matters, even if nothing reads what it writes
        const writes = this.#mayThrow(change, reads, values, samples) ? relevant : new Set(written);
        const { reducers } = this.#subject.merger ?? {};
        // a patch that depends on the state may leave a key out in a state that is not among the samples
        const isFixed = reads.size === 0 && patches.length > 0 && !this.#isReading(change, samples);
        const overwrites = [...writes].filter(
          (key) =>
            isFixed &&
            patches.every((patch) => patch && Object.hasOwn(patch, key) && (!reducers?.has(key) || this.resets(key, patch[key], values))),
        );
        const changes = [...writes].filter((key) => reducers?.has(key) && !overwrites.includes(key));
        return { on: change.on ?? '', reads, writes, changes: new Set(changes), overwrites: new Set(overwrites) };
      }),
      ...unknown.map((on) => ({ on, reads: relevant, writes: relevant, changes: relevant, overwrites: new Set<string>() })),
    ];
  }

  #mayThrow(change: Change, reads: ReadonlySet<string>, values: Candidates, samples: readonly MachineContext[]): boolean {
    return samples.some((state) =>
      [...reads].some((key) =>
        [state[key], ...values.of(key).slice(0, maxAlternatives), otherThan(state[key])].some((value) =>
          throws(() => change.patch?.({ ...state, [key]: value })),
        ),
      ),
    );
  }

  /** Returns the keys whose reducers throw for some values. */
  failing(deltas: ReadonlyMap<string, readonly unknown[]>, values: Candidates): readonly string[] {
    return [...(this.#subject.merger?.reducers ?? [])].flatMap(([key, reduce]) => {
      const some = values.of(key).slice(0, maxReduced);
      return deltas
        .get(key)
        ?.slice(0, maxReduced)
        .some((delta) => some.some((value) => throws(() => reduce(value, delta))))
        ? [key]
        : [];
    });
  }

  /** Returns true if a reducer makes the same of a patch, whatever the value was before. */
  resets(key: string, delta: unknown, values: Candidates): boolean {
    const reduce = this.#subject.merger?.reducers.get(key);
    const known = values.of(key);
    const before = known.every((value) => typeof value === 'number') ? [...known, ...farNumbers] : known;
    const after = patchAt(() => new Set(before.map((value) => JSON.stringify(reduce?.(value, delta)))));
    return before.length > 1 && after?.size === 1;
  }

  #ofEvent(event: EventObject, on: string): Change | undefined {
    const { merger } = this.#subject;
    if (!merger) return undefined;
    const text = JSON.stringify(event);
    const patch: Change['patch'] = (state) => knownPatch(merger, event, state, text);
    const written = merger.writtenPatch(event);
    return {
      on,
      name: `${on} ${text}`,
      written,
      patch,
      effect: (state, relevant) =>
        JSON.stringify(Object.entries(patchAt(() => patch(state)) ?? { '!': true }).filter(([key]) => relevant.has(key) || key === '!')),
      look: (state) => merger.patchOf(state, { ...event }),
      patchBeside(key, state) {
        if (merger.checks || !written) return undefined; // the check of a schema reads the whole state
        const found = emptyReads();
        patchAt(() => written.at(recording(state, found)));
        return found.whole || found.members.has(key) ? undefined : patchAt(() => patch(state));
      },
      results: (state) => [merger.merge(state, { ...event })],
      reduced: (state) => Object.keys(patchAt(() => patch(state)) ?? {}).filter((key) => merger.reducers.has(key)),
    };
  }

  #eventChanges(): readonly Change[] {
    const { stepper, listed } = this.#subject;
    const events = [...[...this.#events.values()].flat(), ...listed.flatMap((outcome) => ('event' in outcome ? [outcome.event] : []))];
    return events.flatMap((event) => {
      const parsed = patchAt(() => knownEvent(stepper, event));
      return (parsed && this.#ofEvent(parsed, event.type)) ?? [];
    });
  }

  #errorChanges(): readonly Change[] {
    const errors = this.#subject.listed.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []));
    const distinct = new Map([...this.#failures, ...errors].map((error) => [JSON.stringify(error), error]));
    return [...distinct.values()].flatMap(
      (error) => this.#ofEvent({ type: 'xstate.error.actor.', error: errorOf(error) } as EventObject, 'error') ?? [],
    );
  }

  #givenChanges(): readonly Change[] {
    const { functions, merger } = this.#subject;
    return functions.map((outcomes, at): Change => {
      const patchesAt = (state: MachineContext): readonly MachineContext[] =>
        outcomes(state).flatMap((outcome) => ('patch' in outcome ? [outcome.patch] : []));
      return {
        name: `outcomes ${at}`,
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
          name: `${key} ${JSON.stringify(delta)}`,
          isDelta: true,
          effect: () => '',
          look: () => undefined,
          patchBeside: () => ({ [key]: delta }),
          results: (state) => [mergeOutput(merger, state, { [key]: delta })],
          reduced: () => (relevant.has(key) ? [key] : []),
        }),
      ),
    );
  }
}

/** Returns the keys of a state that were read. */
const keysOf = ({ whole, members }: ReadTree, [sample = {}]: readonly MachineContext[]): readonly string[] =>
  Object.keys(sample).filter((key) => whole || members.has(key));

/** Returns true if the value of a key changes what a function writes to some keys, for some values of the other keys that it reads. */
function decides(
  key: string,
  reads: readonly string[],
  written: WrittenPatch,
  isCounted: (key: string) => boolean,
  values: Candidates,
  samples: readonly MachineContext[],
): boolean {
  const effect = (state: MachineContext): string =>
    answerText(() => Object.entries(written.at(state) ?? {}).filter(([each]) => isCounted(each)));
  const others = reads.flatMap((other) => (other === key ? [] : [[other, values.of(other)] as const]));
  const states = [...samples, ...spread(others, maxJoint).map((made) => ({ ...samples[0], ...made }))];
  return states.some((state) => {
    const now = effect(state);
    return values.of(key).some((value) => effect({ ...state, [key]: value }) !== now);
  });
}

/** Returns the state after a node has returned a patch. */
export const mergeOutput = (merger: Subject['merger'], state: MachineContext, output: object): MachineContext =>
  merger?.merge(state, { type: 'xstate.done.actor.', output } as EventObject) ?? state;

/** Returns one change of each event for each effect on relevant keys. */
function distinctChanges(changes: readonly Change[], relevant: ReadonlySet<string>, samples: readonly MachineContext[]): readonly Change[] {
  const ofEvents = changes.filter(({ on }) => on !== undefined);
  const distinct = distinctBy(ofEvents, ({ on, effect }) => `${on} ${samples.map((state) => effect(state, relevant)).join()}`);
  return [...distinct, ...changes.filter(({ on }) => on === undefined)];
}

function throws(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch {
    return true;
  }
}

/** Returns copies of an event with the values of keys: of the key with the name of a field, or of all keys with values like the field's. */
function variantsOf(event: HumanEvent, values: ReadonlyMap<string, readonly unknown[]>): readonly HumanEvent[] {
  return Object.entries(event).flatMap(([field, now]) => {
    if (field === 'type') return [];
    const others = values.get(field) ?? [...values.values()].flat().filter((value) => kindOf(value) === kindOf(now));
    return others.map((value) => ({ ...event, [field]: value }) as HumanEvent);
  });
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

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
