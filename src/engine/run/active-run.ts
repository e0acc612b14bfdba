import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { ModelBudget } from '../../core/ports/model-budget.ts';
import type { RunEvent, TokenUsage } from '../../core/ports/run-event.ts';
import type { AcquiredRun, JournalEntry, Lease, RunStatus, RunStore } from '../../core/ports/run-store.ts';
import { sumUsage } from '../../core/util/add-usage.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { lazyStores, plainEntry } from '../../core/util/lazy-entry.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import { drive } from '../drive/driver.ts';
import { machineInputOf } from '../drive/migrated.ts';
import type { Run, RunResult } from '../drive/run.ts';
import type { RunInspection } from '../drive/run-inspection.ts';
import { readStart } from '../drive/start-entry.ts';
import { type SettledRun, toResult } from '../drive/to-result.ts';
import { ActiveTime } from '../journal/active-time.ts';
import { EventLog } from '../journal/event-log.ts';
import type { Rest } from '../journal/host-rest.ts';
import { JournalHost } from '../journal/journal-host.ts';
import type { JournalHostOptions } from '../journal/journal-host.types.ts';
import { type Limits, limitExceeded, Usage } from '../journal/limits.ts';
import { type EventsOptions, firstEvent } from './runtime-options.ts';

export interface ActiveRunOptions {
  readonly workflow: AnyWorkflow;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly budget?: ModelBudget | undefined;
  readonly inspection?: RunInspection | undefined;
  /** The journal so far. Empty for a run that is being created. */
  readonly entries: readonly JournalEntry[];
}

/** Writes to a run's journal before its machine moves. */
export type PrepareDrive = (host: JournalHost) => Promise<void>;

/** A run while this process drives it. */
export class ActiveRun<TOutput> implements Run<TOutput> {
  readonly id: string;
  readonly threadId?: string;
  readonly result: Promise<RunResult<TOutput>>;
  readonly log: EventLog;
  readonly #options: ActiveRunOptions;
  /** Answers offered before the host existed. */
  readonly #offers: ((host: JournalHost) => void)[] = [];
  #conclude: (result: RunResult<TOutput>) => void = () => {};
  #entries: readonly JournalEntry[];
  #lease: Lease | undefined;
  #host: JournalHost | undefined;
  #usage: Usage | undefined;
  #stopRequest: 'paused' | 'cancelled' | undefined;
  #handOver = false;

  constructor(id: string, threadId: string | undefined, options: ActiveRunOptions) {
    this.id = id;
    if (threadId !== undefined) this.threadId = threadId;
    this.#options = options;
    this.#entries = options.entries;
    this.log = new EventLog(
      () => options.clock.now(),
      options.entries.flatMap(({ events }) => events),
    );
    this.result = new Promise((resolve) => {
      this.#conclude = resolve;
    });
  }

  events(options: EventsOptions = {}): AsyncIterable<RunEvent> {
    return this.log.read(firstEvent(options));
  }

  /** Lease under which the run is driven. `undefined` before and after the drive. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** True once another process has cancelled the run while it was driven or queued here. */
  isEndedElsewhere = false;

  /** Place of a queued run in its thread's queue. */
  place: Lease | undefined;

  /** Monotonic time just before the last request that acquired or renewed the lease, in milliseconds. */
  renewedAt = 0;

  /** Requested end of the drive: suspend or cancel. */
  get stopRequest(): 'paused' | 'cancelled' | undefined {
    return this.#stopRequest;
  }

  /** Time at which a suspended run resumes: when its earliest timer is due, or at once after a handover. */
  wakeAt: number | undefined;

  /** Stops the drive with an error of the host, such as a lost lease. */
  fail(cause: unknown): void {
    this.#host?.fail(cause);
  }

  /**
   * Gives a human's event to the wait that it answers. An event offered before the drive is ready when the drive reaches the wait.
   * @throws {WorkflowError} see `JournalHost.offer`.
   */
  offer(interruptId: string, event: HumanEvent, by?: Actor): Promise<void> {
    const answered = this.#offer(interruptId, event, by);
    answered.catch(() => {}); // the caller may await this later: an unhandled rejection must not end the process
    return answered;
  }

  #offer(interruptId: string, event: HumanEvent, by: Actor | undefined): Promise<void> {
    if (this.#host) return this.#host.offer(interruptId, event, by);
    return new Promise((resolve, reject) => {
      this.#offers.push((host) => host.offer(interruptId, event, by).then(resolve, reject));
      this.result.then(() => reject(runSuspended('suspended')), reject);
    });
  }

