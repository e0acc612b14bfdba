import type { AnyStateMachine } from 'xstate';
import type { JsonObject } from '../../core/ports/json.ts';
import { asObject } from '../../core/util/as-object.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { hash } from '../../core/util/hash.ts';
import { assertMachine } from './assert-machine.ts';

type StateNode = AnyStateMachine['root'];
type Transition = NonNullable<StateNode['always']>[number];

/** A machine's states and edges as data, for drawing, checking, testing and comparing versions. */
export interface MachineGraph {
  readonly id: string;
  readonly version: string;
  /** Path of a run's initial state. */
  readonly initial: string;
  readonly states: readonly GraphState[];
}

export interface GraphState {
  /** Keys from the root, joined with dots; unique. */
  readonly path: string;
  /** `node` runs a handler, `waiting` waits for a human, `final` ends the run or its parent, `idle` has no behaviour of its own. */
  readonly kind: 'node' | 'waiting' | 'final' | 'compound' | 'parallel' | 'idle';
  /** `''` at the top level. */
  readonly parent: string;
  /** First state inside a `compound` one. */
  readonly initial?: string;
  /** Name of the handler of a `node`. */
  readonly node?: string;
  /** Set for a history state, which is `idle`. It leads back to where its parent was left last; `default` is its edge for the first time. */
  readonly history?: 'shallow' | 'deep';
  /** Tag of a `final` state. Absent: untagged, which counts as success. */
  readonly outcome?: 'failure' | 'success';
  readonly description?: string;
  /** In evaluation order. */
  readonly edges: readonly GraphEdge[];
}

export interface GraphEdge {
  /** `done` or `error` of the node, `always`, `after 1200` (milliseconds), `state.done` of a compound state, `default` of a history state, or an event's type. */
  readonly on: string;
  /** Name of the guard; absent = always taken. */
  readonly guard?: string;
  /** Path of the target. Absent: the edge has none and the state stays. */
  readonly target?: string;
  /** Paths of all targets of an edge that enters several regions of a parallel state. */
  readonly targets?: readonly string[];
  /** True when a self edge leaves and enters its state again. */
  readonly reenter: boolean;
  /** Names of the actions. */
  readonly actions: readonly string[];
  readonly description?: string;
}

/** Name shown for a guard or action that is an inline function. */
export const inlineName = '(inline)';

/** Reads the graph of a machine. @throws {WorkflowError} `WORKFLOW_INVALID` if the argument is not a machine. */
export function toGraph(machine: AnyStateMachine): MachineGraph {
  assertMachine(machine);
  const states: GraphState[] = [];
  visitStates(machine, (state) => {
    if (state.parent) states.push(toGraphState(state));
  });
  return {
    id: machine.id,
    version: machine.version ?? '0',
    initial: pathOf(machine.root.initial?.target?.[0]),
    states,
  };
}

/** Dotted path of a state; the root's is empty. */
export const pathOf = (state: { readonly path: readonly string[] } | undefined): string => state?.path.join('.') ?? '';

function toGraphState(state: StateNode): GraphState {
  const edges: GraphEdge[] = [];
  for (const [descriptor, transitions] of state.transitions) {
    for (const transition of transitions) edges.push(toGraphEdge(edgeName(descriptor, state), transition));
  }
  for (const transition of state.always ?? []) edges.push(toGraphEdge('always', transition));
  if (state.type === 'history') edges.push(...defaultEdge(state));
  const { src } = state.invoke[0] ?? {};
  return {
    path: pathOf(state),
    kind: kindOf(state),
    parent: pathOf(state.parent),
    ...(state.type === 'compound' ? { initial: pathOf(state.initial.target?.[0]) } : {}),
    ...(src === undefined ? {} : { node: String(src) }),
    ...(state.type === 'history' ? { history: state.history === 'deep' ? 'deep' : 'shallow' } : {}),
    ...finalOutcome(state),
    ...(state.description ? { description: state.description } : {}),
    edges,
  };
}

/** Edge of a history state to the state that is entered the first time. */
function defaultEdge({ parent, config, machine }: StateNode): readonly GraphEdge[] {
  const { target } = config as { readonly target?: unknown };
  if (parent && typeof target !== 'string') return parent.type === 'compound' ? [edgeTo(parent.initial.target?.[0])] : [];
  const name = String(target);
  return [edgeTo(name.startsWith('#') ? machine.getStateNodeById(name) : name.split('.').reduce(childOf, parent))];
}

const childOf = (state: StateNode | undefined, key: string): StateNode | undefined => state?.states[key];

const edgeTo = (state: StateNode | undefined): GraphEdge => ({ on: 'default', target: pathOf(state), reenter: false, actions: [] });

function kindOf(state: StateNode): GraphState['kind'] {
  if (state.type === 'final' || state.type === 'compound' || state.type === 'parallel') return state.type;
  if (state.tags.includes('waiting')) return 'waiting';
  return state.invoke.length > 0 ? 'node' : 'idle';
}

