import type { MachineContext } from 'xstate';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Interrupt } from '../../core/ports/run-event.ts';
import type { JournalEntry, RunStore } from '../../core/ports/run-store.ts';
import { deepFreeze } from '../../core/util/deep-freeze.ts';
import type { Stop } from '../../core/util/stop.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { driveOf } from '../drive/drive-of.ts';
import { drive } from '../drive/driver.ts';
import type { Host, Outcome, Wait } from '../drive/host.ts';
import { toInterrupt } from '../drive/interrupt.ts';
import { machineInputOf, migrationOf } from '../drive/migrated.ts';
import { outcomeOf } from '../drive/outcome-of.ts';
import type { Position } from '../drive/stepper.ts';
import { stepperOf } from '../drive/stepper-of.ts';
import type { EmittedEvent } from '../journal/emitted-events.ts';
import { speakerOf } from '../journal/event-log.ts';
import { endsWait, expirySuffix } from '../journal/journal-index.ts';
import type { StoredRun } from './stored-runs.ts';
import { threadBefore } from './thread-state.ts';

/** Position and state of a machine that has taken all outcomes of a journal. */
export interface RunPosition {
  /** Paths of the innermost active states. */
  readonly where: readonly string[];
  readonly state: MachineContext;
  readonly interrupts: readonly Interrupt[];
  /** Keys of the running timers. */
  readonly timers: readonly string[];
  /** Keys of the nodes at work. */
  readonly atWork: readonly string[];
  /** Number of the last outcome that the machine had received at each interrupt, by the interrupt's key. */
  readonly entered: Readonly<Record<string, number>>;
  /** Number of events that the run's own drive had emitted when the machine received the last outcome. */
  readonly told: number;
  /** True when the machine has reached a final state. */
  readonly isDone: boolean;
}

/**
 * Replays a journal to its end on a workflow. Executes no nodes and writes nothing.
 *
 * @throws {WorkflowError} `JOURNAL_DIVERGED` when the machine does not take the outcomes of the journal; any error that the machine throws.
 */
export async function runPosition(store: RunStore, clock: Clock, workflow: AnyWorkflow, stored: StoredRun): Promise<RunPosition> {
  const { record, entries } = stored;
  const thread = (await threadBefore(store, clock, workflow, stored)) ?? workflow.thread?.initial ?? null;
  return positionFrom(machineInputOf(workflow, record, entries, thread), clock, workflow, stored);
}

/**
 * Does the same as `runPosition`, from the given machine input.
 *
 * @param entered Entries of questions that were asked before, see `RunPosition`.
 */
export async function positionFrom(
  machineInput: unknown,
  clock: Clock,
  workflow: AnyWorkflow,
  { record, entries }: StoredRun,
  entered?: RunPosition['entered'],
): Promise<RunPosition> {
  const host = new ReplayOnlyHost(record.id, record.startedAt, clock, entries, entered);
  const stepper = stepperOf(workflow, machineInput);
  let position: Position = stepper.begin(machineInput).position;
  host.inspection = {
    begin: () => (event) => {
      // copy the event, because the merger remembers events by identity
      position = stepper.move(position, { ...event })?.position ?? position;
    },
    rest: () => {},
  };
  let isDone = true;
  try {
    await drive(workflow, machineInput, host);
  } catch (cause) {
    if (cause !== atEnd) throw cause;
    isDone = false;
  }
  host.assertUsedUp(position.where);
  return { where: position.where.split('|'), state: position.state, ...host.rest, told: host.told, isDone };
}

type Rest = Omit<RunPosition, 'where' | 'state' | 'told' | 'isDone'>;

