import type { AnyStateMachine, EventObject, MachineContext } from 'xstate';
import { edgeName, partName, pathOf, timerNames, type WaitingState, waitingStates } from '../define/graph.ts';
import type { Guard } from '../define/guard.ts';
import { handlerOf } from '../define/node.ts';
import { findMerger, kitGuardOf, type Merger, mergerOf, withoutPayload } from '../define/state.ts';
import { noActor, refuseSpawn } from './no-actor.ts';
import type { Command, Move, Position, Stepper, TakenEdge } from './stepper.ts';

type StateNode = AnyStateMachine['root'];

interface Row {
  readonly id: string;
  readonly path: string;
  readonly final: boolean;
  readonly waits: readonly WaitingState[];
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  /** Commands on entering the state, in XState's order: timers, then the node. */
  readonly entering: readonly Start[];
  readonly leaving: readonly Command[];
}

type Start = (state: MachineContext, event: EventObject) => Command;

interface Edge {
  readonly taken: readonly TakenEdge[];
  readonly passes: Guard<MachineContext> | undefined;
  /** `undefined` when the edge stays in its state. */
  readonly target: string | undefined;
  readonly merges: boolean;
}

interface TablePosition extends Position {
  readonly row: Row;
}

const self = noActor();

/**
 * Moves a flat machine by a table of its states and edges, several times faster than XState.
 *
 * A machine is flat when its states are nodes, waiting states and final states at the top level. Timers, guards and `merge` are allowed.
 * For any other machine, returns the reason. `test/property/steppers.test.ts` checks that the two engines move equally.
 */
export function tableStepper(machine: AnyStateMachine): Stepper | { readonly reason: string } {
  const rows = new Map<string, Row>();
  const merger = findMerger(machine);
  const table: Table = { machine, merger, waits: waitingStates(machine), timers: timerNames(machine) };
  for (const node of Object.values(machine.root.states)) {
    const row = toRow(node as StateNode, table);
    if (typeof row === 'string') return { reason: `${pathOf(node as StateNode)}: ${row}` };
    rows.set(row.path, row);
  }
  const { context, output } = machine.config;
  const { initial } = machine.root;
  const first = rows.get(pathOf(initial?.target?.[0]));
  if (!first || machine.root.type !== 'compound') return { reason: 'it has no initial state' };
  if (initial.actions.some((action) => !isMerge(action, table))) return { reason: 'its initial edge has an action other than state.merge' };

  const outputOf = ({ id }: Row, state: MachineContext): unknown => {
    if (typeof output !== 'function') return output;
    // XState requires the types of this one machine, which a table for any machine does not have
    return output({ context: state, event: { type: `xstate.done.state.${id}`, output: undefined }, self } as never);
  };
  const enter = (row: Row, state: MachineContext, event: EventObject, leaving: readonly Command[], edges: readonly TakenEdge[]): Move => {
    const commands = [...leaving];
    for (const start of row.entering) commands.push(start(state, event));
    const position: TablePosition = {
      row,
      state,
      where: row.path,
      done: row.final,
      output: row.final ? outputOf(row, state) : undefined,
      waits: row.waits,
    };
    return { position, commands, edges };
  };

  return {
    engine: 'table',
    parse: (event) => (merger ? merger.parse(event) : withoutPayload(event)),
    begin(input) {
      const event = { type: 'xstate.init', input };
      // copy the function's result, as XState does
      const made = typeof context === 'function' ? { ...context({ input, spawn: refuseSpawn, self }) } : (context ?? {});
      const state = merger && initial.actions.length > 0 ? merger.merge(made, event) : made;
      return enter(first, state, event, [], []);
    },
    move(position, event) {
      const { row, state } = position as TablePosition;
      let after: MachineContext | undefined; // lazy, because a reducer's error must not fail an edge without guard and merge
      for (const edge of row.edges.get(event.type) ?? []) {
        if (edge.passes || edge.merges) after ??= merger?.merge(state, event) ?? state;
        if (edge.passes && after && !edge.passes(after)) continue;
        const next = edge.merges && after ? after : state;
        if (edge.target === undefined) return { position: { ...position, state: next } as TablePosition, commands: [], edges: edge.taken };
        return enter(rows.get(edge.target) ?? first, next, event, row.leaving, edge.taken);
      }
      return undefined;
    },
  };
}

