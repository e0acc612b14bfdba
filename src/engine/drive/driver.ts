import type { EventObject, MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json } from '../../core/ports/json.ts';
import type { TextGuard } from '../../core/ports/text-guard.ts';
import { guardsAt, guardValueNow, inputContext } from '../../core/util/apply-guards.ts';
import { joinGuards } from '../../core/util/check-guards.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import { isObject } from '../../core/util/is-object.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import type { Stop } from '../../core/util/stop.ts';
import { taintOfError } from '../../core/util/tainted-error.ts';
import { toJson } from '../../core/util/to-json.ts';
import { definitionError, mutationOf } from '../define/definition-error.ts';
import { marksOf, patchOf, subStructureOf } from '../define/node.ts';
import { attempterOf } from './attempter.ts';
import { type DriveEnd, toDriveEnd } from './drive-end.ts';
import { DriverIo, type NodePlace } from './driver-io.ts';
import type { Host, Outcome } from './host.ts';
import { InProgress } from './in-progress.ts';
import { PlacedStart } from './migrated.ts';
import type { RunInspection } from './run-inspection.ts';
import type { Command, Move, Position, Stepper } from './stepper.ts';
import { type RunnableWorkflow, stepperOf } from './stepper-of.ts';
import { toMachineEvent } from './to-machine-event.ts';

/** Place of a workflow that runs inside a node of another workflow. */
interface Nesting {
  /** Prefix of every key. */
  readonly prefix?: string;
  /** `Stop` of the node. Leaving the node stops the work in progress of its workflow. */
  readonly stop?: Stop;
  /** Guards of the workflows around it. They apply before its own. */
  readonly guards?: readonly TextGuard[];
}

/**
 * Drives a workflow to a final state. No other code moves a machine.
 *
 * @param nesting Place of a workflow that runs inside a node of another workflow.
 * @throws {WorkflowError} `NO_EDGE` when no edge takes an outcome; any error that the host throws.
 */
export async function drive(workflow: RunnableWorkflow, input: unknown, host: Host, nesting: Nesting = {}): Promise<DriveEnd> {
  const run = new Drive(workflow, input, host, nesting);
  try {
    for (;;) {
      const end = run.perform();
      if (end) return end;
      run.take(...(await host.next(run.pending, nesting.stop)));
    }
  } finally {
    run.stop();
  }
}

class Drive {
  readonly #workflow: RunnableWorkflow;
  readonly #stepper: Stepper;
  readonly #host: Host;
  readonly #guards: readonly TextGuard[];
  /** Node in which the workflow runs. */
  readonly #inside: string | undefined;
  readonly #inProgress: InProgress;
  readonly #inspect: ReturnType<RunInspection['begin']> | undefined;
  #at: Move;
  /** Error that the last error edge was taken for. */
  #lastError: ErrorInfo | undefined;

  constructor(workflow: RunnableWorkflow, input: unknown, host: Host, { prefix = '', guards }: Nesting) {
    this.#workflow = workflow;
    this.#stepper = stepperOf(workflow, input);
    this.#host = host;
    this.#guards = joinGuards(guards, workflow.guards);
    this.#inside = prefix === '' ? undefined : prefix.slice(0, -1);
    this.#inProgress = new InProgress(prefix, input instanceof PlacedStart ? input.at.visits : undefined);
    const inside = this.#inside === undefined ? {} : { node: this.#inside };
    this.#inspect = host.inspection?.begin({ runId: host.runId, workflow, input, ...inside });
    this.#at = this.#begin(input);
  }

  get pending(): ReadonlyMap<string, Promise<Outcome>> {
    return this.#inProgress.pending;
  }

