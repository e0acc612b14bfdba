import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type ExecutableActionObject,
  getStateNodes,
} from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import { edgeName, partName, pathOf, timerNames, visitStates, waitingStates } from '../define/graph.ts';
import { findMerger, withoutPayload } from '../define/state.ts';
import { PlacedStart } from './migrated.ts';
import { noActor, refuseSpawn } from './no-actor.ts';
import { statePath } from './state-path.ts';
import type { Move, Position, Stepper, TakenEdge } from './stepper.ts';
import { dropUndone, type Names, toCommand } from './to-command.ts';

interface XStatePosition extends Position {
  readonly snapshot: AnyMachineSnapshot;
}

/**
 * Moves a machine by XState's own pure functions.
 *
 * All uses of undocumented XState behaviour are in this file and in `table-stepper.ts`. `test/contract/xstate.test.ts` checks each of them
 * against the installed version.
 *
 * @param options.everyEdge Also reports the edges that follow automatically in the same move: `always` and `state.done`. @default false
 */
export function xstateStepper(original: AnyStateMachine, { everyEdge = false }: { readonly everyEdge?: boolean } = {}): Stepper {
  const { machine, asThrown } = watchGuards(original);
  const address = createAddress(machine);
  const names: Names = { paths: invokePaths(machine), timers: timerNames(machine) };
  const waiting = waitingStates(machine);
  const merger = findMerger(original); // from the original, because the watched copy has other guards
  let eventless = false;
  visitStates(machine, ({ always }) => {
    eventless ||= always !== undefined;
  });
  const take = (snapshot: AnyMachineSnapshot, edges: readonly TakenEdge[]): Move => {
    if (snapshot.status === 'error') throw snapshot.error;
    assertNoSpawn(snapshot, names);
    const commands = dropUndone(address.actions().flatMap((action) => toCommand(machine, names, action) ?? []));
    const position: XStatePosition = {
      snapshot,
      state: snapshot.context,
      where: statePath(snapshot.value),
      done: snapshot.status === 'done',
      output: snapshot.output,
      waits:
        waiting.size > 0 && snapshot.hasTag('waiting')
          ? [...new Set(getStateNodes(machine.root, snapshot.value))].flatMap((node) => waiting.get(node.id) ?? [])
          : [],
      ...(everyEdge ? { history: historyOf(snapshot) } : {}),
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
        const { snapshot, steps } = withWatchedGuards(at, () => machine.getInitialSnapshot(at, input));
        return take(snapshot, steps.flat());
      });
    },
    move(position, event) {
      const { snapshot } = position as XStatePosition;
      const at = address.scope(undefined);
      return asThrown(() => {
        if (!everyEdge || event.type.startsWith('xstate.error.')) {
          const transitions = machine.getTransitionData(snapshot, event);
          if (transitions.length > 0 && !everyEdge) {
            const edges = transitions.map((transition) => toTakenEdge(transition, edgeName(event.type, transition.source)));
            return take(machine.transition(snapshot, event, at), edges);
          }
          if (transitions.length === 0 && (!eventless || event.type.startsWith('xstate.error.'))) return undefined;
        }
        // Guards see the state as the event would make it. So an event that no edge takes can still open an `always` edge.
        const { snapshot: next, steps } = withWatchedGuards(at, () => machine.transition(snapshot, event, at));
        const taken = steps.filter((edges) => edges.length > 0);
        return taken[0] && take(next, everyEdge ? taken.flat() : taken[0]);
      });
    },
  };
}

const historyOf = ({ historyValue }: AnyMachineSnapshot): string =>
  Object.entries(historyValue)
    .map(([id, nodes]) => `${id}=${nodes.map((node) => node.id)}`)
    .join();

interface Address {
  /** Scope for the pure functions of XState. Clears the collected actions. */
  scope(input: unknown): AnyActorScope;
  /** Actions that those functions have requested since. */
  actions(): readonly ExecutableActionObject[];
}

/** One scope serves every run. Its actor is never started: it is only the address that the pure functions require. */
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

/** Makes a move and records the edges of each of its steps. */
function withWatchedGuards(
  { system }: AnyActorScope,
  move: () => AnyMachineSnapshot,
): { readonly snapshot: AnyMachineSnapshot; readonly steps: readonly (readonly TakenEdge[])[] } {
  const steps: (readonly TakenEdge[])[] = [];
  const watching = system.inspect((seen) => {
    if (seen.type !== '@xstate.microstep') return;
    steps.push(
      seen._transitions.map((transition) => toTakenEdge(transition, edgeName(transition.eventType, transition.source) || 'always')),
    );
  });
  try {
    return { snapshot: move(), steps };
  } finally {
    watching.unsubscribe();
  }
}

const toTakenEdge = ({ source, guard }: AnyTransitionDefinition, on: string): TakenEdge => {
  const name = partName(guard);
  return { from: pathOf(source), on, ...(name === undefined ? {} : { guard: name }) };
};

/** Fails when a context or an assign has spawned a child, which is in the snapshot although no state invokes it. */
function assertNoSpawn({ children }: AnyMachineSnapshot, { paths }: Names): void {
  for (const child in children) if (!paths.has(child)) refuseSpawn();
}

/** Path of the state of each invocation, by the invocation's id. */
function invokePaths(machine: AnyStateMachine): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  visitStates(machine, (state) => {
    for (const { id } of state.invoke) paths.set(id, pathOf(state));
  });
  return paths;
}

interface WatchedMachine {
  readonly machine: AnyStateMachine;
  /** Runs `work` and rethrows the original error of a guard, because XState wraps only its message in an error of its own. */
  asThrown<T>(work: () => T): T;
}

/** Returns the same machine with guards that record their errors. */
function watchGuards(original: AnyStateMachine): WatchedMachine {
  const thrown: { readonly error: unknown }[] = [];
  const watch = (guard: unknown): unknown => {
    if (typeof guard !== 'function') return guard;
    return (args: unknown, params: unknown): unknown => {
      try {
        return guard(args, params);
      } catch (error) {
        thrown.push({ error });
        throw error;
      }
    };
  };
  const { guards } = original.implementations;
  const machine: AnyStateMachine = original.provide({
    guards: Object.fromEntries(Object.entries(guards).map(([name, guard]) => [name, watch(guard)])),
  });
  machine.options = original.options;
  return {
    machine,
    asThrown(work) {
      thrown.length = 0;
      try {
        return work();
      } catch (error) {
        const [first] = thrown;
        throw first ? first.error : toLoopError(machine, error);
      }
    },
  };
}

/** Converts XState's endless-loop error to `ENDLESS_LOOP`. Returns any other error unchanged. */
function toLoopError(machine: AnyStateMachine, error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith('Infinite loop detected')) return error;
  return new WorkflowError({
    code: 'ENDLESS_LOOP',
    message: `The machine "${machine.id}" took ${machine.options.maxIterations} edges in one move without reaching a stable state.`,
    hint: 'Break the loop of "always" and "state.done" edges with a state that runs a node, waits or ends.',
    data: { machine: machine.id, microsteps: machine.options.maxIterations ?? null },
    cause: error,
  });
}
