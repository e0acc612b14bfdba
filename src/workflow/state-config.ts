import type { MachineContext } from 'xstate';
import { WorkflowError } from '../errors.ts';
import { isObject } from '../util/is-object.ts';

/** An edge: the name of its target, or more than that. */
export type Edge =
  | string
  | {
      /** A state beside this one, or one of the machine: `#machine.state`. */
      readonly target: string;
      /** Name of a guard; without one the edge is always taken. */
      readonly guard?: string;
      /** Leaves the state and enters it anew when it leads to itself. @default false */
      readonly reenter?: boolean;
      readonly description?: string;
    };

/** Edges in the order in which they are tried. */
export type Edges = Edge | readonly Edge[];

/** Edges by what they are taken on: an event's type, or a timer's milliseconds. */
type EdgeMap = Readonly<Record<string | number, Edges>>;

/** What a state's config names; only types have it. */
interface StateNames {
  readonly node: string;
  readonly target: string;
  readonly guard: string;
  readonly event: string;
}

/** A state as plain XState config; what it names is checked by `defineMachine`. */
export interface StateConfig<TNames extends StateNames> {
  /** Phantom: carries the types, never set. */
  readonly names?: TNames;
}

/** The targets of edges. */
type TargetOf<TEdges> = TEdges extends string
  ? TEdges
  : TEdges extends readonly (infer TEdge)[]
    ? TargetOf<TEdge>
    : TEdges extends { readonly target: infer TTarget extends string }
      ? TTarget
      : never;

/** The guards of edges. */
type GuardOf<TEdges> = TEdges extends readonly (infer TEdge)[]
  ? GuardOf<TEdge>
  : TEdges extends { readonly guard: infer TGuard extends string }
    ? TGuard
    : never;

/** What the states of a group name together, nothing of those that are plain config. */
export type NamesOf<TStates> = {
  readonly [K in keyof StateNames]: {
    [S in keyof TStates]: TStates[S] extends StateConfig<infer TNames> ? Known<TNames[K]> : never;
  }[keyof TStates];
};

type Known<TName extends string> = string extends TName ? never : TName;

/** Targets that lead out of a group: everything else is one of its own states. */
export type Outer<TTarget extends string> = Extract<TTarget, `#${string}`>;

/** A sentence where TypeScript would say only that something does not fit. */
export interface WorkflowTypeError<TMessage extends string> {
  readonly workflowTypeError: TMessage;
}

type Fits<TName extends string, TMessage extends string> = [TName] extends [never] ? unknown : WorkflowTypeError<TMessage>;

/** The states of a group, of which each target beside it must be one. */
export type CheckedTargets<TStates> = {
  readonly [S in keyof TStates]: CheckedTarget<Exclude<NamesOf<Pick<TStates, S>>['target'], keyof TStates | `#${string}`>>;
};

type CheckedTarget<TName extends string> = Fits<TName, `no state beside it is called "${TName}"`>;

