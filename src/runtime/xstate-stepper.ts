import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
  createActor,
  type EventObject,
  type ExecutableActionObject,
  getStateNodes,
  type MachineContext,
  type StateValue,
} from 'xstate';
import { WorkflowError } from '../errors.ts';
import { edgeName, pathOf, timerNames, visitStates, waitingStates } from '../workflow/graph.ts';
import { handlerOf } from '../workflow/node.ts';
import { findMerger, withoutPayload } from '../workflow/state.ts';
import { noActor, refuseSpawn } from './no-actor.ts';
import type { Effect, Move, Position, Stepper, TakenEdge } from './stepper.ts';

/** A position that remembers XState's own. */
interface XStatePosition extends Position {
  readonly snapshot: AnyMachineSnapshot;
}

/**
 * Moves a machine by XState's own pure functions.
 *
 * The parts of XState that its documentation does not promise are all in this file and in `table-stepper.ts`;
 * `test/contract/xstate.test.ts` holds each of them against the installed version.
 */
export function xstateStepper(original: AnyStateMachine): Stepper {
  const { machine, asThrown } = watchGuards(original);
  let actions: ExecutableActionObject[] = [];
  let made: AnyActorScope | undefined;
  // One scope serves every run: the actor in it is never started, it is only the address that the pure functions ask for.
  const scope = (input: unknown): AnyActorScope => {
    if (made) return made;
    const self = createActor(machine, { input });
    made = {
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
    return made;
  };
  const names: Names = { paths: invokePaths(machine), timers: timerNames(machine) };
  const waiting = waitingStates(machine);
  const merger = findMerger(machine);
  let eventless = false;
  visitStates(machine, ({ always }) => {
    eventless ||= always !== undefined;
  });
  const take = (snapshot: AnyMachineSnapshot, edges: readonly TakenEdge[]): Move => {
    if (snapshot.status === 'error') throw snapshot.error;
    assertNoSpawn(snapshot, names);
    const effects = lasting(actions.flatMap((action) => toEffect(machine, names, action) ?? []));
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
    return { position, effects, edges };
  };
  return {
    engine: 'xstate',
    parse: (event) => (merger ? merger.parse(event) : withoutPayload(event)),
    begin(input) {
      const at = scope(input);
      actions = [];
      return asThrown(() => take(machine.getInitialSnapshot(at, input), []));
    },
    move(position, event) {
      const { snapshot } = position as XStatePosition;
      const at = scope(undefined);
      actions = [];
      return asThrown(() => {
        const transitions = machine.getTransitionData(snapshot, event);
        if (transitions.length > 0) {
          const edges = transitions.map((transition) => toTaken(transition, edgeName(event.type, transition.source)));
          return take(machine.transition(snapshot, event, at), edges);
        }
        if (!eventless || event.type.startsWith('xstate.error.')) return undefined;
        // guards see the state as the event would make it: an event that no edge takes can open an `always` edge all the same
        const edges: TakenEdge[] = [];
        const watching = at.system.inspect((seen) => {
          if (seen.type !== '@xstate.microstep' || edges.length > 0) return;
          edges.push(...seen._transitions.map((transition) => toTaken(transition, 'always')));
        });
        try {
          const next = machine.transition(snapshot, event, at);
          return edges.length === 0 ? undefined : take(next, edges);
        } finally {
          watching.unsubscribe();
        }
      });
    },
  };
}

const toTaken = ({ source, guard }: AnyTransitionDefinition, on: string): TakenEdge => ({
  from: pathOf(source),
  on,
  ...(typeof guard === 'string' ? { guard } : {}),
});

interface Watched {
  readonly machine: AnyStateMachine;
  /** Does a piece of work, and throws what a guard in it threw: XState throws its text in an error of its own. */
  asThrown<T>(work: () => T): T;
}

function watchGuards(original: AnyStateMachine): Watched {
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
        throw first ? first.error : toThrown(machine, error);
      }
    },
  };
}

/** What XState throws, as it is thrown on. */
function toThrown(machine: AnyStateMachine, error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.startsWith('Infinite loop detected')) return error;
  return new WorkflowError({
    code: 'ENDLESS_LOOP',
    message: `The machine "${machine.id}" took ${machine.options.maxIterations} edges in one move and did not come to rest.`,
    hint: 'Break the circle of "always" and "state.done" edges: let one of its states run a node, wait, or end.',
    data: { machine: machine.id, microsteps: machine.options.maxIterations ?? null },
    cause: error,
  });
}

/** What invocations and timers are called in the journal: made of paths, as XState's ids change with the machine's. */
interface Names {
  readonly paths: ReadonlyMap<string, string>;
  readonly timers: ReadonlyMap<string, string>;
}

/** XState's effects carry parameters that its types leave out. */
interface EffectParameters {
  readonly id: string;
  readonly src: string;
  readonly input: MachineContext;
  readonly event: EventObject;
  readonly delay: number | undefined;
  readonly sendId: string;
}

function toEffect(machine: AnyStateMachine, names: Names, action: ExecutableActionObject): Effect | undefined {
  const params = action.params as unknown as EffectParameters | undefined;
  switch (action.type) {
    case 'xstate.spawnChild': {
      const handler = params && handlerOf(machine.implementations.actors[params.src]);
      if (!handler) break;
      return {
        type: 'start',
        id: params.id,
        path: names.paths.get(params.id) ?? params.id,
        handler,
        state: params.input,
      };
    }
    case 'xstate.stopChild':
      return params && { type: 'stop', id: params.id };
    case 'xstate.raise': // without a delay it was taken already, within the move
      if (params?.delay === undefined) return undefined;
      if (!(params.delay >= 0 && params.delay < Number.POSITIVE_INFINITY)) throw delayInvalid(machine, params);
      return {
        type: 'delay',
        id: params.event.type,
        name: names.timers.get(params.event.type) ?? params.event.type,
        event: params.event,
        delayMs: params.delay,
      };
    case 'xstate.cancel':
      return params && { type: 'stop', id: params.sendId };
  }
  throw new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `The machine "${machine.id}" asks for the effect "${action.type}", which the driver does not perform.`,
    hint: 'Do the work in a node.',
  });
}

const delayInvalid = ({ id }: AnyStateMachine, { event, delay }: EffectParameters): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_INVALID',
    message: `A delay of the machine "${id}" was computed as ${delay}, for ${event.type}.`,
    hint: 'Return a finite number of milliseconds from 0 on.',
  });

/** The effects without those that the same move undoes: what is entered and left at once never starts, as under a live actor. */
function lasting(effects: readonly Effect[]): readonly Effect[] {
  if (effects.length < 2) return effects;
  const kept: Effect[] = [];
  for (const effect of effects) {
    const undone = effect.type === 'stop' ? kept.findLastIndex(({ type, id }) => type !== 'stop' && id === effect.id) : -1;
    if (undone < 0) kept.push(effect);
    else kept.splice(undone, 1);
  }
  return kept;
}

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

/** `{ both: { left: 'run', right: 'end' } }` as `both.left.run|both.right.end`. */
function toWhere(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([key, inner]) =>
      inner === undefined || (typeof inner === 'object' && Object.keys(inner).length === 0) ? key : prefix(key, toWhere(inner)),
    )
    .join('|');
}

const prefix = (key: string, where: string): string =>
  where
    .split('|')
    .map((part) => `${key}.${part}`)
    .join('|');
