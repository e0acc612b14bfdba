import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { RunEvent } from '../ports/run-event.ts';
import type { AcquiredRun, JournalEntry, Lease, RunStatus, RunStore } from '../ports/run-store.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { lazyStores, plainEntry } from '../util/lazy-entry.ts';
import { toJson } from '../util/to-json.ts';
import type { AnyWorkflow } from '../workflow/define-workflow.ts';
import { ActiveTime } from './active-time.ts';
import { drive } from './driver.ts';
import { EventLog } from './event-log.ts';
import type { HumanEvent } from './host.ts';
import type { Rest } from './host-rest.ts';
import { JournalHost } from './journal-host.ts';
import type { JournalHostOptions } from './journal-host.types.ts';
import { type Limits, limitExceeded, Usage } from './limits.ts';
import { machineInputOf } from './migrated.ts';
import type { Run, RunResult } from './run.ts';
import type { RunInspection } from './run-inspection.ts';
import { type EventsOptions, firstEvent } from './runtime-options.ts';
import { readStart } from './start-entry.ts';

export interface ActiveRunOptions {
  readonly workflow: AnyWorkflow;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly inspection?: RunInspection | undefined;
  /** The journal so far; empty for a run that is just being created. */
  readonly entries: readonly JournalEntry[];
}

/** Writes to a run's journal before its machine moves. */
export type PrepareDrive = (host: JournalHost) => Promise<void>;

/** One run while this process drives it. */
export class ActiveRun<TOutput> implements Run<TOutput> {
  readonly id: string;
  readonly threadId?: string;
  readonly result: Promise<RunResult<TOutput>>;
  readonly log: EventLog;
  readonly #options: ActiveRunOptions;
  /** What was offered before there was a host. */
  readonly #offers: ((host: JournalHost) => void)[] = [];
  #conclude: (result: RunResult<TOutput>) => void = () => {};
  #entries: readonly JournalEntry[];
  #lease: Lease | undefined;
  #host: JournalHost | undefined;
  #asked: 'paused' | 'cancelled' | undefined;
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

  /** The lease under which the run is driven; `undefined` before and after. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** True once another process has cancelled the run while it was driven or queued here. */
  isEndedElsewhere = false;

  /** A queued run's place in its thread's queue. */
  place: Lease | undefined;

  /** Monotonic time before the last request that gave or renewed the lease, in milliseconds. */
  renewedAt = 0;

  /** What the caller wants of the drive: to be suspended, or cancelled. */
  get asked(): 'paused' | 'cancelled' | undefined {
    return this.#asked;
  }

  /** After it was suspended: when its earliest timer is due, or at once when it was handed over. */
  wakeAt: number | undefined;

  /** Stops the drive with a cause of the host's, such as a lost lease. */
  fail(cause: unknown): void {
    this.#host?.fail(cause);
  }

  /**
   * Gives a human's event to the wait that it answers. Offered before the drive, it is there when the drive comes to the wait.
   * @throws {WorkflowError} see `JournalHost.offer`.
   */
  offer(interruptId: string, event: HumanEvent): Promise<void> {
    const answered = this.#offer(interruptId, event);
    answered.catch(() => {}); // who has given it may look at the run first, and the process must not end of it
    return answered;
  }

