import type { WorkflowError } from '../../core/errors/errors.ts';
import type { Actor } from '../../core/ports/actor.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { HumanEvent } from '../../core/ports/human-event.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { Reservation } from '../../core/ports/model-budget.ts';
import type { Attempt, StepOptions } from '../../core/ports/node-io.ts';
import type { Interrupt, LifecycleEvent, StreamEvent } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import type { Stop } from '../../core/util/stop.ts';
import { driveOf } from '../drive/drive-of.ts';
import type { Host, Outcome, Wait } from '../drive/host.ts';
import { HostFailure } from '../drive/host-failure.ts';
import { toInterrupt } from '../drive/interrupt.ts';
import { outcomeOf } from '../drive/outcome-of.ts';
import type { RunInspection } from '../drive/run-inspection.ts';
import type { OfferChange } from '../drive/run-offer.ts';
import { interruptExpired } from './answer.ts';
import { HostRest, type Rest } from './host-rest.ts';
import type { JournalHostOptions } from './journal-host.types.ts';
import { expirySuffix, JournalIndex } from './journal-index.ts';
import { JournalTimers } from './journal-timers.ts';
import { type JournalReader, JournalWriter } from './journal-writer.ts';
import { JournaledSteps } from './journaled-steps.ts';
import { OpenWaits } from './open-waits.ts';
import type { PatchedResult } from './patched-result.ts';
import { PendingWork } from './pending-work.ts';
import { RunningNodes } from './running-nodes.ts';
import { WaitingDrives } from './waiting-drives.ts';

/** Performs a run's work on an ordered journal. An outcome is written when it arrives, and delivered in the order of the journal. */
export class JournalHost implements Host, JournalReader {
  readonly #options: JournalHostOptions;
  readonly #journal: JournalIndex;
  readonly #writer: JournalWriter;
  readonly #nodes: RunningNodes;
  readonly #steps: JournaledSteps;
  readonly #timers: JournalTimers;
  readonly #rest: HostRest;
  readonly #waits = new OpenWaits();
  readonly #drives = new WaitingDrives();
  readonly #failure = new HostFailure();
  readonly #pendingWork: PendingWork;
  /** Number of the last outcome that each drive has received. Drives are the run's own and those of workflows inside nodes. */
  readonly #lastDelivered = new Map<string, number>();
  /** `Stop`s of the nodes in which a workflow runs. */
  #watchedStops: Set<Stop> | undefined;
  /** Epoch of the last delivered outcome. */
  #delivered = 1;

  constructor(options: JournalHostOptions) {
    const { clock, confirm, entries, epoch, log, mayLive, owner, runId, sleeps, write } = options;
    const failure = this.#failure;
    const drives = this.#drives;
    const waits = this.#waits;
    const journal = new JournalIndex(entries);
    const writer = new JournalWriter({ seq: entries.at(-1)?.seq ?? 0, epoch, clock, log, failure, write, confirm }, this);
    const timers = new JournalTimers({ clock, journal, writer, failure });
    const delivered = (): number => this.#delivered;
    const rested = (): void => this.#rest.check();
    const steps = new JournaledSteps({ runId, epoch, owner, mayLive, clock, journal, writer, failure, delivered, rested });
    const pendingWork = new PendingWork(journal, failure);
    const nodes = new RunningNodes({ clock, writer, failure, rested, failed: (cause) => this.fail(cause) });
    const stop = (cause: WorkflowError): void => this.fail(cause);
    this.#rest = new HostRest({ clock, journal, writer, steps, timers, waits, drives, failure, nodes, sleeps, stop });
    this.#options = options;
    this.#pendingWork = pendingWork;
    this.#nodes = nodes;
    this.#journal = journal;
    this.#writer = writer;
    this.#timers = timers;
    this.#steps = steps;
  }

  get runId(): string {
    return this.#options.runId;
  }

  get threadId(): string | undefined {
    return this.#options.threadId;
  }

  get startedAt(): number {
    return this.#options.startedAt;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get inspection(): RunInspection | undefined {
    return this.#options.inspection;
  }

  /** Number of entries in the journal. */
  get seq(): number {
    return this.#writer.seq;
  }

  /** Settles when the pending write has ended. `undefined` when there is none. */
  get written(): Promise<void> | undefined {
    return this.#writer.written;
  }

