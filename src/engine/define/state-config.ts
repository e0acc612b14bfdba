import type { MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { isObject } from '../../core/util/is-object.ts';
import type { EdgesTo, EdgeTo, StateDescriptions } from './state-description.ts';

/** An edge: the name of its target, or an object with more. */
export type Edge = EdgeTo<string, string>;

/** Edges in evaluation order. */
export type Edges = EdgesTo<string, string>;

/** Edges by event type, or by a timer's milliseconds. */
type EdgeMap = Readonly<Record<string | number, Edges>>;

/** Names in a state's config; exists only in types. */
interface StateNames {
  readonly node: string;
  readonly target: string;
  readonly guard: string;
  readonly event: string;
}

/** A state as plain XState config; `defineMachine` checks its names. */
export interface StateConfig<TNames extends StateNames> {
  /** Phantom: carries the types, never set. */
  readonly names?: TNames;
}

/** The targets of edges. */
export type TargetOf<TEdges> = TEdges extends string
  ? TEdges
  : TEdges extends readonly (infer TEdge)[]
    ? TargetOf<TEdge>
    : TEdges extends { readonly target: infer TTarget extends string }
      ? TTarget
      : never;

/** The guards of edges. */
export type GuardOf<TEdges> = TEdges extends readonly (infer TEdge)[]
  ? GuardOf<TEdge>
  : TEdges extends { readonly guard: infer TGuard extends string }
    ? TGuard
    : never;

/** All names in a group of states, without those of plain config. */
type NamesOf<TStates> = {
  readonly [K in keyof StateNames]: {
    [S in keyof TStates]: TStates[S] extends StateConfig<infer TNames> ? LiteralName<TNames[K]> : never;
  }[keyof TStates];
};

type LiteralName<TName extends string> = string extends TName ? never : TName;

interface NodeEdges<TDone extends Edges, TError extends Edges> {
  /** Next state after the node's patch. */
  readonly done: TDone;
  /** Next state after the node has failed. */
  readonly error: TError;
  readonly description?: string;
}

type NodeConfig<TNode extends string, TDone, TError> = StateConfig<{
  readonly node: TNode;
  readonly target: TargetOf<TDone> | TargetOf<TError>;
  readonly guard: GuardOf<TDone> | GuardOf<TError>;
  readonly event: never;
}>;

/**
 * A state that runs a node.
 * @deprecated Write `{ node: 'write', done, error }`.
 * @example write: node('write', { done: [{ guard: 'isGood', target: 'review' }, 'write'], error: 'failed' })
 */
export function node<const TNode extends string, const TDone extends Edges, const TError extends Edges>(
  name: TNode,
  edges: NodeEdges<TDone, TError>,
): NodeConfig<TNode, TDone, TError> {
  const { done, error, description } = requireObject(edges, `{ node: '${typeof name === 'string' ? name : '…'}', done, error }`);
  const input = ({ context }: { context: MachineContext }): MachineContext => context;
  return config({ description, invoke: config({ src: name, input, onDone: withMerge(done), onError: withMerge(error) }) });
}

interface StateOptions<TAfter extends EdgeMap> {
  /** Timers: milliseconds and the next state. */
  readonly after?: TAfter;
  readonly description?: string;
}

/**
 * A state that waits for a human.
 * @deprecated Write `{ waiting: { APPROVE: 'published' } }`.
 * @example review: waiting({ APPROVE: 'published', REVISE: 'write' }, { after: { 86_400_000: 'failed' } })
 */
export function waiting<const TOn extends EdgeMap, const TAfter extends EdgeMap = Readonly<Record<never, never>>>(
  on: TOn,
  { after, description }: StateOptions<TAfter> = {},
): StateConfig<{
  readonly node: never;
  readonly target: TargetOf<TOn[keyof TOn]> | TargetOf<TAfter[keyof TAfter]>;
  readonly guard: GuardOf<TOn[keyof TOn]> | GuardOf<TAfter[keyof TAfter]>;
  readonly event: keyof TOn & string;
}> {
  const edges = Object.entries(requireObject(on, "{ waiting: { EVENT: 'target' } }")).map(([type, each]) => [type, withMerge(each)]);
  return config({ description, tags: 'waiting', on: Object.fromEntries(edges), after });
}

/**
 * A state that ends a run or a group of states.
 * @deprecated Write `{ final: true }` or `{ final: 'failure' }`.
 * @param outcome required where an error edge leads to the state.
 */
export const final = (outcome?: 'failure' | 'success'): StateConfig<NoNames> => config({ type: 'final', tags: outcome });

interface NoNames {
  readonly node: never;
  readonly target: never;
  readonly guard: never;
  readonly event: never;
}

/**
 * Nodes that run at the same time, each in its own region. The first failure stops the others.
 * @deprecated Write `{ nodes: ['web', 'archive'], done, error }`.
 *
 * @throws {WorkflowError} `WORKFLOW_INVALID` for a duplicate name.
 */
export function parallelNodes<const TNode extends string, const TDone extends Edges, const TError extends Edges>(
  names: readonly TNode[],
  edges: NodeEdges<TDone, TError>,
): NodeConfig<TNode, TDone, TError> {
  const { done, error, description } = requireObject(edges, "{ nodes: ['a', 'b'], done, error }");
  if (!Array.isArray(names)) throw invalid("`nodes` is not a list of names. Write { nodes: ['a', 'b'], done, error }");
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalid(`\`nodes\` names "${twice}" twice`);
  const region = (name: string): readonly [string, object] => [
    name,
    { initial: 'run', states: { run: node(name, { done: 'end', error: toOuterEdges(error) }), end: final() } },
  ];
  return config({ description, type: 'parallel', states: Object.fromEntries(names.map(region)), onDone: toEdgeList(done) });
}

/** States inside a state. */
interface Group<
  TName extends string,
  TNode extends string,
  TTarget extends string,
  TGuard extends string,
  TEvent extends string,
  TDone extends Edges,
  TAfter extends EdgeMap,
> extends StateOptions<TAfter> {
  /** Initial state inside the group. */
  readonly initial: NoInfer<TName>;
  readonly states: StateDescriptions<TName, TNode, TTarget, TGuard, TEvent>;
  /** Next state after a final state inside is reached; omit it in a region of a parallel state. */
  readonly done?: TDone;
}

/** Targets outside a group. Any other target becomes a sentence, which no machine accepts as a target. */
type OutsideOf<TTarget extends string> = TTarget extends `#${string}` ? TTarget : `no sibling state has the name "${TTarget}"`;

/** A state with nested states. An edge to the outside names its target as `#machine.state`. */
export function nested<
  const TName extends string,
  const TNode extends string = never,
  const TTarget extends string = never,
  const TGuard extends string = never,
  const TEvent extends string = never,
  const TDone extends Edges = never,
  const TAfter extends EdgeMap = Readonly<Record<never, never>>,
>(
  group: Group<TName, TNode, TTarget, TGuard, TEvent, TDone, TAfter>,
): StateConfig<{
  readonly node: TNode;
  readonly target: OutsideOf<Exclude<TTarget, TName>> | TargetOf<TDone> | TargetOf<TAfter[keyof TAfter]>;
  readonly guard: TGuard | GuardOf<TDone> | GuardOf<TAfter[keyof TAfter]>;
  readonly event: TEvent;
}> {
  const { initial, states, done, after, description } = requireObject(group, 'nested({ initial, states })');
  return config({ description, initial, states: toStateConfigs(states), onDone: toEdgeList(done), after });
}

type GroupConfig<TStates, TDone, TAfter extends EdgeMap> = StateConfig<{
  readonly node: NamesOf<TStates>['node'];
  readonly target: NamesOf<TStates>['target'] | TargetOf<TDone> | TargetOf<TAfter[keyof TAfter]>;
  readonly guard: NamesOf<TStates>['guard'] | GuardOf<TDone> | GuardOf<TAfter[keyof TAfter]>;
  readonly event: NamesOf<TStates>['event'];
}>;

/** Regions that are active at the same time. The state is done once every region is. */
export function parallel<
  const TRegions extends object,
  const TDone extends Edges,
  const TAfter extends EdgeMap = Readonly<Record<never, never>>,
>(
  group: {
    /** A `nested` state for each region. */
    readonly states: TRegions;
    /** Next state after every region has reached a final state. */
    readonly done: TDone;
  } & StateOptions<TAfter>,
): GroupConfig<TRegions, TDone, TAfter> {
  const { states, done, after, description } = requireObject(group, 'parallel({ states, done })');
  return config({ description, type: 'parallel', states, onDone: toEdgeList(done), after });
}

/** The states as XState config. */
export const toStateConfigs = (states: object): object =>
  Object.fromEntries(Object.entries(states).map(([name, state]) => [name, toStateConfig(name, state)]));

/** The keys of all descriptions together, after the types have been checked. */
interface DescribedState extends NodeEdges<Edges, Edges>, StateOptions<EdgeMap> {
  readonly node?: string;
  readonly nodes?: readonly string[];
  readonly waiting?: EdgeMap;
  readonly final?: true | 'failure' | 'success';
}

/** Keys of each kind of state, besides `description`. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  node: ['done', 'error'],
  nodes: ['done', 'error'],
  waiting: ['after'],
  final: [],
};

/** Repeats the type check for callers without types. Otherwise a key that the kind of state does not have would have no effect. */
function assertKeys(name: string, state: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(state).filter((key) => state[key] !== undefined);
  const kind = given.find((key) => Object.hasOwn(kinds, key));
  if (kind === undefined) return; // plain XState config
  const keys = [kind, ...(kinds[kind] ?? []), 'description'];
  const strange = given.find((key) => !keys.includes(key));
  if (strange !== undefined) throw invalid(`"${name}" has the key "${strange}" beside "${kind}". Its keys are ${keys.join(', ')}`);
  const outcomes: readonly unknown[] = [true, 'failure', 'success'];
  if (kind === 'final' && !outcomes.includes(state.final)) {
    throw invalid(`\`final\` of "${name}" is ${JSON.stringify(state.final)}. Write true, 'failure' or 'success'`);
  }
}

/** The XState config of a state as data; any other value unchanged. */
function toStateConfig(stateName: string, state: unknown): unknown {
  if (!isObject(state)) return state;
  assertKeys(stateName, state);
  const { node: name, nodes, waiting: on, final: outcome, ...rest } = state as Partial<DescribedState>;
  const edges = rest as NodeEdges<Edges, Edges>; // the linter reports a missing edge
  if (name !== undefined) return node(name, edges);
  if (nodes !== undefined) return parallelNodes(nodes, edges);
  if (on !== undefined) return waiting(on, rest);
  return outcome === undefined ? state : { ...final(outcome === true ? undefined : outcome), ...rest };
}

/** Prefix of a target beside the group, used in edges two levels inside it; `defineMachine` replaces it by an absolute target. */
export const siblingPrefix = '../../';

/** The same edges for a state two levels deeper. */
function toOuterEdges(edges: Edges): Edges {
  if (isList(edges)) return edges.map((edge) => toOuterEdges(edge) as Edge);
  if (typeof edges === 'string') return edges.startsWith('#') ? edges : `${siblingPrefix}${edges}`;
  return typeof edges?.target === 'string' ? { ...edges, target: toOuterEdges(edges.target) as string } : edges;
}

/** XState's types do not check target names in a list of edges. */
const toEdgeList = (edges: Edges | undefined): object | string | undefined =>
  isList(edges) ? edges.map((edge) => (typeof edge === 'string' ? { target: edge } : edge)) : edges;

// `Array.isArray` does not narrow a readonly array
const isList = (edges: Edges | undefined): edges is readonly Edge[] => Array.isArray(edges);

/** Drops `undefined` members, because XState reads them as present. */
const config = (members: object): object => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

function withMerge(edges: Edges): object | undefined {
  if (isList(edges)) return edges.map((edge) => withMerge(edge));
  if (typeof edges === 'string') return { target: edges, actions: 'merge' };
  return edges ? { ...edges, actions: 'merge' } : undefined; // lint reports a missing edge
}

/** Repeats the type check for callers without types. */
function requireObject<T>(options: T, form: string): T {
  if (isObject(options)) return options;
  throw invalid(`its description is not an object. Write ${form}`);
}

const invalid = (why: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `A state is invalid: ${why}.`,
    hint: 'Correct the description of the state.',
  });
