import type { AnyStateMachine, EventObject, MachineContext } from 'xstate';
import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json } from '../ports/json.ts';
import { deepFreeze } from '../util/deep-freeze.ts';
import { defaultMaxOutputBytes } from '../util/max-output-bytes.ts';
import { Stop } from '../util/stop.ts';
import { taintOfError } from '../util/tainted-error.ts';
import { toJson } from '../util/to-json.ts';
import { definitionError, mutationOf } from '../workflow/definition-error.ts';
import { outcomeOf } from '../workflow/graph.ts';
import { maxOutputBytesOf, subStructureOf, toPatch } from '../workflow/node.ts';
import { DriverIo } from './driver-io.ts';
import type { Host, HumanEvent, Outcome } from './host.ts';
import type { Effect, Move, Position } from './stepper.ts';
import { type Movable, stepperOf } from './stepper-of.ts';

/** Where a run ended. */
export interface DriveEnd {
  readonly finalState: string;
  readonly output: Json;
  /** What led to a final state that is tagged `failure`. */
  readonly failure?: ErrorInfo;
  readonly state: Position['state'];
}

/** Something that is in progress: a node, a timer, or a wait. */
interface Live {
  /** XState's id of the node or timer; for a wait, the path of its state. */
  readonly id: string;
  readonly kind: 'node' | 'timer' | 'wait';
  readonly stop: Stop;
  /** What a timer raises. */
  readonly event?: EventObject;
}

/** Where a workflow stands that runs inside a node of another. */
interface Nesting {
  /** Of every key. */
  readonly prefix?: string;
  /** Of the node: when it is left, so is whatever is in progress in the workflow. */
  readonly stop?: Stop;
}

/**
 * Drives a workflow to a final state: the only place that moves a machine.
 *
 * @param nesting of a workflow inside a node of another.
 * @throws {WorkflowError} `NO_EDGE` when an outcome leads nowhere; and whatever the host throws.
 */