  /** Starts the work of the last move. @returns the end, if the machine has reached a final state. */
  perform(): DriveEnd | undefined {
    const inProgress = this.#inProgress;
    const { commands, position } = this.#at;
    for (const command of commands) this.#perform(command);
    if (position.done) return toDriveEnd(this.#workflow.machine, position, this.#lastError);
    if (position.waits.length > 0 || inProgress.waits > 0) this.#openWaits(position);
    if (inProgress.pending.size === 0) throw noEdge(`Nothing is in progress in "${position.where}"`, position.where);
    return undefined;
  }

  /** Moves the machine by an outcome. */
  take(key: string, outcome: Outcome): void {
    const { position } = this.#at;
    const live = this.#inProgress.take(key);
    if (!live) throw noEdge(`The host returned an outcome for "${key}", which is not pending`, position.where);
    if ('error' in outcome) this.#lastError = outcome.error;
    const event = toMachineEvent(live, outcome);
    this.#inspect?.(event, key);
    const next = this.#move(position, event);
    if (!next) throw noEdge(`"${position.where}" has no edge for ${describe(outcome)} of "${key}"`, position.where);
    for (const edge of next.edges) this.#host.emit({ type: 'edge', ...edge, to: next.position.where }, this.#inside);
    this.#at = next;
  }

  /** Stops all work in progress. */
  stop(): void {
    this.#inProgress.stopAll(this.#at.position.where);
  }

  #begin(input: unknown): Move {
    try {
      const first = this.#stepper.begin(input);
      Object.freeze(first.position.state); // the machine has frozen the values inside
      return first;
    } catch (thrown) {
      throw machineError(this.#workflow, thrown);
    }
  }

  #move(position: Position, event: EventObject): Move | undefined {
    try {
      const next = this.#stepper.move(position, event);
      if (next && this.#stepper.engine === 'xstate') Object.freeze(next.position.state); // a table's state is frozen by its merge
      return next;
    } catch (thrown) {
      throw machineError(this.#workflow, thrown);
    }
  }

  #perform(command: Command): void {
    const host = this.#host;
    const inProgress = this.#inProgress;
    const { id } = command;
    if (command.type === 'stop') {
      inProgress.stop(id);
    } else if (command.type === 'delay') {
      const key = inProgress.nextKey(command.name);
      const stop = inProgress.add(key, id, 'timer', command.event);
      inProgress.await(key, host.sleep(key, command.delayMs, stop));
    } else {
      const key = inProgress.nextKey(command.path);
      const stop = inProgress.add(key, id, 'node');
      host.emit({ type: 'node-start', key, attempt: host.attempt(key) });
      const nested = subStructureOf(command.handler) !== undefined;
      inProgress.await(
        key,
        host.step(key, () => runNode(command, { key, host, stop, guards: this.#guards }), stop, nested),
      );
    }
  }

  #openWaits(position: Position): void {
    const inProgress = this.#inProgress;
    inProgress.keepWaits(position.waits.map(({ path }) => path));
    for (const { path, accepts } of position.waits) {
      if (inProgress.isWaiting(path)) continue;
      const key = inProgress.nextKey(path);
      const stop = inProgress.add(key, path, 'wait');
      const check = (event: HumanEvent): HumanEvent => this.#check(event, accepts);
      inProgress.await(key, this.#host.waitEvent(key, { accepts, check, ...questionOf(this.#workflow, path, position.state) }, stop));
    }
  }

  #check(event: HumanEvent, accepts: readonly string[]): HumanEvent {
    if (!accepts.includes(event.type)) throw eventNotAccepted(event, accepts, 'is not accepted in this state');
    const parsed = this.#guarded(toJson(this.#stepper.parse(event), 'event', defaultMaxOutputBytes));
    if (!isEvent(parsed)) throw eventNotAccepted(event, accepts, 'is not an event after it is parsed');
    if (!this.#move(this.#at.position, { ...parsed })) throw eventNotAccepted(event, accepts, 'is rejected by the guards of this state');
    return parsed;
  }

  /** An answer is input, too. Its verdicts are stored with it. */
  #guarded(event: Json): Json {
    const guards = guardsAt(this.#guards, 'input');
    if (guards.length === 0 || !isObject(event)) return event;
    const { type, ...payload } = event;
    const checked = guardValueNow(guards, payload, inputContext, (verdict) => this.#host.emit(verdict, this.#inside));
    return isObject(checked) ? { ...checked, ...(type === undefined ? {} : { type }) } : checked;
  }
}

/** Wraps an error that a function of the machine has thrown, unless it is a `WorkflowError`. */
const machineError = ({ machine }: RunnableWorkflow, thrown: unknown): WorkflowError =>
  WorkflowError.isInstance(thrown) ? thrown : definitionError(`A function of the machine "${machine.id}"`, thrown);

function questionOf(
  { questions, expiresInMs }: RunnableWorkflow,
  path: string,
  state: MachineContext,
): { readonly question?: Json; readonly expiresInMs?: number } {
  try {
    const question = questions?.[path]?.(state);
    const expiry = expiresInMs === undefined ? {} : { expiresInMs };
    return question === undefined ? expiry : { question: toJson(question, 'question'), ...expiry };
  } catch (thrown) {
    throw definitionError(`The question of "${path}"`, thrown);
  }
}

const describe = (outcome: Outcome): string => {
  if ('error' in outcome) return `the failure (${outcome.error.code}: ${outcome.error.message})`;
  if ('event' in outcome) return `the event ${outcome.event.type}`;
  return 'output' in outcome ? 'the result' : 'the end';
};

const noEdge = (what: string, state: string): WorkflowError =>
  new WorkflowError({
    code: 'NO_EDGE',
    message: `${what}.`,
    hint: 'Add an edge without a guard to the state. lintWorkflow finds such states.',
    data: { state },
  });

const isEvent = (value: Json): value is HumanEvent => isObject(value) && typeof value.type === 'string';

const eventNotAccepted = (event: HumanEvent, accepts: readonly string[], why: string): WorkflowError =>
  new WorkflowError({
    code: 'EVENT_NOT_ACCEPTED',
    message: `The event ${event.type} ${why}.`,
    hint: accepts.includes(event.type) ? 'Send it with other values, or another event.' : `Send one of ${accepts.join(', ')}.`,
    data: { event: event.type, accepts: [...accepts] },
  });

type Start = Extract<Command, { type: 'start' }>;

/** Runs a node, in one attempt or with its handler's attempter. */
function runNode(start: Start, place: NodePlace): Promise<Outcome> {
  const attempt = attempterOf(start.handler);
  if (!attempt) return runHandler(start, start.handler, place);
  const { key, host, stop } = place;
  return attempt(key, host, stop, (run, halt, steps) => runHandler(start, run, { ...place, stop: halt, steps }));
}

/** Runs a handler and its steps to their end. A step that outlived its node would lose its result. */
async function runHandler({ handler, state }: Start, run: Start['handler'], place: NodePlace): Promise<Outcome> {
  const { key } = place;
  const io = new DriverIo(place, marksOf(handler).maxOutputBytes ?? defaultMaxOutputBytes);
  let outcome: Outcome;
  try {
    outcome = { output: patchOf(handler, await run(state, io), state) };
  } catch (error) {
    outcome = toFailure(mutationOf(error, `The node "${key}"`) ?? error, io);
  }
  const ending = io.end();
  const unseen = ending && (await ending);
  if (unseen && 'output' in outcome) outcome = toFailure(unseen.cause, io);
  return outcome;
}

function toFailure(thrown: unknown, io: DriverIo): Outcome {
  const taint = taintOfError(thrown);
  return { error: deepFreeze(io.toError(thrown)), ...(taint && { taint }) };
}
