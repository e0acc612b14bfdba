import {
  type ActionFunction,
  type AnyStateMachine,
  assign,
  type DoneActorEvent,
  type ErrorActorEvent,
  type EventObject,
  fromPromise,
  type MachineContext,
} from 'xstate';
import { toErrorInfo, toNodeError, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { StandardSchema } from '../../core/ports/standard-schema.ts';
import { freezeNew } from '../../core/util/deep-freeze.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { isObject } from '../../core/util/is-object.ts';
import { issuesText } from '../../core/util/issues-text.ts';
import { hasTaint, readTaint, withTaint } from '../../core/util/taint.ts';
import { taintOfError } from '../../core/util/tainted-error.ts';
import { argumentInvalid } from './assert-machine.ts';
import { nameErrors } from './definition-error.ts';
import type { Guard } from './guard.ts';
import { type NodeLogic, toPatch } from './node.ts';
import type { StateChecks } from './state-checks.ts';

/** Merges one key of a patch into the state. A key without a reducer is replaced. */
export type Reducers<TState> = { readonly [K in keyof TState]?: (current: TState[K], next: TState[K]) => TState[K] };

/** Reducer that appends to a list. */
export const append = <T>(current: readonly T[], next: readonly T[]): T[] => [...current, ...next];

export interface StateOptions<TState, TEvent extends EventObject> {
  readonly reducers?: Reducers<TState>;
  /** Patch of a failed node, on edges that merge. Default: none. */
  readonly onError?: (state: Readonly<TState>, error: ErrorInfo) => Partial<TState>;
  /** Payloads and patches of a human's events. */
  readonly events?: { readonly [K in TEvent['type']]?: EventDefinition<TState, Extract<TEvent, { type: K }>> };
}

export interface EventDefinition<TState, TEvent extends EventObject> {
  /** Checks an external event and throws if it is invalid. A zod schema's `parse` fits. Default: an event without payload. */
  readonly parse?: (event: unknown) => TEvent;
  /**
   * Description of the payload for clients that build an answer: a schema of a library, or a JSON Schema. Not used for checking. Default:
   * undescribed.
   */
  readonly schema?: StandardSchema<object> | JsonObject;
  /** Patch of the event, on edges that merge. Default: none. */
  readonly patch?: (state: Readonly<TState>, event: TEvent) => Partial<TState>;
}

/** Events that XState sends to a machine: a human's events and the ends of nodes. */
export type StateEvent<TState, TEvent extends EventObject> = TEvent | DoneActorEvent<Partial<TState>> | ErrorActorEvent;

type XStateGuard<TState, TEvent extends EventObject> = (args: { context: TState; event: StateEvent<TState, TEvent> }) => boolean;

/** The pieces of `setup({ … })` that a workflow's state provides. */
export interface StateKit<TState extends MachineContext, TInput, TOutput, TEvent extends EventObject> {
  /** For `setup({ types })`. */
  readonly types: { context: TState; events: StateEvent<TState, TEvent>; input: TInput; output: TOutput };
  /** For `setup({ actors })`: a node that `defineWorkflow` fills. */
  slot(name: string): NodeLogic<TState>;
  /** For `setup({ guards })`: predicates over the state as it will be after the node's patch. */
  guards<TGuards extends Record<string, Guard<TState>>>(guards: TGuards): { [K in keyof TGuards]: XStateGuard<TState, TEvent> };
  /** For `setup({ actions })`, and the only action of a machine: merges the node's patch, its error or the human's event into the state. */
  readonly merge: ActionFunction<
    TState,
    StateEvent<TState, TEvent>,
    StateEvent<TState, TEvent>,
    undefined,
    never,
    never,
    never,
    never,
    never
  >;
}

/** A kit without its types, for the runtime. */
export interface Merger {
  /** Set for a state with a schema. */
  readonly checks?: StateChecks;
  /** Reducers by key. */
  readonly reducers: ReadonlyMap<string, (current: unknown, next: unknown) => unknown>;
  /** Patch of an event, before any reducer. */
  patchOf(state: MachineContext, event: EventObject): Partial<MachineContext> | undefined;
  /** The function that makes the patch of an event, as it is written: without checks. `undefined` for an event without one. */
  writtenPatch(event: EventObject): WrittenPatch | undefined;
  /** The state after the event. */
  merge(state: MachineContext, event: EventObject): MachineContext;
  /** Like `merge`, but idempotent per event. */
  apply(state: MachineContext, event: EventObject): MachineContext;
  /** Checks a human's event. @throws {WorkflowError} `EVENT_INVALID`. */
  parse(event: EventObject): EventObject;
  /** Declaration of a human's event; `undefined` for an undeclared event, which has no payload. */
  eventOf(type: string): { readonly schema?: StandardSchema<object> | JsonObject; readonly parse?: unknown } | undefined;
}

/** A function of the definition that makes patches. */
export interface WrittenPatch {
  readonly source: string;
  at(state: MachineContext): unknown;
}

const mergers = new WeakMap<object, Merger>();
const predicates = new WeakMap<object, KitGuard>();

/** The merger behind a kit's `merge` action; `undefined` for any other action. */
export const mergerOf = (action: unknown): Merger | undefined => (typeof action === 'function' ? mergers.get(action) : undefined);

/** A guard of a kit: its predicate over the state after the event, and the function that computes that state. */
export interface KitGuard {
  readonly predicate: Guard<MachineContext>;
  /** The guard in the definition. */
  readonly written: object;
  readonly merger: Merger;
}

/** The kit's guard behind a machine's guard; `undefined` for any other guard. */
export const kitGuardOf = (guard: unknown): KitGuard | undefined => (typeof guard === 'function' ? predicates.get(guard) : undefined);

/** Converts a kit's guard to an XState guard. */
export function toXStateGuard<TState extends MachineContext, TEvent extends EventObject>(guard: KitGuard): XStateGuard<TState, TEvent> {
  const { predicate, merger } = guard;
  const check: XStateGuard<TState, TEvent> = ({ context, event }) => predicate(Object.freeze(merger.apply(context, event)));
  predicates.set(check, guard);
  return check;
}

/** The mergers behind a machine's actions and guards: one, unless the machine mixes `defineState` calls. */
export function mergersOf({ implementations: { actions, guards } }: AnyStateMachine): ReadonlySet<Merger> {
  return new Set([
    ...Object.values(actions).flatMap((action) => mergerOf(action) ?? []),
    ...Object.values(guards).flatMap((guard) => kitGuardOf(guard)?.merger ?? []),
  ]);
}

/** The merger of a machine; `undefined` if it has neither guards nor a merge. */
export const findMerger = (machine: AnyStateMachine): Merger | undefined => [...mergersOf(machine)][0];

/**
 * Describes the state of a workflow and returns the pieces for XState's `setup`.
 *
 * @example
 * const state = defineState<TripState, TripInput, string>({ reducers: { notes: append } });
 * const machine = setup({
 *   types: state.types,
 *   actors: { research: state.slot('research') },
 *   guards: state.guards({ hasNotes: (s) => s.notes.length > 0 }),
 *   actions: { merge: state.merge },
 * }).createMachine({ … });
 */
export function defineState<TState extends MachineContext, TInput, TOutput, TEvent extends EventObject = never>(
  options: StateOptions<TState, TEvent> = {},
): StateKit<TState, TInput, TOutput, TEvent> {
  if (!isObject(options)) throw argumentInvalid('The options of a state are not an object.', '{ reducers, events, onError }');
  return makeKit(options as StateOptions<MachineContext, EventObject>);
}

/** Makes the action that merges with a merger. */
export function toMergeAction<TState extends MachineContext, TEvent extends EventObject>(
  merger: Merger,
): StateKit<TState, unknown, unknown, TEvent>['merge'] {
  const merge = assign<TState, StateEvent<TState, TEvent>, undefined, StateEvent<TState, TEvent>, never>(
    ({ context, event }) => merger.apply(context, event) as TState,
  );
  mergers.set(merge, merger);
  return merge;
}

/** Makes a kit with the checks of a schema. */
export function makeKit<TState extends MachineContext, TInput, TOutput, TEvent extends EventObject>(
  options: StateOptions<MachineContext, EventObject>,
  checks?: StateChecks,
): StateKit<TState, TInput, TOutput, TEvent> {
  const merger: Merger = { ...createMerger(options, checks), ...(checks ? { checks } : {}) };
  return {
    // XState reads only the type of this object
    types: {} as StateKit<TState, TInput, TOutput, TEvent>['types'],
    merge: toMergeAction(merger),
    slot: (name) => fromPromise<Partial<TState>, TState>(() => Promise.reject(emptySlot(name))),
    guards: (guards) => {
      const wrapped: Record<string, XStateGuard<TState, TEvent>> = {};
      for (const [name, guard] of Object.entries(guards)) {
        const predicate = nameErrors(`The guard "${name}"`, guard);
        wrapped[name] = toXStateGuard({ predicate: (state) => predicate(state as TState), written: guard, merger });
      }
      return wrapped as { [K in keyof typeof guards]: XStateGuard<TState, TEvent> };
    },
  };
}

/** Makes the merging part of a merger. */
export function merging({
  reducers,
  patchOf,
}: Pick<Merger, 'reducers' | 'patchOf'>): Pick<Merger, 'reducers' | 'patchOf' | 'merge' | 'apply'> {
  // XState passes guards of an `always` edge the event that was already merged; without this an `append` would count twice
  const merged = new WeakMap<EventObject, { readonly from: MachineContext; readonly to: MachineContext }>();
  const merge = (state: MachineContext, event: EventObject): MachineContext => {
    const patch = patchOf(state, event);
    if (!patch) return state;
    const to: MachineContext = { ...state };
    for (const key in patch) {
      const reduce = reducers.get(key);
      to[key] = reduce ? reduce(state[key], patch[key]) : patch[key];
    }
    return Object.freeze(to);
  };
  return {
    reducers,
    patchOf,
    merge,
    apply(state, event) {
      const known = merged.get(event);
      if (known?.from === state) return known.to;
      if (known && sameMembers(state, known.to)) return state;
      const to = merge(state, event);
      merged.set(event, { from: state, to });
      return to;
    },
  };
}

function createMerger({ reducers, onError, events }: StateOptions<MachineContext, EventObject>, checks?: StateChecks): Merger {
  const asPatch = (value: unknown, state: MachineContext): Partial<MachineContext> => {
    const patch = toPatch(value, state);
    return checks ? checks.readPatch(patch, state) : patch;
  };
  const onFailure = nameErrors('onError', (state: MachineContext, error: ErrorInfo) => asPatch(onError?.(state, error), state));
  const patches = new Map(
    Object.entries(events ?? {}).flatMap(([type, definition]) => {
      const { patch } = definition ?? {};
      return patch
        ? [[type, nameErrors(`The patch of ${type}`, (state: MachineContext, event: EventObject) => asPatch(patch(state, event), state))]]
        : [];
    }),
  );
  const reduced = new Map(
    Object.entries(reducers ?? {}).flatMap(([key, reducer]) => {
      if (!reducer) return [];
      // both lists are frozen, so their items are too
      if (reducer === (append as unknown))
        return [[key, nameErrors(`The reducer of "${key}"`, (a: unknown, b: unknown) => Object.freeze(reducer(a, b)))]];
      return [[key, nameErrors(`The reducer of "${key}"`, (a: unknown, b: unknown): unknown => freezeNew(reducer(a, b), [a, b]))]];
    }),
  );

  const patchOf = (state: MachineContext, event: EventObject): Partial<MachineContext> | undefined => {
    if ('output' in event && event.type.startsWith('xstate.done.actor.')) return event.output as Partial<MachineContext>;
    if ('error' in event && event.type.startsWith('xstate.error.actor.')) {
      const patch = onError && onFailure(state, asErrorInfo(event.error));
      // the driver reports the taint of a failure; under a plain `createActor` the error carries it
      const brought = hasTaint(event) ? readTaint(event.taint) : taintOfError(event.error);
      return brought && hasTaint(state) ? withTaint(patch ?? {}, brought) : patch;
    }
    return patches.get(event.type)?.(state, event);
  };

  return {
    ...merging({ reducers: reduced, patchOf }),
    eventOf: (type) => events?.[type],
    writtenPatch(event) {
      if ('error' in event && event.type.startsWith('xstate.error.actor.')) {
        const error = asErrorInfo(event.error);
        return onError && { source: String(onError), at: (state) => onError(state, error) };
      }
      const patch = events?.[event.type]?.patch;
      return patch && { source: String(patch), at: (state) => patch(state, event) };
    },
    parse(event) {
      const definition = events?.[event.type];
      if (!definition?.parse) return withoutPayload(event);
      let parsed: EventObject;
      try {
        parsed = definition.parse(event);
      } catch (cause) {
        if (hasCode(cause, 'WORKFLOW_INVALID')) throw cause; // the definition is at fault, not the event
        throw invalidEvent(event, issuesText(cause) ?? toErrorInfo(cause).message, cause);
      }
      if (parsed?.type !== event.type) throw invalidEvent(event, 'its parser changed its type');
      return parsed;
    },
  };
}

/** Accepts an undeclared event without payload. @throws {WorkflowError} `EVENT_INVALID` if it has a payload. */
export function withoutPayload(event: EventObject): EventObject {
  if (Object.keys(event).length === 1) return event;
  throw invalidEvent(event, 'it has a payload, but the workflow declares none');
}

const asErrorInfo = (error: unknown): ErrorInfo =>
  typeof error === 'object' && error !== null && 'code' in error && 'retryable' in error && !(error instanceof Error)
    ? (error as ErrorInfo) // the driver passes the journal's error
    : toNodeError(error);

const sameMembers = (a: MachineContext, b: MachineContext): boolean => Object.keys(b).every((key) => Object.is(a[key], b[key]));

const invalidEvent = (event: EventObject, why: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'EVENT_INVALID',
    message: `The event ${event.type} is invalid: ${why}.`,
    hint: 'Send the fields that the workflow declares for it.',
    data: { event: event.type },
    cause,
  });

const emptySlot = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The node "${name}" has no handler.`,
    hint: 'Run the machine that defineWorkflow returns, not the one from setup.',
  });