export async function drive(workflow: Movable, input: unknown, host: Host, { prefix = '', stop: outer }: Nesting = {}): Promise<DriveEnd> {
  const stepper = stepperOf(workflow);
  const inside = prefix === '' ? undefined : prefix.slice(0, -1);
  const live = new Map<string, Live>();
  const pending = new Map<string, Promise<Outcome>>();
  const visits = new Map<string, number>();

  const nextKey = (name: string): string => {
    const visit = (visits.get(name) ?? 0) + 1;
    visits.set(name, visit);
    return `${prefix}${name}#${visit}`;
  };
  const forget = (key: string): void => {
    live.delete(key);
    pending.delete(key);
  };
  const stop = (id: string): void => {
    for (const [key, entry] of live) {
      if (entry.id !== id || entry.kind === 'wait') continue;
      entry.stop.abort(left(id));
      forget(key);
    }
  };

  const perform = (effect: Effect): void => {
    const { id } = effect;
    if (effect.type === 'stop') {
      stop(id);
      return;
    }
    const halt = new Stop();
    if (effect.type === 'delay') {
      const key = nextKey(effect.name);
      live.set(key, { id, kind: 'timer', stop: halt, event: effect.event });
      pending.set(key, host.sleep(key, effect.delayMs, halt));
      return;
    }
    const key = nextKey(effect.path);
    live.set(key, { id, kind: 'node', stop: halt });
    host.emit({ type: 'node-start', key, attempt: host.attempt(key) });
    pending.set(
      key,
      host.step(key, () => runNode(effect, key, host, halt), halt, subStructureOf(effect.handler) !== undefined),
    );
  };

  const isOpen = (path: string): boolean => {
    for (const { kind, id } of live.values()) if (kind === 'wait' && id === path) return true;
    return false;
  };
  const openWaits = (position: Position): void => {
    for (const [key, entry] of live) {
      if (entry.kind === 'wait' && !position.waits.some(({ path }) => path === entry.id)) {
        entry.stop.abort(left(entry.id));
        forget(key);
      }
    }
    for (const { path, accepts } of position.waits) {
      if (isOpen(path)) continue;
      const key = nextKey(path);
      const halt = new Stop();
      live.set(key, { id: path, kind: 'wait', stop: halt });
      const check = (event: HumanEvent): HumanEvent => checkEvent(event, accepts, at.position);
      const question = askedBy(workflow, path, position.state);
      pending.set(key, host.waitEvent(key, { accepts, check, ...question }, halt));
    }
  };
  const checkEvent = (event: HumanEvent, accepts: readonly string[], position: Position): HumanEvent => {
    if (!accepts.includes(event.type)) throw notAccepted(event, accepts, 'is not one that this state accepts');
    const parsed = toJson(stepper.parse(event), 'event', defaultMaxOutputBytes) as unknown as HumanEvent;
    if (!move(position, { ...parsed })) throw notAccepted(event, accepts, 'is not accepted in the state as it is');
    return parsed;
  };

  const move = (position: Position, event: EventObject): Move | undefined => {
    try {
      const next = stepper.move(position, event);
      if (next && stepper.engine === 'xstate') Object.freeze(next.position.state); // that of a table is frozen by its merge
      return next;
    } catch (thrown) {
      throw machineError(workflow, thrown);
    }
  };

  let at: Move = begin(workflow, input);
  /** What the last error edge was taken for. */
  let lastError: ErrorInfo | undefined;
  try {
    for (;;) {
      for (const effect of at.effects) perform(effect);
      const { position } = at;
      if (position.done) return toEnd(workflow, position, lastError);
      openWaits(position);
      if (pending.size === 0) throw noEdge(`Nothing is in progress in "${position.where}"`, position.where);
      const [key, outcome] = await host.next(pending, outer);
      const entry = live.get(key);
      if (!entry) throw noEdge(`The host answered for "${key}", which nobody waits for`, position.where);
      forget(key);
      if ('error' in outcome) lastError = outcome.error;
      const next = move(position, toEvent(entry, outcome));
      if (!next) throw noEdge(`No edge of "${position.where}" takes ${describe(outcome)} of "${key}"`, position.where);
      for (const edge of next.edges) host.emit({ type: 'edge', ...edge, to: next.position.where }, inside);
      at = next;
    }
  } finally {
    for (const { stop: halt } of live.values()) halt.abort(left(at.position.where));
  }
}

function begin(workflow: Movable, input: unknown): Move {
  try {
    const first = stepperOf(workflow).begin(input);
    Object.freeze(first.position.state); // what is in it, the machine has frozen
    return first;
  } catch (thrown) {
    throw machineError(workflow, thrown);
  }
}

/** What a function of the machine has thrown that has no name yet. */
const machineError = ({ machine }: Movable, thrown: unknown): WorkflowError =>
  WorkflowError.isInstance(thrown) ? thrown : definitionError(`A function of the machine "${machine.id}"`, thrown);

function askedBy({ questions }: Movable, path: string, state: MachineContext): { readonly question?: Json } {
  try {
    const asked = questions?.[path]?.(state);
    return asked === undefined ? {} : { question: toJson(asked, 'question') };
  } catch (thrown) {
    throw definitionError(`The question of "${path}"`, thrown);
  }
}

function outputOf({ id }: AnyStateMachine, output: unknown): Json {
  try {
    return toJson(output ?? null, 'output');
  } catch (thrown) {
    throw definitionError(`The output of the machine "${id}"`, thrown);
  }
}

function toEnd({ machine }: Movable, { where, output, state }: Position, lastError: ErrorInfo | undefined): DriveEnd {
  const failure = failureAt(machine, where, lastError);
  return { finalState: where, output: outputOf(machine, output), state, ...(failure ? { failure } : {}) };
}