/** Outcome of a run that ends in this final state. A state tagged both ways counts as a failure. */
export function finalOutcome({ type, tags }: Pick<StateNode, 'type' | 'tags'>): Pick<GraphState, 'outcome'> {
  if (type !== 'final') return {};
  if (tags.includes('failure')) return { outcome: 'failure' };
  return tags.includes('success') ? { outcome: 'success' } : {};
}

function toGraphEdge(on: string, { guard, target, reenter, actions, description }: Transition): GraphEdge {
  return {
    on,
    ...(guard === undefined ? {} : { guard: nameOf(guard) }),
    ...(target?.[0] ? { target: pathOf(target[0]) } : {}),
    ...(target && target.length > 1 ? { targets: target.map(pathOf) } : {}),
    reenter,
    actions: actions.map(nameOf),
    ...(description ? { description } : {}),
  };
}

/** Paths of an edge's targets; none if the state stays. */
export const targetsOf = ({ target, targets }: GraphEdge): readonly string[] => targets ?? (target === undefined ? [] : [target]);

/** Name in the drawing of an XState event type. */
export function edgeName(eventType: string, { id }: { readonly id: string }): string {
  if (eventType.startsWith('xstate.done.actor.')) return 'done';
  if (eventType.startsWith('xstate.error.actor.')) return 'error';
  if (eventType.startsWith('xstate.done.state.')) return 'state.done';
  const after = 'xstate.after.';
  return eventType.startsWith(after) ? `after ${eventType.slice(after.length, -id.length - 1)}` : eventType;
}

/** Journal names of timers by event type: `review after 1200`. */
export function timerNames(machine: AnyStateMachine): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  visitStates(machine, (state) => {
    for (const { eventType } of state.after) names.set(eventType, `${pathOf(state)} ${edgeName(eventType, state)}`);
  });
  return names;
}

/** The waiting states of a machine by id, with the events that they and their ancestors accept. */
export function waitingStates(machine: AnyStateMachine): ReadonlyMap<string, WaitingState> {
  const waiting = new Map<string, WaitingState>();
  visitStates(machine, (state) => {
    if (!state.tags.includes('waiting')) return;
    const accepts = new Set<string>();
    for (let at: StateNode | undefined = state; at; at = at.parent) {
      for (const type of at.transitions.keys()) if (!type.startsWith('xstate.')) accepts.add(type);
    }
    waiting.set(state.id, { path: pathOf(state), accepts: [...accepts] });
  });
  return waiting;
}

/** A state that waits for a human. */
export interface WaitingState {
  /** Path of the state. */
  readonly path: string;
  /** Event types. */
  readonly accepts: readonly string[];
}

/** Visits every state, parents first. */
export function visitStates(machine: AnyStateMachine, visit: (state: StateNode) => void): void {
  const visitTree = (state: StateNode): void => {
    visit(state);
    for (const child of Object.values(state.states)) visitTree(child as StateNode);
  };
  visitTree(machine.root);
}

/** Name of a guard or action: `'ready'`, or `{ type: 'ready' }` as Stately's editor writes it; `undefined` for a function. */
export const partName = (part: unknown): string | undefined => {
  if (typeof part === 'string') return part;
  return typeof part === 'object' && part !== null && 'type' in part ? String(part.type) : undefined;
};

const nameOf = (part: unknown): string => partName(part) ?? inlineName;

/** The part of a graph that decides how a journal is replayed, without descriptions. */
export function toStructure({ id, version, initial, states }: MachineGraph): JsonObject {
  return {
    id,
    version,
    initial,
    states: Object.fromEntries(
      states.map(({ path, kind, parent, initial: first, node, edges }) => [
        path,
        {
          kind,
          parent,
          ...(first === undefined ? {} : { initial: first }),
          ...(node === undefined ? {} : { node }),
          edges: edges.map(({ description: _, actions, targets, ...edge }) => ({
            ...edge,
            ...(targets ? { targets: [...targets] } : {}),
            actions: [...actions],
          })),
        },
      ]),
    ),
  };
}

/** Fingerprint of a structure; equal for machines that replay a journal the same way. */
export const structureHash = (structure: JsonObject): string => hash(canonicalJson(structure));

/** Differences between two structures, in words. */
export function structureDifferences(before: JsonObject, after: JsonObject): readonly string[] {
  const differences: string[] = [];
  for (const key of ['id', 'version', 'initial']) {
    if (before[key] !== after[key]) differences.push(`${key} was ${text(before[key])} and is ${text(after[key])}`);
  }
  if (text(before.workflows) !== text(after.workflows)) differences.push('a workflow inside a node has changed');
  if (text(before.guards) !== text(after.guards)) differences.push('its guards have changed');
  const [old, now] = [asObject(before.states), asObject(after.states)];
  for (const path of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (!Object.hasOwn(now, path)) differences.push(`state "${path}" is gone`);
    else if (!Object.hasOwn(old, path)) differences.push(`state "${path}" is new`);
    else if (text(old[path]) !== text(now[path])) differences.push(`state "${path}" has changed`);
  }
  return differences;
}

const text = (value: JsonObject[string] | undefined): string => canonicalJson(value ?? null);
