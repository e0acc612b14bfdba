import type { AnyStateMachine, EventObject, MachineContext } from 'xstate';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { Json } from '../../core/ports/json.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { isObject } from '../../core/util/is-object.ts';
import { toGraph } from '../../engine/define/graph.ts';
import { findMerger, type Merger, merging } from '../../engine/define/state.ts';
import { constantsIn } from '../explore/guard-texts.ts';
import { samplesOf } from '../explore/key-samples.ts';
import { proposeEvents } from '../explore/propose-event.ts';
import { machineWith, withMerger } from './mutant-machine.ts';
import type { MutationKind } from './mutation.ts';

/** A machine with one wrong part besides its edges. */
export interface DefinitionMutant {
  readonly kind: MutationKind;
  /** The wrong part, such as `reducer of notes`. */
  readonly part: string;
  readonly detail: string;
  readonly machine: AnyStateMachine;
}

/**
 * Creates every machine with one wrong reducer, change by an event, failure, timer, region or output. Changes that make no difference to
 * sample values are left out.
 *
 * @param states States of runs, in which events and failures are tried.
 */
export function* definitionMutants(machine: AnyStateMachine, states: readonly MachineContext[]): Generator<DefinitionMutant> {
  const merger = findMerger(machine);
  if (merger) {
    yield* reducerMutants(machine, merger, states);
    yield* patchMutants(machine, merger, states);
  }
  yield* timerMutants(machine);
  yield* regionMutants(machine);
  yield* outputMutants(machine, states);
}

type Reducer = (current: unknown, next: unknown) => unknown;

function* reducerMutants(machine: AnyStateMachine, merger: Merger, states: readonly MachineContext[]): Generator<DefinitionMutant> {
  for (const [key, right] of merger.reducers) {
    const seen = states.map((state) => state[key]);
    const families = samplesOf(merger, key, seen);
    const wrong: readonly (readonly [MutationKind, Reducer])[] = [
      ['reducer dropped', (_current, next) => next],
      ['reducer keeps the old value', (current) => current],
      ['reducer arguments swapped', (current, next) => right(next, current)],
    ];
    for (const [kind, reducer] of wrong) {
      if (!families.some((values) => differ(right, reducer, values))) continue;
      const reducers = new Map(merger.reducers).set(key, reducer);
      yield {
        kind,
        part: `reducer of ${key}`,
        detail: '',
        machine: withMerger(machine, { ...merger, ...merging({ ...merger, reducers }) }),
      };
    }
  }
}

/** Returns true if two reducers merge some values differently. */
function differ(one: Reducer, other: Reducer, values: readonly unknown[]): boolean {
  return values.some((current) =>
    values.some((next) => {
      try {
        return textOf(one(current, next)) !== textOf(other(current, next));
      } catch {
        return false; // a value of a type that the reducer does not expect
      }
    }),
  );
}

const textOf = (value: unknown): string => canonicalJson((value ?? null) as Json);

/** Mutants of the changes that events and failures make. */
function* patchMutants(machine: AnyStateMachine, merger: Merger, states: readonly MachineContext[]): Generator<DefinitionMutant> {
  const types = new Set(toGraph(machine).states.flatMap(({ edges }) => edges.map(({ on }) => on)));
  for (const type of types) {
    if (!merger.eventOf(type)) continue;
    const events = proposeEvents(type, (event) => merger.parse(event), constantsIn([]), merger.eventOf(type));
    const keys = keysChanged(merger, events, states);
    if (keys.length > 0) yield mutantOf('event change dropped', '', type);
    if (keys.length > 1) for (const key of keys) yield mutantOf('event change loses a key', key, type);
  }
  const error: ErrorInfo = { name: 'Error', code: 'NODE_FAILED', message: 'failed', retryable: false };
  const failure: EventObject & { readonly error: ErrorInfo } = { type: 'xstate.error.actor.node', error };
  const keys = keysChanged(merger, [failure], states);
  if (keys.length > 0) yield mutantOf('failure change dropped', '', undefined);
  if (keys.length > 1) for (const key of keys) yield mutantOf('failure change loses a key', key, undefined);

  /** @param type type of the event; `undefined` for failures. */
  function mutantOf(kind: MutationKind, key: string, type: string | undefined): DefinitionMutant {
    const isMeant = (event: EventObject): boolean =>
      type === undefined ? event.type.startsWith('xstate.error.actor.') : event.type === type;
    const patchOf: Merger['patchOf'] = (state, event) => {
      const patch = merger.patchOf(state, event);
      if (!patch || !isMeant(event)) return patch;
      const { [key]: _lost, ...rest } = patch;
      return key === '' ? undefined : rest;
    };
    const part = type === undefined ? 'onError' : `change by ${type}`;
    return { kind, part, detail: key, machine: withMerger(machine, { ...merger, ...merging({ ...merger, patchOf }) }) };
  }
}