/** Why an end in this final state is a failure; `undefined` when it is none. */
export function failureAt(machine: AnyStateMachine, where: string, lastError: ErrorInfo | undefined): ErrorInfo | undefined {
  const final = machine.root.states[where];
  if (!final || outcomeOf(final).outcome !== 'failure') return undefined;
  return lastError ?? toErrorInfo(workflowFailed(machine.id, where));
}

/** Runs a node and its steps to their end: a step that goes on after its node would be lost, with whatever it has done. */
async function runNode({ handler, state }: Extract<Effect, { type: 'start' }>, key: string, host: Host, stop: Stop): Promise<Outcome> {
  const maxOutputBytes = maxOutputBytesOf(handler);
  const io = new DriverIo(key, host, stop, maxOutputBytes);
  let outcome: Outcome;
  try {
    outcome = { output: toPatch(await handler(state, io), state, maxOutputBytes) };
  } catch (error) {
    outcome = toFailure(mutationOf(error, `The node "${key}"`) ?? error);
  }
  const ending = io.end();
  const unseen = ending && (await ending);
  if (unseen && 'output' in outcome) outcome = toFailure(unseen.cause);
  return outcome;
}

function toFailure(thrown: unknown): Outcome {
  const taint = taintOfError(thrown);
  return { error: deepFreeze(toErrorInfo(thrown)), ...(taint && { taint }) };
}

function toEvent({ id, kind, event }: Live, outcome: Outcome): EventObject & Record<string, unknown> {
  if (kind === 'timer') return event ?? { type: '' };
  // a copy: the merger remembers events by identity, and a journal may hand the same one to two drives
  if (kind === 'wait') return 'event' in outcome ? { ...outcome.event } : { type: '' };
  const { done, error } = endsOf(id);
  return 'error' in outcome
    ? { type: error, error: outcome.error, actorId: id, ...(outcome.taint && { taint: outcome.taint }) }
    : { type: done, output: 'output' in outcome ? outcome.output : undefined, actorId: id };
}

interface Ends {
  readonly done: string;
  readonly error: string;
}

/** What XState calls the ends of a node, by the node's id: a text that was put together anew would be hashed anew at each look into a table. */
const ends = new Map<string, Ends>();

function endsOf(id: string): Ends {
  let known = ends.get(id);
  if (!known) {
    known = { done: `xstate.done.actor.${id}`, error: `xstate.error.actor.${id}` };
    ends.set(id, known);
  }
  return known;
}

const describe = (outcome: Outcome): string => {
  if ('error' in outcome) return `the failure (${outcome.error.code}: ${outcome.error.message})`;
  if ('event' in outcome) return `the event ${outcome.event.type}`;
  return 'output' in outcome ? 'the result' : 'the end';
};

const left = (state: string): WorkflowError =>
  new WorkflowError({
    code: 'STATE_LEFT',
    message: `The run has left "${state}".`,
    hint: 'Stop the work: its result is no longer needed.',
  });

const noEdge = (what: string, state: string): WorkflowError =>
  new WorkflowError({
    code: 'NO_EDGE',
    message: `${what}.`,
    hint: 'Give the state an edge without a guard; lintWorkflow finds such states.',
    data: { state },
  });

const workflowFailed = (workflow: string, state: string): WorkflowError =>
  new WorkflowError({
    code: 'WORKFLOW_FAILED',
    message: `The workflow "${workflow}" ended in "${state}", which it calls a failure.`,
    hint: 'No node of it has thrown: its output, or the last nodes of its journal, say why.',
    data: { state },
  });

const notAccepted = (event: HumanEvent, accepts: readonly string[], why: string): WorkflowError =>
  new WorkflowError({
    code: 'EVENT_NOT_ACCEPTED',
    message: `The event ${event.type} ${why}.`,
    hint: `It accepts ${accepts.join(', ')}.`,
    data: { event: event.type, accepts: [...accepts] },
  });
