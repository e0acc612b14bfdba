import {
  type AnyActorRef,
  type EventObject,
  type MachineContext,
  type MetaObject,
  type ParameterizedObject,
  type StateMachine,
  type StateSchema,
  type StateValue,
  setup,
} from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Guard } from './guard.ts';
import type { NodeLogic } from './node.ts';
import type { StateEvent, StateKit } from './state.ts';
import { siblingPrefix, toStateConfigs } from './state-config.ts';
import type { StateDescriptions } from './state-description.ts';

/** An XState machine with these nodes. */
export type Machine<TState extends MachineContext, TInput, TOutput, TEvent extends EventObject, TNode extends string> = StateMachine<
  TState,
  StateEvent<TState, TEvent>,
  Readonly<Record<string, AnyActorRef | undefined>>,
  { readonly src: TNode; readonly logic: NodeLogic<TState>; readonly id: string | undefined },
  ParameterizedObject,
  ParameterizedObject,
  string,
  StateValue,
  string,
  TInput,
  TOutput,
  EventObject,
  MetaObject,
  StateSchema
>;

export interface MachineOptions<
  TId extends string,
  TState,
  TOutput,
  TGuard extends string,
  TEvent extends string,
  TName extends string,
  TNode extends string,
> {
  readonly id: TId;
  /** Raise it when runs of the old machine cannot continue in the new one. @default '0' */
  readonly version?: string;
  readonly description?: string;
  /** Initial state of a run. */
  readonly initial: NoInfer<TName>;
  /** Output of an ended run. Default: nothing. */
  readonly output?: (state: Readonly<TState>) => TOutput;
  /** Tests of the state after a node's patch. */
  readonly guards?: Readonly<Record<TGuard, Guard<TState>>>;
  /** States by name. */
  readonly states: StateDescriptions<
    TName,
    TNode,
    NoInfer<TName> | `#${NoInfer<TId>}.${NoInfer<TName>}` | `#${NoInfer<TId>}.${NoInfer<TName>}.${string}`,
    NoInfer<TGuard>,
    NoInfer<TEvent>
  >;
}

/** `null` for a machine without `output`. */
type DeclaredOutput<TOutput> = unknown extends TOutput ? null : TOutput;

/** First state of a run. A state with a schema derives it from the input. */
type Beginning<TState, TInput, TInitial> = undefined extends TInitial ? { readonly context: (input: TInput) => TState } : unknown;

/** The options without their types, after the types have been checked. */
interface Untyped {
  context?(input: unknown): unknown;
  output?(state: MachineContext): unknown;
  readonly guards?: object;
  readonly states: object;
}

/**
 * Makes a plain XState machine from a state and short descriptions of its states. The result equals one written out with `setup({ …
 * }).createMachine({ … })`.
 *
 * @throws {WorkflowError} `WORKFLOW_INVALID` if XState cannot make a machine of it, for example because a target or the initial state is
 * missing.
 * @example
 * const machine = defineMachine(state, {
 *   id: 'publish',
 *   initial: 'write',
 *   output: ({ text }) => text,
 *   states: {
 *     write: { node: 'write', done: 'review', error: 'failed' },
 *     review: { waiting: { APPROVE: 'published', REVISE: 'write' } },
 *     published: { final: true },
 *     failed: { final: 'failure' },
 *   },
 * });
 */
export function defineMachine<
  const TId extends string,
  TState extends MachineContext,
  TInput,
  TEvent extends EventObject,
  TName extends string,
  TNode extends string = never,
  TGuard extends string = never,
  TOutput = unknown,
  TInitial = undefined,
