import { type AnyStateMachine, getStateNodes, type MachineContext, type StateValue } from 'xstate';
import type { JsonObject } from '../../core/ports/json.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { pathOf, timerNames, visitStates } from '../define/graph.ts';
import { PlacedStart } from '../drive/migrated.ts';
import { statePath } from '../drive/state-path.ts';
import type { Command } from '../drive/stepper.ts';
import { stepperOf } from '../drive/stepper-of.ts';

type StateNode = AnyStateMachine['root'];

/** Position on a machine where a run may wait. */
export interface Place {
  readonly start: PlacedStart;
  /** Durations of the timers there, by their names in the journal, in milliseconds. */
  readonly delays: ReadonlyMap<string, number>;
}

/** Returns the position with the given state paths, or the reason why a run cannot wait there. */
export function migrationPlace({ machine }: AnyWorkflow, where: readonly string[], state: JsonObject): Place | { readonly reason: string } {
  if (where.length === 0) return { reason: 'the position names no state' };
  const known = statesOf(machine);
  const unknown = where.find((path) => !known.has(path));
  if (unknown !== undefined) return { reason: `it has no state "${unknown}"` };
  const named = quote(where);
  // XState fills in omitted child states, as on entry
  const { value } = machine.resolveState({ value: toStateValue(machine, where, known), context: state });
  const leaves = statePath(value).split('|');
  if (!where.every((path) => leaves.some((leaf) => leaf === path || leaf.startsWith(`${path}.`)))) {
    return { reason: `it cannot be in ${named} at the same time` };
  }
  const active = [...new Set(getStateNodes(machine.root, value))];
  const working = active.find(({ invoke }) => invoke.length > 0);
  if (working) return { reason: `"${pathOf(working)}" runs the node "${String(working.invoke[0]?.src)}"` };
  const timers = timersOf(machine, active, state);
  const start = new PlacedStart({ value, state: deepFreeze(state), visits: {}, timers });
  const stepper = stepperOf({ machine }, start);
  const { position } = stepper.begin(start);
  if (position.done) return { reason: `${named} is final` };
  if (stepper.move(position, { type: 'agent-machines.look' })) return { reason: `${named} is left immediately` };
  if (position.waits.length === 0 && timers.length === 0) return { reason: `${named} has no event and no timer to wait for` };
  return { start, delays: new Map(timers.map(({ name, delayMs }) => [name, delayMs])) };
}

const quote = (paths: readonly string[]): string => paths.map((path) => `"${path}"`).join(' and ');

function statesOf(machine: AnyStateMachine): ReadonlyMap<string, StateNode> {
  const states = new Map<string, StateNode>();
  visitStates(machine, (state) => states.set(pathOf(state), state));
  states.delete('');
  return states;
}

interface Branch {
  [key: string]: Branch;
}

/** Converts state paths to XState's state value, by the keys on the way to each state. */
function toStateValue(machine: AnyStateMachine, where: readonly string[], known: ReadonlyMap<string, StateNode>): StateValue {
  const tree: Branch = {};
  for (const path of where) {
    let at = tree;
    for (const key of known.get(path)?.path ?? []) {
      at[key] ??= {};
      at = at[key];
    }
  }
  return toValue(machine.root, tree);
}

/** A compound state with one named child becomes that child's name. Otherwise, all named children are included. */
function toValue(node: StateNode, tree: Branch): StateValue {
  const [[key, inner] = ['', {}], ...others] = Object.entries(tree);
  if (node.type === 'compound' && others.length === 0 && Object.keys(inner).length === 0) return key;
  return Object.fromEntries(
    Object.entries(tree).map(([name, branch]) => {
      const child = node.states[name] as StateNode;
      return [name, Object.keys(branch).length > 0 ? toValue(child, branch) : startOf(child)];
    }),
  );
}

/** Initial state value of a state that is named without its children. */
const startOf = (node: StateNode): StateValue =>
  node.type === 'compound'
    ? String(node.initial.target?.[0]?.key)
    : Object.fromEntries(Object.entries(node.states).map(([key, child]) => [key, startOf(child as StateNode)]));

type Timer = Extract<Command, { readonly type: 'delay' }>;

function timersOf(machine: AnyStateMachine, active: readonly StateNode[], state: MachineContext): readonly Timer[] {
  const names = timerNames(machine);
  return active.flatMap(({ after }) =>
    [...new Map(after.map((timer) => [timer.eventType, timer])).values()].map(({ eventType: id, delay }) => ({
      type: 'delay',
      id,
      event: { type: id },
      name: names.get(id) ?? id,
      delayMs: delayOf(machine, delay, state),
    })),
  );
}

function delayOf(machine: AnyStateMachine, delay: unknown, state: MachineContext): number {
  const named: unknown = typeof delay === 'string' ? (machine.implementations.delays[delay] ?? delay) : delay;
  return Number(typeof named === 'function' ? named({ context: state, event: { type: 'xstate.init' } }, undefined) : named);
}