class ReplayOnlyHost implements Host {
  readonly runId: string;
  readonly startedAt: number;
  readonly clock: Clock;
  inspection: Host['inspection'];
  /** Work that is open at the end of the journal. */
  rest: Rest = { interrupts: [], timers: [], atWork: [], entered: {} };
  /** See `RunPosition`. */
  told = 0;
  #emitted = 0;
  readonly #interrupts = new Map<string, { readonly interrupt: Interrupt; readonly entered: number }>();
  readonly #timers = new Set<string>();
  readonly #atWork = new Set<string>();
  /** Outcomes that the machine has not taken yet, by key. */
  readonly #outcomes: Map<string, JournalEntry>;
  readonly #entries: readonly JournalEntry[];
  readonly #enteredBefore: Readonly<Record<string, number>>;
  #delivered: number | undefined;

  constructor(runId: string, startedAt: number, clock: Clock, entries: readonly JournalEntry[], entered?: RunPosition['entered']) {
    const at = entries.findLastIndex(migrationOf);
    const last = entries[at];
    this.runId = runId;
    this.startedAt = startedAt;
    this.clock = clock;
    this.#entries = entries;
    this.#enteredBefore = entered ?? (last && migrationOf(last)?.open) ?? {};
    const own = entries.slice(at + 1).filter(({ kind, key }) => endsWait(kind) && driveOf(key) === '');
    this.#outcomes = new Map(own.map((entry) => [entry.key, entry]));
  }

  step(key: string, _work: unknown, stop: Stop): Promise<Outcome> {
    this.#atWork.add(key);
    stop.onAbort(() => this.#atWork.delete(key));
    return never;
  }

  memo(): Promise<never> {
    return Promise.reject(atEnd);
  }

  recorded(): readonly string[] {
    return [];
  }

  waitEvent(key: string, wait: Wait, stop: Stop): Promise<Outcome> {
    const entered = this.#delivered ?? this.#enteredBefore[key] ?? 0;
    this.#interrupts.set(key, { interrupt: toInterrupt(this.runId, key, entered, wait), entered });
    // a question that was renewed is told once for each expiry
    this.#emitted += Math.max(1, this.#entries.filter((entry) => entry.key === `${key}${expirySuffix}`).length);
    stop.onAbort(() => this.#interrupts.delete(key));
    return never;
  }

  sleep(key: string, _delayMs: number, stop: Stop): Promise<Outcome> {
    this.#timers.add(key);
    stop.onAbort(() => this.#timers.delete(key));
    return never;
  }

  async next(pending: ReadonlyMap<string, Promise<Outcome>>): Promise<readonly [key: string, outcome: Outcome]> {
    const [first] = [...pending.keys()].flatMap((key) => this.#outcomes.get(key) ?? []).sort((a, b) => a.seq - b.seq);
    if (!first) throw this.#end();
    const { key } = first;
    for (const open of [this.#outcomes, this.#interrupts, this.#timers, this.#atWork]) open.delete(key);
    this.#delivered = first.seq;
    this.told = this.#emitted;
    return [key, deepFreeze(outcomeOf(first))];
  }

  /** Saves the open work, which the driver stops when it ends. */
  #end(): WorkflowError {
    const interrupts = [...this.#interrupts];
    this.rest = {
      interrupts: interrupts.map(([, { interrupt }]) => interrupt),
      entered: Object.fromEntries(interrupts.map(([key, { entered }]) => [key, entered])),
      timers: [...this.#timers],
      atWork: [...this.#atWork],
    };
    return atEnd;
  }

  emit(event: EmittedEvent, node?: string): void {
    if (speakerOf(event, node) === '') this.#emitted++;
  }

  attempt(): number {
    return 1;
  }

  assertUsedUp(where: string): void {
    const [left] = this.#outcomes.keys();
    if (left === undefined) return;
    throw new WorkflowError({
      code: 'JOURNAL_DIVERGED',
      message: `The journal continues with "${left}", but the machine is at "${where}".`,
      hint: 'Keep the version of the machine that wrote the journal, and give the changed machine a new version.',
      data: { expected: left, found: where },
    });
  }
}

const never: Promise<Outcome> = new Promise(() => {});

const atEnd = new WorkflowError({ code: 'RUN_SUSPENDED', message: 'The journal ends here.' });