/** Waits for a node and takes its ends: `done` and `error`. */
interface NodeEdges<TDone extends Edges, TError extends Edges> {
  /** Where it goes on with the node's patch. */
  readonly done: TDone;
  /** Where it goes on when the node has failed. */
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
 * @example write: node('write', { done: [{ guard: 'isGood', target: 'review' }, 'write'], error: 'failed' })
 */
export function node<const TNode extends string, const TDone extends Edges, const TError extends Edges>(
  name: TNode,
  edges: NodeEdges<TDone, TError>,
): NodeConfig<TNode, TDone, TError> {
  const { done, error, description } = given(edges, `node('${typeof name === 'string' ? name : '…'}', { done, error })`);
  const input = ({ context }: { context: MachineContext }): MachineContext => context;
  return config({ description, invoke: config({ src: name, input, onDone: merging(done), onError: merging(error) }) });
}

/** What else can end a wait, or what is inside a state. */
interface StateOptions<TAfter extends EdgeMap> {
  /** Timers: milliseconds, and where it goes on then. */
  readonly after?: TAfter;
  readonly description?: string;
}

/**
 * A state that waits for a human.
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
  const edges = Object.entries(given(on, 'waiting({ EVENT: target })')).map(([type, each]) => [type, merging(each)]);
  return config({ description, tags: 'waiting', on: Object.fromEntries(edges), after });
}

/**
 * A state in which a run, or a group of states, ends.
 * @param outcome Where an error edge leads to it, whether the run has failed.
 */
export const final = (outcome?: 'failure' | 'success'): StateConfig<NoNames> => config({ type: 'final', tags: outcome });

interface NoNames {
  readonly node: never;
  readonly target: never;
  readonly guard: never;
  readonly event: never;
}

/**
 * Nodes that run at the same time, each in a region of its own. The first that fails ends the others.
 *
 * @throws {WorkflowError} `WORKFLOW_INVALID` for a name that is there twice.
 */
export function parallelNodes<const TNode extends string, const TDone extends Edges, const TError extends Edges>(
  names: readonly TNode[],
  edges: NodeEdges<TDone, TError>,
): NodeConfig<TNode, TDone, TError> {
  const { done, error, description } = given(edges, 'parallelNodes(names, { done, error })');
  if (!Array.isArray(names)) throw invalid('parallelNodes was not given a list of names');
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalid(`parallelNodes was given "${twice}" twice`);
  const region = (name: string): readonly [string, object] => [
    name,
    { initial: 'run', states: { run: node(name, { done: 'end', error: outside(error) }), end: final() } },
  ];
  return config({ description, type: 'parallel', states: Object.fromEntries(names.map(region)), onDone: listed(done) });
}

/** States inside a state. */
interface Group<TStates, TDone extends Edges, TAfter extends EdgeMap> extends StateOptions<TAfter> {
  /** The state inside in which it begins. */
  readonly initial: keyof TStates & string;
  readonly states: TStates & CheckedTargets<TStates>;
  /** Where it goes on when a final state inside is reached; nowhere in a region of a parallel state. */
  readonly done?: TDone;
}

type GroupConfig<TStates, TDone, TAfter extends EdgeMap> = StateConfig<{
  readonly node: NamesOf<TStates>['node'];
  readonly target: Outer<NamesOf<TStates>['target']> | TargetOf<TDone> | TargetOf<TAfter[keyof TAfter]>;
  readonly guard: NamesOf<TStates>['guard'] | GuardOf<TDone> | GuardOf<TAfter[keyof TAfter]>;
  readonly event: NamesOf<TStates>['event'];
}>;

/** A state with states inside. An edge from inside to the outside names its target as `#machine.state`. */
export function nested<
  const TStates extends object,
  const TDone extends Edges = never,
  const TAfter extends EdgeMap = Readonly<Record<never, never>>,
>(group: Group<TStates, TDone, TAfter>): GroupConfig<TStates, TDone, TAfter> {
  const { initial, states, done, after, description } = given(group, 'nested({ initial, states })');
  return config({ description, initial, states, onDone: listed(done), after });
}

/** Regions of states that are active at the same time; it is done when each of them is. */
export function parallel<
  const TRegions extends object,
  const TDone extends Edges,
  const TAfter extends EdgeMap = Readonly<Record<never, never>>,
>(
  group: {
    /** A `nested` state for each region. */
    readonly states: TRegions;
    /** Where it goes on when every region has reached a final state. */
    readonly done: TDone;
  } & StateOptions<TAfter>,
): GroupConfig<TRegions, TDone, TAfter> {
  const { states, done, after, description } = given(group, 'parallel({ states, done })');
  return config({ description, type: 'parallel', states, onDone: listed(done), after });
}

/** Stands before the name of a state beside a group, in edges two states inside it: `defineMachine` writes where that is. */
export const besideGroup = '../';

/** The same edges, of a state two states further inside. */
function outside(edges: Edges): Edges {
  if (isList(edges)) return edges.map((edge) => outside(edge) as Edge);
  if (typeof edges === 'string') return edges.startsWith('#') ? edges : `${besideGroup}${edges}`;
  return typeof edges?.target === 'string' ? { ...edges, target: outside(edges.target) as string } : edges;
}

/** In a list of edges XState's types know no names of targets. */
const listed = (edges: Edges | undefined): object | string | undefined =>
  isList(edges) ? edges.map((edge) => (typeof edge === 'string' ? { target: edge } : edge)) : edges;

// `Array.isArray` does not narrow a readonly array
const isList = (edges: Edges | undefined): edges is readonly Edge[] => Array.isArray(edges);

/** XState reads a member that is there, even when it is `undefined`. */
const config = (members: object): object => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

/** The same edges, with the action that takes in what the node or the human has brought. */
function merging(edges: Edges): object | undefined {
  if (isList(edges)) return edges.map((edge) => merging(edge));
  if (typeof edges === 'string') return { target: edges, actions: 'merge' };
  return edges ? { ...edges, actions: 'merge' } : undefined; // lint says that it is missing
}

/** What the types say, for those who do not use them. */
function given<T>(options: T, call: string): T {
  if (isObject(options)) return options;
  throw invalid(`a state was described without its object: ${call}`);
}

const invalid = (why: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `A state cannot be described: ${why}.`,
    hint: 'Correct the description of the state.',
  });
