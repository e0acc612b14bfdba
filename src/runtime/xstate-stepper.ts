import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type ExecutableActionObject,
  getStateNodes,
} from 'xstate';
import { edgeName, partName, pathOf, timerNames, visitStates, waitingStates } from '../workflow/graph.ts';
import { findMerger, withoutPayload } from '../workflow/state.ts';
import { PlacedStart } from './migrated.ts';
import { noActor, refuseSpawn } from './no-actor.ts';
import type { Move, Position, Stepper, TakenEdge } from './stepper.ts';
import { lasting, type Names, toCommand } from './to-command.ts';
import { toWhere } from './to-where.ts';
import { watchGuards } from './watch-guards.ts';

/** A position that remembers XState's own. */
interface XStatePosition extends Position {
  readonly snapshot: AnyMachineSnapshot;
}

/**
 * Moves a machine by XState's own pure functions.
 *
 * The parts of XState that its documentation does not promise are all in this file and in `table-stepper.ts`;
 * `test/contract/xstate.test.ts` holds each of them against the installed version.
 *
 * @param options.everyEdge Tells of the edges, too, that follow by themselves in the same move: `always` and `state.done`. @default false
 */
export function xstateStepper(original: AnyStateMachine, { everyEdge = false }: { readonly everyEdge?: boolean } = {}): Stepper {
  const { machine, asThrown } = watchGuards(original);
  const address = createAddress(machine);
  const names: Names = { paths: invokePaths(machine), timers: timerNames(machine) };
  const waiting = waitingStates(machine);
  const merger = findMerger(original); // the watched copy has other guards
  let eventless = false;
  visitStates(machine, ({ always }) => {
    eventless ||= always !== undefined;
  });
  const take = (snapshot: AnyMachineSnapshot, edges: readonly TakenEdge[]): Move => {
    if (snapshot.status === 'error') throw snapshot.error;
    assertNoSpawn(snapshot, names);
    const commands = lasting(address.actions().flatMap((action) => toCommand(machine, names, action) ?? []));
    const position: XStatePosition = {
      snapshot,
      state: snapshot.context,
      where: toWhere(snapshot.value),
      done: snapshot.status === 'done',
      output: snapshot.output,
      waits:
        waiting.size > 0 && snapshot.hasTag('waiting')
          ? [...new Set(getStateNodes(machine.root, snapshot.value))].flatMap((node) => waiting.get(node.id) ?? [])
          : [],
    };
    return { position, commands, edges };
  };
  return {
    engine: 'xstate',
    parse: (event) => (merger ? merger.parse(event) : withoutPayload(event)),
    begin(input) {
      const at = address.scope(input);
      return asThrown(() => {
        if (input instanceof PlacedStart) {
          const { value, state, timers } = input.at;
          return { ...take(machine.resolveState({ value, context: state }), []), commands: timers };
        }
        if (!everyEdge) return take(machine.getInitialSnapshot(at, input), []);
        const { snapshot, steps } = watched(at, () => machine.getInitialSnapshot(at, input));
        return take(snapshot, steps.flat());
      });
    },
    move(position, event) {
      const { snapshot } = position as XStatePosition;
      const at = address.scope(undefined);
      return asThrown(() => {
        const transitions = machine.getTransitionData(snapshot, event);
        if (transitions.length > 0 && !everyEdge) {
          const edges = transitions.map((transition) => toTaken(transition, edgeName(event.type, transition.source)));
          return take(machine.transition(snapshot, event, at), edges);
        }
        if (transitions.length === 0 && (!eventless || event.type.startsWith('xstate.error.'))) return undefined;
        // guards see the state as the event would make it: an event that no edge takes can open an `always` edge all the same
        const { snapshot: next, steps } = watched(at, () => machine.transition(snapshot, event, at));
        const taken = steps.filter((edges) => edges.length > 0);
        return taken[0] && take(next, everyEdge ? taken.flat() : taken[0]);
      });
    },
  };
}

interface Address {
  /** What the pure functions of XState are given; from here on its actions are collected anew. */
  scope(input: unknown): AnyActorScope;
  /** What they have asked for since. */
  actions(): readonly ExecutableActionObject[];
}

/** One scope serves every run: the actor in it is never started, it is only the address that the pure functions ask for. */
function createAddress(machine: AnyStateMachine): Address {
  let actions: ExecutableActionObject[] = [];
  let made: AnyActorScope | undefined;
  const make = (input: unknown): AnyActorScope => {
    const self = createActor(machine, { input });
    return {
      self: noActor(self.system),
      system: self.system,
      id: self.id,
      sessionId: self.sessionId,
      logger: () => {},
      defer: () => {},
      emit: () => {},
      stopChild: () => {},
      actionExecutor: (action) => {
        actions.push(action);
      },
    };
  };
  return {
    scope(input) {
      made ??= make(input);
      actions = [];
      return made;
    },
    actions: () => actions,
  };
}

/** A move, and the edges of each step of it. */
function watched(
  { system }: AnyActorScope,
  move: () => AnyMachineSnapshot,
): { readonly snapshot: AnyMachineSnapshot; readonly steps: readonly (readonly TakenEdge[])[] } {
  const steps: (readonly TakenEdge[])[] = [];
  const watching = system.inspect((seen) => {
    if (seen.type !== '@xstate.microstep') return;
    steps.push(seen._transitions.map((transition) => toTaken(transition, edgeName(transition.eventType, transition.source) || 'always')));
  });
  try {
    return { snapshot: move(), steps };
  } finally {
    watching.unsubscribe();
  }
}

const toTaken = ({ source, guard }: AnyTransitionDefinition, on: string): TakenEdge => {
  const name = partName(guard);
  return { from: pathOf(source), on, ...(name === undefined ? {} : { guard: name }) };
};

/** A context or an assign that spawned has put a child into the snapshot that no state invokes. */
function assertNoSpawn({ children }: AnyMachineSnapshot, { paths }: Names): void {
  for (const child in children) if (!paths.has(child)) refuseSpawn();
}

/** Which state each invocation belongs to. */
function invokePaths(machine: AnyStateMachine): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  visitStates(machine, (state) => {
    for (const { id } of state.invoke) paths.set(id, pathOf(state));
  });
  return paths;
}