  /** Cause of the first failed write. Once it is set, the state of this host differs from the store. */
  get broken(): { readonly cause: unknown } | undefined {
    return this.#writer.broken;
  }

  /** Set when a drive was stopped because only a human or a timer can move the run. */
  get rest(): Rest | undefined {
    return this.#rest.found;
  }

  /** Makes every drive throw `cause` at its next move. */
  fail(cause: unknown): void {
    this.#failure.set(cause);
    this.#wake();
  }

  /**
   * Gives a human's event to the wait that it answers, as soon as that wait is open.
   * @throws {WorkflowError} `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWERED`, `EVENT_NOT_ACCEPTED`, `EVENT_INVALID`; the error that stopped the
   * host before it reached the wait.
   */
  async offer(interruptId: string, event: HumanEvent, by?: Actor): Promise<void> {
    this.#failure.throwIfSet();
    const answered = this.#waits.offer(interruptId, event, by);
    this.#rest.check();
    return answered;
  }

  /** Rejects the pending answers and cancels the timers. */
  close(cause: unknown): void {
    this.fail(cause);
    this.#waits.refuseAll(cause);
    this.#timers.cancelAll();
    this.#steps.close();
  }

  get reserve(): Host['reserve'] {
    const { budget, runId, threadId } = this.#options;
    return budget && ((call, stop) => this.#reserve(() => budget.reserve(call, { runId, threadId }), stop));
  }

  /** Fails with a refusal, like a limit, so that the node's error is not recorded and the run can go on later. */
  async #reserve(ask: () => Promise<Reservation>, stop: Stop): Promise<Reservation> {
    try {
      return await ask();
    } catch (cause) {
      if (!stop.aborted) this.fail(cause);
      throw cause;
    }
  }

  emit(event: StreamEvent | LifecycleEvent, node?: string): void {
    try {
      this.#options.usage.add(event);
    } catch (cause) {
      this.fail(cause);
      throw cause;
    }
    this.#options.log.emit(event, node);
  }

  attempt(key: string): number {
    return this.#journal.outcome(key) ? 1 : 1 + this.#options.epoch - this.#delivered;
  }

  step(key: string, work: () => Promise<Outcome>, stop: Stop, nested: boolean): Promise<Outcome> {
    try {
      this.#options.usage.addVisit();
      this.#pendingWork.add(key, () => {
        if (!stop.aborted && (nested || !this.#options.onlyLooks || this.#journal.outcome(`${key}/workflows`)))
          this.#nodes.begin(key, work, stop);
      });
    } catch (cause) {
      this.fail(cause);
    }
    return placeholder;
  }

  recorded(node: string): readonly string[] {
    return this.#journal.stepsOf(node);
  }

  memo<T>(
    node: string,
    step: string,
    work: (attempt: Attempt) => Promise<T>,
    stop: Stop,
    options: StepOptions,
    maxOutputBytes: number,
  ): Promise<T> {
    if (this.#options.onlyLooks && !this.#journal.outcome(`${node}/${step}`)) return new Promise(() => {});
    return this.#steps.perform({ node, step, work, stop, options, maxOutputBytes });
  }

  waitEvent(key: string, wait: Wait, stop: Stop): Promise<Outcome> {
    const { clock } = this.#options;
    const expiries = this.#journal.expiriesOf(key);
    const { expiresInMs } = wait;
    const expiryTimes = expiries.length > 0 || expiresInMs === undefined ? expiries : [clock.now() + expiresInMs];
    // emit every renewal again, so that the stored events are counted off
    const entered = this.#enteredBy(key);
    const interrupts = (expiryTimes.length > 0 ? expiryTimes : [undefined]).map((expiresAt, renewals) =>
      toInterrupt(this.runId, key, entered, wait, { renewals, expiresAt }),
    );
    for (const interrupt of interrupts) this.emit({ type: 'interrupt', interrupt });
    this.#pendingWork.add(key, () => {
      if (stop.aborted) return;
      const [first] = expiries.length > 0 ? [] : expiryTimes;
      if (first !== undefined) this.#expire(key, first);
      for (const interrupt of interrupts.slice(-1)) this.#open(interrupt, wait, entered);
      stop.onAbort(() => this.#waits.close(key));
    });
    return placeholder;
  }