  #offer(interruptId: string, event: HumanEvent): Promise<void> {
    if (this.#host) return this.#host.offer(interruptId, event);
    return new Promise((resolve, reject) => {
      this.#offers.push((host) => host.offer(interruptId, event).then(resolve, reject));
      this.result.then(() => reject(suspended('suspended')), reject);
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
   * Asks the drive to stop.
   * @param handOver leaves it to the next who looks for work, not to somebody who resumes it.
   */
  stop(as: 'paused' | 'cancelled', handOver = false): void {
    this.#asked ??= as;
    this.#handOver ||= handOver;
    this.#host?.close(suspended(as));
  }

  /** Ends the run's handle. */
  conclude(result: RunResult<TOutput>): void {
    this.log.end();
    this.#conclude(result);
  }

  /** Drives the run until it ends or only a human can move it, and settles it in the store. Never rejects; the caller concludes. */
  async drive(
    { lease, record, owner, thread }: AcquiredRun,
    confirm: JournalHostOptions['confirm'],
    prepare: PrepareDrive | undefined,
  ): Promise<RunResult<TOutput>> {
    const { clock, inspection, limits, store, workflow } = this.#options;
    this.#lease = lease;
    this.log.epoch = lease.epoch;
    const { wallTimeMs } = limits;
    const active = new ActiveTime({
      clock,
      beforeMs: record.activeMs,
      limitMs: wallTimeMs,
      exceeded: () => this.#host?.fail(limitExceeded('wallTimeMs', wallTimeMs)),
    });
    const host = new JournalHost({
      runId: this.id,
      startedAt: record.startedAt,
      entries: this.#entries,
      epoch: lease.epoch,
      owner,
      mayLive: (name) => store.mayLive(name),
      clock,
      log: this.log,
      usage: new Usage(
        limits,
        this.#entries.flatMap(({ events }) => events),
      ),
      write: (entry) => store.append(lease, lazyStores.has(store) ? entry : plainEntry(entry), active.ms),
      confirm,
      sleeps: (asleep) => (asleep ? active.pause() : active.count()),
      inspection,
    });
    this.#host = host;
    for (const offer of this.#offers) offer(host);
    if (this.#asked) this.stop(this.#asked);
    active.count();
    let result: RunResult<TOutput>;
    let threadState: Json | undefined;
    try {
      await prepare?.(host);
      if (lease.epoch > 1) this.#sayVoid();
      if (this.#asked) throw ended; // before anything of it is begun, and said to be
      const threadBefore = readStart(this.id, this.#entries).thread ?? thread?.state ?? workflow.thread?.initial ?? null;
      const end = await drive(workflow, machineInputOf(workflow, record, this.#entries, threadBefore), host);
      host.assertReplayed(end.finalState);
      if (thread && workflow.thread) {
        const next = workflow.thread.next(threadBefore, end);
        if (next !== threadBefore) threadState = next;
      }
      const { finalState, output, failure } = end;
      result = { status: 'done', finalState, output: output as TOutput, ...(failure ? { failure } : {}) };
    } catch (cause) {
      await host.written; // what is on its way to the store is part of the journal
      result = this.#toResult(cause, host);
    }
    host.close(ended);
    if (host.written) await host.written; // of a node that was left: `settle` comes after it
    active.pause();
    this.wakeAt = host.rest?.status === 'waiting' ? host.rest.wakeAt : undefined;
    if (result.status === 'paused' && this.#handOver) this.wakeAt = clock.now();
    // a late write that has failed after the end does not undo that: the store says whether `settle` follows what it has
    if (!host.broken || result.status === 'done') {
      try {
        await this.#settle(result, host, { activeMs: active.ms, threadState: record.threadId === undefined ? undefined : threadState });
      } catch (cause) {
        result = { status: 'failed', error: toErrorInfo(cause) };
      }
    }
    this.#lease = undefined;
    inspection?.rest(this.id, result);
    return result;
  }

  /** What was shown and not stored is void: after a crash whatever it was, else what nodes said that were cut off and begin again. */
  #sayVoid(): void {
    const last = this.#entries.at(-1);
    if (last?.kind !== 'settle') this.log.emit({ type: 'step-reset' });
    else if (/^(?:paused|failed)$/.test(statusOf(last)))
      for (const node of atWork(this.#entries)) this.log.emit({ type: 'step-reset' }, node);
  }

  #toResult(cause: unknown, host: JournalHost): RunResult<TOutput> {
    if (this.#asked && !host.broken) return { status: this.#asked };
    const { rest } = host;
    if (rest?.status === 'in_doubt') return rest;
    if (rest) return toWaiting(rest);
    // a run that is stopped here may have been taken over meanwhile, which the failed write says
    return { status: 'failed', error: toErrorInfo(host.broken ? host.broken.cause : cause) };
  }

  async #settle(result: RunResult<TOutput>, host: JournalHost, { activeMs, threadState }: Reached): Promise<void> {
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
    const outcome = status === 'done' ? (Object.freeze(result) as unknown as Json) : toJson(result, 'result'); // that output is JSON already
    const nothingNew = events.length === 0 && host.seq === last?.seq && last.kind === 'settle' && saysAlready(last, status, outcome);
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
      ...(failure ? { failure: failure.code } : {}),
      ...(threadState === undefined ? {} : { threadState }),
    });
  }
}

/** What a drive has come to, beside its result. */
interface Reached {
  readonly activeMs: number;
  /** The thread's next state, if it changes. */
  readonly threadState: Json | undefined;
}

function toWaiting({ interrupts, wakeAt }: Extract<Rest, { readonly status: 'waiting' }>): RunResult<never> {
  const [interrupt] = interrupts;
  const wakes = wakeAt === undefined ? {} : { wakeAt };
  return interrupt ? { status: 'waiting', interrupt, interrupts, ...wakes } : { status: 'waiting', interrupts: [], wakeAt: wakeAt ?? 0 };
}

const suspended = (how: string): WorkflowError =>
  new WorkflowError({
    code: 'RUN_SUSPENDED',
    message: `The run was ${how}.`,
    hint: 'Stop the work: it starts again when the run goes on.',
  });

/** Only ever a reason that nobody looks at any more, so one serves all. */
const ended = suspended('suspended');

/** What a `settle` entry says of its run: it was written by `#settle`, and the store has checked that nobody has changed it. */
export const resultOf = (entry: JournalEntry): RunResult<Json> => entry.outcome as unknown as RunResult<Json>;

/** Why an end is no success. */
const failureOf = (result: RunResult<unknown>): ErrorInfo | undefined => {
  if (result.status === 'failed') return result.error;
  return result.status === 'done' ? result.failure : undefined;
};

/** Of a call in doubt, more may be known than before: whether its owner is gone. */
const saysAlready = (entry: JournalEntry, status: RunStatus, outcome: Json): boolean =>
  statusOf(entry) === status && (status !== 'in_doubt' || canonicalJson(entry.outcome) === canonicalJson(outcome));

/** The nodes that have begun and not ended. */
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
