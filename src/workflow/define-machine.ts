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
import type { Guard } from './guard.ts';
import type { NodeLogic } from './node.ts';
import type { StateEvent, StateKit } from './state.ts';
import type { CheckedTargets, NamesOf, Outer, WorkflowTypeError } from './state-config.ts';

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

export interface MachineOptions<TId extends string, TState, TOutput, TGuard extends string, TStates> {
  readonly id: TId;
  /** Change it when runs of the old machine cannot go on in the new one. @default '0' */
  readonly version?: string;
  readonly description?: string;
  /** The state that a run starts in. */
  readonly initial: keyof TStates & string;
  /** What a run that has ended gives. Default: nothing. */
  readonly output?: (state: Readonly<TState>) => TOutput;
  /** Tests over the state as it will be after a node's patch. */
  readonly guards?: Readonly<Record<TGuard, Guard<TState>>>;
  /** States by their names: of `node`, `waiting`, `final`, `parallelNodes`, `nested` and `parallel`, or plain XState config. */
  readonly states: TStates & CheckedTargets<TStates>;
}

/** The state that a run begins with: of a state with a schema, what that makes of the input. */
type Beginning<TState, TInput, TInitial> = undefined extends TInitial ? { readonly context: (input: TInput) => TState } : unknown;

/** The options as they are read, once their types have been checked. */
interface Untyped {
  context?(input: unknown): unknown;
  output?(state: MachineContext): unknown;
  readonly guards?: object;
  readonly states: object;
}

/** What the states of a machine name, checked against what there is. */
type CheckedNames<TId extends string, TStates, TGuard extends string, TEvent extends string> = NothingUnknown<
  Exclude<Outer<NamesOf<TStates>['target']>, `#${TId}.${keyof TStates & string}` | `#${TId}.${keyof TStates & string}.${string}`>,
  'target'
> &
  NothingUnknown<Exclude<NamesOf<TStates>['guard'], TGuard>, 'guard'> &
  NothingUnknown<Exclude<NamesOf<TStates>['event'], TEvent>, 'event'>;

type NothingUnknown<TName extends string, TKind extends string> = [TName] extends [never]
  ? unknown
  : WorkflowTypeError<`the ${TKind} "${TName}" does not exist`>;

/**
 * Makes a machine of a state and of short descriptions of its states: what comes out is a plain XState machine, the same as one that is
 * written out with `setup({ … }).createMachine({ … })`.
 *
 * @example
 * const machine = defineMachine(state, {
 *   id: 'publish',
 *   initial: 'write',
 *   output: ({ text }) => text,
 *   states: {
 *     write: node('write', { done: 'review', error: 'failed' }),
 *     review: waiting({ APPROVE: 'published', REVISE: 'write' }),
 *     published: final(),
 *     failed: final('failure'),
 *   },
 * });
 */
export function defineMachine<
  const TId extends string,
  TState extends MachineContext,
  TInput,
  TEvent extends EventObject,
  const TStates extends object,
  TGuard extends string = never,
  TOutput = null,
  TInitial = undefined,
>(
  state: StateKit<TState, TInput, unknown, TEvent> & { readonly initial?: TInitial },
  options: MachineOptions<TId, TState, TOutput, TGuard, TStates> &
    Beginning<TState, TInput, TInitial> &
    CheckedNames<TId, TStates, TGuard, TEvent['type']>,
): Machine<TState, TInput, TOutput, TEvent, NamesOf<TStates>['node']> {
  const kit = state as StateKit<MachineContext, unknown, unknown, EventObject> & { initial?(input: unknown): unknown };
  const { context = kit.initial, output, guards, ...config }: Untyped = options;
  const machine = setup({
    types: kit.types,
    actors: Object.fromEntries(nodesIn(config.states).map((name) => [name, kit.slot(name)])),
    guards: kit.guards((guards ?? {}) as Readonly<Record<string, Guard<MachineContext>>>),
    actions: { merge: kit.merge },
  }).createMachine({
    ...config,
    ...(context ? { context: ({ input }: { input: unknown }) => context(input) } : {}),
    ...(output ? { output: ({ context: last }: { context: MachineContext }) => output(last) } : {}),
  } as object);
  return machine as unknown as Machine<TState, TInput, TOutput, TEvent, NamesOf<TStates>['node']>; // XState's types cannot follow a config that is computed
}

/** Names of the nodes that states, and those inside them, run. */
function nodesIn(states: object): readonly string[] {
  return [
    ...new Set(
      Object.values(states as Readonly<Record<string, StateLike>>).flatMap(({ invoke, states: inside }) => [
        ...(typeof invoke?.src === 'string' ? [invoke.src] : []),
        ...(inside ? nodesIn(inside) : []),
      ]),
    ),
  ];
}

interface StateLike {
  readonly invoke?: { readonly src?: unknown };
  readonly states?: object;
}