/** Returns the keys whose values some event changes in some state. */
function keysChanged(merger: Merger, events: readonly EventObject[], states: readonly MachineContext[]): readonly string[] {
  const keys = new Set<string>();
  for (const state of states) {
    for (const event of events) {
      try {
        for (const [key, value] of Object.entries(merger.patchOf(state, event) ?? {})) {
          if (merger.reducers.has(key) || textOf(state[key]) !== textOf(value)) keys.add(key);
        }
      } catch {
        // the event expects another state
      }
    }
  }
  return [...keys];
}

interface StateConfig {
  readonly type?: string;
  readonly after?: Readonly<Record<string, unknown>>;
  readonly states?: Readonly<Record<string, StateConfig>>;
}

function* timerMutants(machine: AnyStateMachine): Generator<DefinitionMutant> {
  for (const [path, { after = {} }] of statesIn(machine.config as StateConfig)) {
    for (const delay of Object.keys(after).filter((name) => /^\d+$/.test(name))) {
      let later = 2 * Number(delay);
      while (Object.hasOwn(after, String(later))) later++; // another timer has this delay
      const longer = Object.fromEntries(Object.entries(after).map(([name, edges]) => [name === delay ? String(later) : name, edges]));
      const config = changed(machine.config as StateConfig, path, (state) => ({ ...state, after: longer }));
      yield { kind: 'timer longer', part: `${path.join('.')} after ${delay}`, detail: '', machine: machineWith(machine, config) };
    }
  }
}

/** A parallel state without one of its regions completes without waiting for it. */
function* regionMutants(machine: AnyStateMachine): Generator<DefinitionMutant> {
  for (const [path, { type, states = {} }] of statesIn(machine.config as StateConfig)) {
    const regions = Object.keys(states);
    if (type !== 'parallel' || regions.length < 2) continue;
    for (const region of regions) {
      const { [region]: _dropped, ...others } = states;
      const config = changed(machine.config as StateConfig, path, (state) => ({ ...state, states: others }));
      let mutant: AnyStateMachine;
      try {
        mutant = machineWith(machine, config);
      } catch {
        continue; // an edge leads into the region
      }
      yield { kind: 'region dropped', part: path.join('.'), detail: region, machine: mutant };
    }
  }
}

function* outputMutants(machine: AnyStateMachine, states: readonly MachineContext[]): Generator<DefinitionMutant> {
  const { output } = machine.config as { readonly output?: unknown };
  if (typeof output !== 'function') return;
  const keys = new Set<string>();
  for (const context of states) {
    try {
      const made: unknown = output({ context, event: { type: '' } });
      if (isObject(made)) for (const key of Object.keys(made)) keys.add(key);
    } catch {
      // no run ends with this state
    }
  }
  const mutantOf = (kind: MutationKind, detail: string, change: (made: unknown) => unknown): DefinitionMutant => {
    const wrong = (...args: readonly unknown[]): unknown => change(output(...args));
    return { kind, part: 'output', detail, machine: machineWith(machine, { ...machine.config, output: wrong }) };
  };
  yield mutantOf('output dropped', '', () => null);
  if (keys.size > 1) for (const key of keys) yield mutantOf('output loses a key', key, (made) => withoutKey(made, key));
}

function withoutKey(made: unknown, key: string): unknown {
  if (!isObject(made)) return made;
  const { [key]: _lost, ...rest } = made;
  return rest;
}

type Path = readonly string[];

function statesIn(config: StateConfig, path: Path = []): readonly (readonly [Path, StateConfig])[] {
  return Object.entries(config.states ?? {}).flatMap(([name, state]) => {
    const at = [...path, name];
    return [[at, state] as const, ...statesIn(state, at)];
  });
}

function changed(config: StateConfig, [key, ...deeper]: Path, change: (state: StateConfig) => StateConfig): StateConfig {
  if (key === undefined) return change(config);
  return { ...config, states: { ...config.states, [key]: changed(config.states?.[key] ?? {}, deeper, change) } };
}