>(
  state: StateKit<TState, TInput, unknown, TEvent> & { readonly initial?: TInitial },
  options: MachineOptions<TId, TState, TOutput, TGuard, TEvent['type'], TName, TNode> & Beginning<TState, TInput, TInitial>,
): Machine<TState, TInput, DeclaredOutput<TOutput>, TEvent, TNode> {
  assertMachine(state, options);
  const kit = state as StateKit<MachineContext, unknown, unknown, EventObject> & { initial?(input: unknown): unknown };
  const { context = kit.initial, output, guards, states: described, ...config }: Untyped = options;
  const states = toStateConfigs(described) as States;
  const build = setup({
    types: kit.types,
    actors: Object.fromEntries(nodesIn(states).map((name) => [name, kit.slot(name)])),
    guards: kit.guards((guards ?? {}) as Readonly<Record<string, Guard<MachineContext>>>),
    actions: { merge: kit.merge },
  });
  const whole = {
    ...config,
    states: withAbsoluteTargets(states, [`#${options.id}`]),
    ...(context ? { context: ({ input }: { input: unknown }) => context(input) } : {}),
    ...(output ? { output: ({ context: last }: { context: MachineContext }) => output(last) } : {}),
  };
  try {
    const machine: unknown = build.createMachine(whole as object);
    return machine as Machine<TState, TInput, DeclaredOutput<TOutput>, TEvent, TNode>; // XState's types cannot follow a config that is computed
  } catch (cause) {
    throw invalid(`The machine "${options.id}" is invalid: ${toErrorInfo(cause).message}`, cause);
  }
}

type States = Readonly<Record<string, StateLike>>;

interface StateLike {
  readonly invoke?: { readonly src?: unknown; readonly onError?: unknown };
  readonly states?: States;
}

/** Names of the nodes of these states, nested ones included. */
function nodesIn(states: States): readonly string[] {
  return [
    ...new Set(
      Object.values(states).flatMap(({ invoke, states: inside }) => [
        ...(typeof invoke?.src === 'string' ? [invoke.src] : []),
        ...(inside ? nodesIn(inside) : []),
      ]),
    ),
  ];
}

/** The same states, with edges to states outside their group replaced by absolute targets. */
function withAbsoluteTargets(states: States, at: readonly string[]): States {
  const around = at.slice(0, -2).join('.');
  return Object.fromEntries(
    Object.entries(states).map(([name, state]) => {
      const { invoke, states: inside } = state;
      return [
        name,
        {
          ...state,
          ...(invoke?.onError ? { invoke: { ...invoke, onError: toAbsoluteEdges(invoke.onError, around) } } : {}),
          ...(inside ? { states: withAbsoluteTargets(inside, [...at, name]) } : {}),
        },
      ];
    }),
  );
}

function toAbsoluteEdges(edges: unknown, around: string): unknown {
  if (Array.isArray(edges)) return edges.map((edge) => toAbsoluteEdges(edge, around));
  if (typeof edges !== 'object' || edges === null || !('target' in edges)) return edges;
  const { target } = edges;
  const isBeside = typeof target === 'string' && target.startsWith(siblingPrefix);
  return isBeside ? { ...edges, target: `${around}.${target.slice(siblingPrefix.length)}` } : edges;
}

/** Repeats the type check for callers without types. */
function assertMachine(state: unknown, options: unknown): void {
  if (typeof state !== 'object' || state === null || !('slot' in state) || !('merge' in state))
    throw invalid(
      'The first argument of defineMachine is not a state. Pass the result of schemaState or defineState, and then { id, initial, states }.',
    );
  const { id, states } = (options ?? {}) as { readonly id?: unknown; readonly states?: unknown };
  if (typeof id !== 'string') throw invalid('The machine has no id.');
  if (typeof states !== 'object' || states === null) throw invalid('The machine has no states.');
  const none = Object.entries(states).find(([, each]) => typeof each !== 'object' || each === null);
  if (none) throw invalid(`The state "${none[0]}" of the machine is not an object.`);
}

const invalid = (message: string, cause?: unknown): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message,
    hint: 'Correct the call of defineMachine. The target of an edge is a sibling state, or #machine.state.',
    cause,
  });