  /** Adds an entry that was written before the drive. */
  learn(entry: JournalEntry): void {
    this.#entries = [...this.#entries, entry];
  }

  /** Adds an entry of another run that was written before the drive. */
  adopt(entry: JournalEntry): void {
    this.log.adopt(entry.events);
    this.learn(entry);
  }

  /**
   * Requests the end of the drive.
   * @param handOver leaves the run to the next `recover`, instead of keeping it suspended until a caller resumes it.
   */
  stop(as: 'paused' | 'cancelled', handOver = false): void {
    this.#stopRequest ??= as;
    this.#handOver ||= handOver;
    this.#host?.close(runSuspended(as));
  }

  get #reported(): TokenUsage {
    return this.#usage?.reported ?? sumUsage(this.#entries.flatMap(({ events }) => events));
  }

  /** Settles `result` and ends the event log. */
  conclude(settled: SettledRun<TOutput>): void {
    this.log.end();
    this.#conclude(toResult(settled, this.#reported));
  }

  /** Drives the run until it ends or only a human can move it, and settles it in the store. Never rejects. The caller calls `conclude`. */
  async drive(
    { lease, record, owner, thread }: AcquiredRun,
    confirm: JournalHostOptions['confirm'],
    prepare: PrepareDrive | undefined,
  ): Promise<SettledRun<TOutput>> {
    const { budget, clock, inspection, limits, store, workflow } = this.#options;
    this.#lease = lease;
    this.log.epoch = lease.epoch;
    const { wallTimeMs } = limits;
    const active = new ActiveTime({
      clock,
      beforeMs: record.activeMs,
      limitMs: wallTimeMs,
      exceeded: () => this.#host?.fail(limitExceeded('wallTimeMs', wallTimeMs)),
    });
    this.#usage = new Usage(
      limits,
      this.#entries.flatMap(({ events }) => events),
    );
    const host = new JournalHost({
      runId: this.id,
      threadId: this.threadId,
      startedAt: record.startedAt,
      entries: this.#entries,
      epoch: lease.epoch,
      owner,
      mayLive: (name) => store.mayLive(name),
      clock,
      log: this.log,
      usage: this.#usage,
      budget,
      write: (entry) => store.append(lease, lazyStores.has(store) ? entry : plainEntry(entry), active.ms),
      confirm,
      sleeps: (asleep) => (asleep ? active.pause() : active.count()),
      inspection,
    });
    this.#host = host;
    for (const offer of this.#offers) offer(host);
    if (this.#stopRequest) this.stop(this.#stopRequest);
    active.count();
    let result: SettledRun<TOutput>;
    let threadState: Json | undefined;
    try {
      await prepare?.(host);
      if (lease.epoch > 1) this.#sayVoid();
      if (this.#stopRequest) throw stopReason; // before the run starts or emits anything
      const { after, thread: given } = readStart(this.id, this.#entries);
      const threadBefore = given ?? thread?.state ?? workflow.thread?.initial ?? null;
      const end = await drive(workflow, machineInputOf(workflow, record, this.#entries, threadBefore), host);
      host.assertReplayed(end.finalState);
      if (thread && workflow.thread) {
        const next = workflow.thread.next(threadBefore, end);
        if (next !== threadBefore || after !== undefined) threadState = next;
      }
      const { finalState, output, failure } = end;
      result = { status: 'done', finalState, output: output as TOutput, ...(failure ? { failure } : {}) };
    } catch (cause) {
      await host.written; // pending writes are part of the journal
      result = this.#restOf(cause, host);
    }
    host.close(stopReason);
    if (host.written) await host.written; // write of a node that was left: `settle` comes after it
    active.pause();
    this.wakeAt = host.rest?.status === 'waiting' ? host.rest.wakeAt : undefined;
    if (result.status === 'paused' && this.#handOver) this.wakeAt = clock.now();
    // A late write that fails after the end does not undo the end. The store decides whether `settle` follows its last entry.
    if (!host.broken || result.status === 'done') {
      try {
        await this.#settle(result, host, { activeMs: active.ms, threadState: record.threadId === undefined ? undefined : threadState });
      } catch (cause) {
        result = { status: 'failed', error: toErrorInfo(cause) };
      }
    }
    this.#lease = undefined;
    inspection?.rest(this.id, toResult(result));
    return result;
  }

  /**
   * Voids live events that were not stored. After a crash these are all of them. After a pause or failure they are those of interrupted
   * nodes, which begin again.
   */
  #sayVoid(): void {
    const last = this.#entries.at(-1);
    if (last?.kind !== 'settle') this.log.emit({ type: 'step-reset' });
    else if (/^(?:paused|failed)$/.test(statusOf(last)))
      for (const node of atWork(this.#entries)) this.log.emit({ type: 'step-reset' }, node);
  }

  #restOf(cause: unknown, host: JournalHost): SettledRun<TOutput> {
    if (this.#stopRequest && !host.broken) return { status: this.#stopRequest };
    const { rest } = host;
    if (rest?.status === 'in_doubt') return rest;
    if (rest) return toWaiting(rest);
    // another process may have acquired the stopped run meanwhile, which the failed write reports
    return { status: 'failed', error: toErrorInfo(host.broken ? host.broken.cause : cause) };
  }

  async #settle(result: SettledRun<TOutput>, host: JournalHost, { activeMs, threadState }: DriveEffects): Promise<void> {
    const { clock, store } = this.#options;
    const lease = this.#lease;
    if (!lease) return;
    const { status } = result;
    const failure = failureOf(result);
    if (status === 'done') this.log.emit({ type: 'run-end', status, finalState: result.finalState, ...(failure ? { failure } : {}) });
    else if (status === 'failed') this.log.emit({ type: 'run-end', status, error: result.error });
    else if (status === 'cancelled') this.log.emit({ type: 'run-end', status });
    const events = this.log.take();
    const last = this.#entries.at(-1);
    const outcome = status === 'done' ? (Object.freeze(result) as unknown as Json) : toJson(result, 'result'); // the output is JSON already
    const nothingNew = events.length === 0 && host.seq === last?.seq && last.kind === 'settle' && isSettledAs(last, status, outcome);
    const entry: JournalEntry = {
      seq: host.seq + 1,
      key: 'run',
      kind: 'settle',
      outcome,
      events,
      epoch: lease.epoch,
      at: clock.now(),
    };
    await store.settle(lease, {
      status,
      activeMs,
      ...(nothingNew ? {} : { entry }),
      ...(this.wakeAt === undefined ? {} : { wakeAt: this.wakeAt }),
      ...(status === 'waiting' && result.interrupts.length === 0 ? { sleeps: true } : {}),
      ...(failure ? { failure: failure.code } : {}),
      ...(threadState === undefined ? {} : { threadState }),
    });
  }
}

interface DriveEffects {
  readonly activeMs: number;
  /** Next state of the thread, if it changes. */
  readonly threadState: Json | undefined;
}

function toWaiting({ interrupts, wakeAt }: Extract<Rest, { readonly status: 'waiting' }>): SettledRun<never> {
  const [interrupt] = interrupts;
  const wakes = wakeAt === undefined ? {} : { wakeAt };
  return interrupt ? { status: 'waiting', interrupt, interrupts, ...wakes } : { status: 'waiting', interrupts: [], wakeAt: wakeAt ?? 0 };
}

const runSuspended = (how: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_SUSPENDED',
    message: `The run was ${how}.`,
    hint: 'Stop the work. It restarts when the run resumes.',
  });

/** Shared by all runs, because nothing reads this reason any more. */
const stopReason = runSuspended('suspended');

/** Result of a run in its `settle` entry. The cast is safe: `#settle` wrote the entry, and the store has checked that it is unchanged. */
export const settledOf = (entry: JournalEntry): SettledRun<Json> => entry.outcome as unknown as SettledRun<Json>;

const failureOf = (result: SettledRun<unknown>): ErrorInfo | undefined => {
  if (result.status === 'failed') return result.error;
  return result.status === 'done' ? result.failure : undefined;
};

/** True when the entry already holds this status and outcome. A call in doubt may gain data, such as whether its owner is gone. */
const isSettledAs = (entry: JournalEntry, status: RunStatus, outcome: Json): boolean =>
  statusOf(entry) === status && (status !== 'in_doubt' || canonicalJson(entry.outcome) === canonicalJson(outcome));

/** Keys of the nodes that have started and not ended. */
function atWork(entries: readonly JournalEntry[]): Set<string> {
  const nodes = new Set<string>();
  for (const { events } of entries) {
    for (const event of events) {
      if (event.type === 'node-start') nodes.add(event.key);
      if (event.type === 'node-end') nodes.delete(event.key);
    }
  }
  return nodes;
}

const statusOf = (entry: JournalEntry): RunStatus => (entry.outcome as JsonObject).status as RunStatus;
