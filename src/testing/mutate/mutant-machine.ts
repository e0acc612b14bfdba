import type { AnyStateMachine, MachineContext } from 'xstate';
import { type GraphEdge, pathOf, targetsOf, visitStates } from '../../engine/define/graph.ts';
import type { Guard } from '../../engine/define/guard.ts';
import { kitGuardOf, type Merger, mergerOf, toMergeAction, toXStateGuard } from '../../engine/define/state.ts';
import { type MutantEdge, nameOfQuestion, type Question } from './mutation.ts';
import { shiftNumber } from './shift-number.ts';

interface StateConfig {
  readonly invoke?: unknown;
  readonly states?: Readonly<Record<string, StateConfig>>;
}

/** Edges of a state for the same event. */
export interface Place {
  readonly state: string;
  readonly on: string;
}

/** Returns the machine with other edges in one place. */
export function mutantMachine(machine: AnyStateMachine, place: Place, rivals: readonly MutantEdge[]): AnyStateMachine {
  const ids = new Map<string, string>();
  visitStates(machine, (state) => void ids.set(pathOf(state), state.id));
  const edges = rivals.map(({ edge, question }) => toConfig(edge, question, ids));
  const added = rivals.flatMap(({ question }) => (question && isNew(question) ? [question] : []));
  const { implementations } = machine;
  const guards = Object.fromEntries(added.map((question) => [nameOfQuestion(question), toGuard(implementations.guards, question)]));
  const config = inState(machine.config as StateConfig, place.state.split('.'), (state) => ({
    ...state,
    ...slotOf(state, place.on, edges),
  }));
  return machineWith(machine, config, { guards: { ...implementations.guards, ...guards } });
}

/** Returns the machine with another merger. Guards hold their merger, so they are wrapped again, too. */
export function withMerger(machine: AnyStateMachine, merger: Merger): AnyStateMachine {
  const { actions, guards } = machine.implementations;
  return machineWith(machine, machine.config, {
    actions: mapped(actions, (action) => (mergerOf(action) ? toMergeAction(merger) : action)),
    guards: mapped(guards, (guard) => {
      const kit = kitGuardOf(guard);
      return kit ? toXStateGuard({ ...kit, merger }) : guard;
    }),
  });
}

const mapped = (parts: Readonly<Record<string, unknown>>, change: (part: unknown) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, change(part)]));

/** Returns the machine with another config, or with other actions and guards. */
export function machineWith(machine: AnyStateMachine, config: object, implementations: object = {}): AnyStateMachine {
  // uses the machine's own class: an import would add all of XState to every bundle
  const Machine = machine.constructor as new (config: object, implementations: object) => AnyStateMachine;
  const made = new Machine(config, { ...machine.implementations, ...implementations });
  made.options = machine.options;
  return made;
}

const isNew = ({ shift, negated }: Question): boolean => shift !== undefined || negated;

function toConfig(edge: GraphEdge, question: Question | undefined, ids: ReadonlyMap<string, string>): object {
  const targets = targetsOf(edge).map((path) => `#${ids.get(path)}`);
  return {
    ...(targets.length > 0 ? { target: targets } : {}),
    ...(question ? { guard: nameOfQuestion(question) } : {}),
    reenter: edge.reenter,
    actions: edge.actions,
  };
}

function toGuard(guards: Readonly<Record<string, unknown>>, { guard, shift, negated }: Question): unknown {
  const original = kitGuardOf(guards[guard]);
  if (!original) return guards[guard]; // lint has already rejected such a machine
  const seen: Guard<MachineContext> = shift ? shiftNumber(original.predicate, shift.path, shift.by) : original.predicate;
  return toXStateGuard({ ...original, predicate: negated ? (state) => !seen(state) : seen });
}

function inState(config: StateConfig, [key, ...deeper]: readonly string[], change: (state: StateConfig) => StateConfig): StateConfig {
  if (key === undefined) return change(config);
  const inside = config.states?.[key] ?? {};
  return { ...config, states: { ...config.states, [key]: inState(inside, deeper, change) } };
}

/** Returns the part of a state's config that holds the edges. */
function slotOf(state: StateConfig, on: string, edges: readonly object[]): object {
  const { invoke, on: events, after } = state as { invoke?: unknown; on?: object; after?: object };
  if (on === 'done' || on === 'error') {
    const [node]: readonly unknown[] = Array.isArray(invoke) ? invoke : [invoke];
    return { invoke: { ...(node as object), [on === 'done' ? 'onDone' : 'onError']: edges } };
  }
  if (on === 'always') return { always: edges };
  if (on === 'state.done') return { onDone: edges };
  if (on.startsWith('after ')) return { after: { ...after, [on.slice('after '.length)]: edges } };
  return { on: { ...events, [on]: edges } };
}