interface Table {
  readonly machine: AnyStateMachine;
  readonly merger: Merger | undefined;
  readonly waits: ReadonlyMap<string, WaitingState>;
  readonly timers: ReadonlyMap<string, string>;
}

/** Returns the row of a state, or the reason why it has none. */
function toRow(node: StateNode, table: Table): Row | string {
  if (node.type !== 'atomic' && node.type !== 'final') return `it is a ${node.type} state`;
  if (node.always?.length) return 'it has "always" edges';
  if (node.output !== undefined) return 'it has its own output';
  if (node.type === 'final' && node.invoke.length + node.transitions.size > 0) return 'it is final but has a node or edges';
  const edges = new Map<string, readonly Edge[]>();
  for (const [type, transitions] of node.transitions) {
    const compiled = transitions.map((transition) => toEdge(transition, edgeName(type, node), node, table));
    const reason = compiled.find((edge) => typeof edge === 'string');
    if (reason !== undefined) return reason;
    edges.set(type, compiled as Edge[]);
  }
  const entering: Start[] = [];
  const leaving: Command[] = [];
  for (const { eventType, delay } of new Map(node.after.map((timer) => [timer.eventType, timer])).values()) {
    const delayMs = typeof delay === 'string' ? table.machine.implementations.delays[delay] : delay;
    if (typeof delayMs !== 'number') return 'its delay is computed';
    const event = { type: eventType };
    entering.push(() => ({ type: 'delay', id: eventType, name: table.timers.get(eventType) ?? eventType, event, delayMs }));
    leaving.push({ type: 'stop', id: eventType });
  }
  const path = pathOf(node);
  const [invoke] = node.invoke;
  if (invoke) {
    const handler = typeof invoke.src === 'string' ? handlerOf(table.machine.implementations.actors[invoke.src]) : undefined;
    if (!handler) return 'its node has no handler';
    const { id, input } = invoke;
    const inputOf: (state: MachineContext, event: EventObject) => MachineContext =
      typeof input === 'function' ? (state, event) => input({ context: state, event, self }) : () => input;
    entering.push((state, event) => ({ type: 'start', id, path, handler, state: inputOf(state, event) }));
    leaving.push({ type: 'stop', id });
  }
  const waiting = table.waits.get(node.id);
  return { id: node.id, path, final: node.type === 'final', waits: waiting ? [waiting] : [], edges, entering, leaving };
}

function toEdge(
  { guard, target, reenter, actions }: NonNullable<StateNode['always']>[number],
  on: string,
  source: StateNode,
  table: Table,
): Edge | string {
  const name = partName(guard);
  const known = name === undefined ? undefined : kitGuardOf(table.machine.implementations.guards[name]);
  if (guard !== undefined && known?.merger !== table.merger) return 'it has a guard from outside state.guards({ … })';
  const [to] = target ?? [];
  if ((target?.length ?? 0) > 1 || (to && to.parent !== source.parent)) return 'it has an edge to several states, or to a nested one';
  if (to === source && !reenter) return 'it has an edge to itself without "reenter: true"';
  if (actions.some((action) => !isMerge(action, table))) return 'it has an action other than state.merge';
  const taken = { from: pathOf(source), on, ...(name === undefined ? {} : { guard: name }) };
  return {
    taken: [taken],
    passes: known?.predicate,
    target: to && pathOf(to),
    merges: actions.length > 0,
  };
}

function isMerge(action: unknown, { machine, merger }: Table): boolean {
  const name = partName(action);
  return name !== undefined && merger !== undefined && mergerOf(machine.implementations.actions[name]) === merger;
}