  /**
   * Opens a question. An answer after its expiry is rejected, and the question is asked again as a new interrupt. The check happens when
   * the answer arrives, so that an abandoned run needs no timer.
   */
  #open(interrupt: Interrupt, wait: Wait, entered: number): void {
    const { key, expiresAt } = interrupt;
    const { clock, onlyLooks } = this.#options;
    const { expiresInMs } = wait;
    const check = (event: HumanEvent): HumanEvent => {
      const now = clock.now();
      if (onlyLooks || expiresAt === undefined || expiresInMs === undefined || now < expiresAt) return wait.check(event);
      const next = now + expiresInMs;
      const renewed = toInterrupt(this.runId, key, entered, wait, { renewals: this.#journal.expiriesOf(key).length, expiresAt: next });
      this.emit({ type: 'interrupt', interrupt: renewed });
      this.#expire(key, next);
      this.#open(renewed, wait, entered);
      throw interruptExpired(interrupt, [renewed.id]);
    };
    this.#waits.open(key, interrupt, expiresAt === undefined ? wait : { ...wait, check });
  }

  #expire(key: string, at: number): void {
    if (this.#options.onlyLooks) return;
    void this.#writer.append(`${key}${expirySuffix}`, 'timer-start', at);
  }

  sleep(key: string, delayMs: number, stop: Stop): Promise<Outcome> {
    this.#pendingWork.add(key, () => {
      if (!stop.aborted) this.#timers.set(key, delayMs, stop);
    });
    return placeholder;
  }

  async next(pending: ReadonlyMap<string, Promise<Outcome>>, stop?: Stop): Promise<readonly [key: string, outcome: Outcome]> {
    for (;;) {
      this.#failure.throwIfSet();
      if (stop) this.#watchStop(stop);
      const first = this.#journal.first(pending);
      if (first) {
        this.#pendingWork.delete(first.key);
        this.#delivered = first.epoch;
        this.#lastDelivered.set(driveOf(first.key), first.seq);
        return [first.key, outcomeOf(first)];
      }
      if (this.#pendingWork.begin(pending)) continue;
      const woken = this.#drives.wait();
      this.#rest.check();
      await woken;
      this.#drives.leave();
    }
  }

  /** @throws {WorkflowError} `JOURNAL_DIVERGED` when the journal holds outcomes that the machine has not requested. */
  assertReplayed(at: string): void {
    this.#journal.assertReplayed(at);
  }

  /** Writes a human's resolution of a call in doubt, before the run is driven again. */
  async resolve(callId: string, kind: 'step' | 'retry', outcome: Json): Promise<void> {
    await this.#writer.append(callId, kind, outcome);
  }

  /** Writes the limits that apply to the run from now on. */
  async limit(limits: JsonObject): Promise<void> {
    await this.#writer.append('run', 'limits', limits);
  }

  /** Writes that the run resumes with a changed offer. */
  async acceptOffer({ offer, changes }: OfferChange): Promise<void> {
    this.emit({ type: 'offer-changed', changes });
    await this.#writer.append('run', 'offer', { offer, changes });
  }

  /** Writes the result of a node again, changed by a human, before the run is driven again. */
  async patch({ key, outcome, ...patched }: PatchedResult): Promise<void> {
    this.emit({ type: 'node-patched', key, ...patched });
    await this.#writer.append(key, 'node', outcome);
  }

  committed(entry: JournalEntry): void {
    this.#journal.learn(entry);
    this.#wake();
  }

  writeFailed(cause: unknown): void {
    this.fail(cause);
  }

  writeEnded(): void {
    this.#rest.check();
  }

  /** Number of the last outcome that the machine had received when it reached a question. */
  #enteredBy(key: string): number {
    return this.#lastDelivered.get(driveOf(key)) ?? this.#journal.due(key) ?? 0;
  }

  /** Wakes a drive when the node in which it runs is left. */
  #watchStop(stop: Stop): void {
    if (stop.aborted) throw stop.reason;
    this.#watchedStops ??= new Set();
    if (this.#watchedStops.has(stop)) return;
    this.#watchedStops.add(stop);
    stop.onAbort(() => this.#wake());
  }

  #wake(): void {
    this.#rest.sleep(false);
    this.#drives.wake();
  }
}

/** Placeholder: the driver's promises only name pending work. Their outcomes come from `next`. */
const placeholder: Promise<Outcome> = Promise.resolve({ fired: true });
