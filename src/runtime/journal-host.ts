import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Json, JsonObject } from '../ports/json.ts';
import type { Attempt, StepOptions } from '../ports/node-io.ts';
import type { CallInDoubt, Interrupt, LifecycleEvent, StreamEvent } from '../ports/run-event.ts';
import type { Awaitable, EntryKind, JournalEntry } from '../ports/run-store.ts';
import { canonicalJson } from '../util/canonical-json.ts';
import { deepFreeze } from '../util/deep-freeze.ts';
import { hash } from '../util/hash.ts';
import type { Stop } from '../util/stop.ts';
import { toJson } from '../util/to-json.ts';
import { checkStep } from './check-step.ts';
import { driveOf } from './drive-of.ts';
import type { EventLog } from './event-log.ts';
import type { Host, HumanEvent, Outcome, Wait } from './host.ts';
import type { Usage } from './limits.ts';
import { OpenWaits } from './open-waits.ts';
import { attemptStep, isDoubtful, replayStep } from './step-record.ts';

export interface JournalHostOptions {
  readonly runId: string;
  readonly startedAt: number;
  /** The journal so far. */
  readonly entries: readonly JournalEntry[];
  /** The lease under which this host writes. */
  readonly epoch: number;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly usage: Usage;
  /** Who writes, as the store names it. */
  readonly owner?: string;
  /** Whether such an owner may still be at work. */
  readonly mayLive?: (owner: string) => boolean;
  /** Told when nothing is at work and a short timer is waited for, and when that is over. */
  readonly sleeps?: (asleep: boolean) => void;
  /** Commits an entry. */
  readonly write: (entry: JournalEntry) => Awaitable<void>;
  /** Begins no node: what is asked is where the journal leads to. @default false */
  readonly onlyLooks?: boolean;
}

/** Why a host stopped before its run ended. */
export type Rest =
  | {
      readonly status: 'waiting';
      readonly interrupts: readonly Interrupt[];
      /** When the earliest timer is due, in milliseconds since 1970. */
      readonly wakeAt: number | undefined;
    }
  | { readonly status: 'in_doubt'; readonly calls: readonly CallInDoubt[] };

/**
 * How long steps that can be repeated are waited for beside a call in doubt, in milliseconds: one in whose work that call was made waits
 * for it, and would for ever.
 */
const doubtPatienceMs = 30_000;

/** A run that only sleeps is put down, unless it is for so short that taking it up again would be most of it, in milliseconds. */
const shortSleepMs = 5_000;

/** Performs a run's work on an ordered journal: an outcome is written when it arrives, and delivered in that order. */
export class JournalHost implements Host {
  readonly #options: JournalHostOptions;
  /** Outcomes of nodes, steps, events and timers. */
  readonly #known = new Map<string, JournalEntry>();
  readonly #intents = new Map<string, JournalEntry>();
  readonly #due = new Map<string, number>();
  /** The last epoch in which something of this node was written. */
  readonly #lastStep = new Map<string, number>();
  readonly #usedSteps = new Set<string>();
  /** Outcomes of the journal that the machine has not asked for yet. */
  readonly #unasked = new Set<string>();
  /** What the machine has asked for and has not begun. */
  readonly #asked = new Map<string, () => void>();
  readonly #waits = new OpenWaits();
  readonly #doubts = new Map<string, CallInDoubt>();
  readonly #timers = new Map<string, () => void>();
  /** The number of the outcome that each drive, that of the run and those of workflows inside its nodes, was given last. */
  readonly #lastDelivered = new Map<string, number>();
  readonly #heeded = new WeakSet<Stop>();
  #seq = 0;
  /** The epoch of the outcome that was delivered last. */
  #delivered = 1;
  /** Nodes at work, drives that wait for an outcome, steps at work, writes under way. */
  #nodes = 0;
  #idle = 0;
  /** What idle drives wait for, and how many of them have not been woken since. */
  #woken: PromiseWithResolvers<void> | undefined;
  #waiting = 0;
  #steps = 0;
  /** Of the steps at work, those that must not be cut off. */
  #onceSteps = 0;
  #outOfPatience = false;
  #endPatience = (): void => {};
  #writes = 0;
  #tail: Promise<void> | undefined;
  #failure: { readonly cause: unknown } | undefined;
  #broken = false;
  #asleep = false;
  #rest: Rest | undefined;

  constructor(options: JournalHostOptions) {
    this.#options = options;
    for (const entry of options.entries) {
      this.#seq = entry.seq;
      deepFreeze(entry.outcome); // a store makes new objects of what it has stored
      this.#learn(entry);
      // a workflow inside a node asks for its own when it comes to them
      if (isOutcome(entry.kind) && !entry.key.includes('/')) this.#unasked.add(entry.key);
    }
  }

  get runId(): string {
    return this.#options.runId;
  }

  get startedAt(): number {
    return this.#options.startedAt;
  }

  /** How many entries the journal has. */
  get seq(): number {
    return this.#seq;
  }

  /** Settles when no write is under way; `undefined` when there is none. */
  get written(): Promise<void> | undefined {
    return this.#tail;
  }

  /** True when a write has failed: what the store holds is not what this host believes. */
  get broken(): boolean {
    return this.#broken;
  }

  /** Set when a drive was stopped because nothing more can be done without a human. */
  get rest(): Rest | undefined {
    return this.#rest;
  }

  /** Wakes a drive when the node is left that it runs in. */
  #heed(stop: Stop): void {
    if (stop.aborted) throw stop.reason;
    if (this.#heeded.has(stop)) return;
    this.#heeded.add(stop);
    stop.onAbort(() => this.#wake());
  }

  /** Makes every drive throw `cause` at its next move. */
  fail(cause: unknown): void {
    this.#failure ??= { cause };
    this.#wake();
  }

  /**
   * Gives a human's event to the wait that it answers, as soon as that is open.
   * @throws {WorkflowError} `INTERRUPT_UNKNOWN`, `INTERRUPT_ANSWERED`, `EVENT_NOT_ACCEPTED`, `EVENT_INVALID`; what stopped the host before
   *   it came to the wait.
   */
  offer(interruptId: string, event: HumanEvent): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.cause);
    const answered = this.#waits.offer(interruptId, event);
    this.#whenIdle();
    return answered;
  }

  /** Refuses the answers that nobody will take any more, and cancels the timers. */
  close(cause: unknown): void {
    this.fail(cause);
    this.#waits.refuseAll(cause);
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#endPatience();
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
    return this.#known.has(key) ? 1 : 1 + this.#options.epoch - this.#delivered;
  }

  step(key: string, work: () => Promise<Outcome>, stop: Stop, nested: boolean): Promise<Outcome> {
    try {
      this.#options.usage.addVisit();
      this.#ask(key, () => {
        if (!stop.aborted && (nested || !this.#options.onlyLooks)) this.#begin(key, work, stop);
      });
    } catch (cause) {
      this.fail(cause);
    }
    return unused;
  }

  recorded(node: string): readonly string[] {
    const prefix = `${node}/`;
    return [...this.#known].flatMap(([key, { kind }]) => (kind === 'step' && key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
  }

  async memo<T extends Json>(
    node: string,
    step: string,
    work: (attempt: Attempt) => Promise<T>,
    stop: Stop,
    options: StepOptions,
    maxOutputBytes: number,
  ): Promise<T> {
    const key = `${node}/${step}`;
    checkStep(step, options);
    const { effect = 'idempotent', describe = null, fromHuman } = options;
    if (this.#usedSteps.has(key)) throw stepKeyReused(key);
    this.#usedSteps.add(key);
    const known = this.#known.get(key);
    if (known) return replayStep(known.outcome, fromHuman) as T;
    this.#throwIfStopped(stop);
    if (this.#doubts.size > 0) return never();
    const once = effect === 'once';
    const intent = this.#intents.get(key);
    if (once && intent) return this.#doubt(key, intent);
    this.#steps++;
    if (once) this.#onceSteps++;
    try {
      if (once) {
        const { owner } = this.#options;
        await this.#append(key, 'intent', toJson({ describe, ...(owner === undefined ? {} : { owner }) }, 'step'));
        this.#throwIfStopped(stop);
      }
      const { epoch, runId } = this.#options;
      const attempt: Attempt = {
        number: 1 + epoch - Math.max(this.#delivered, this.#lastStep.get(node) ?? 0),
        idempotencyKey: hash(`${runId}/${key}`),
        get signal() {
          return stop.signal;
        },
      };
      const attempted = await attemptStep(key, work, attempt, maxOutputBytes);
      if (once && isDoubtful(attempted)) return this.#doubt(key, this.#intents.get(key));
      // An interrupted step has no outcome. That of a `once` step is true whatever became of its node, so it is kept.
      if (!once) this.#throwIfStopped(stop);
      this.#throwIfFailed();
      await this.#append(key, 'step', attempted.outcome);
      this.#throwIfFailed();
      if (attempted.thrown) throw attempted.thrown.cause;
      return attempted.value as T;
    } finally {
      this.#steps--;
      if (once) this.#onceSteps--;
      this.#whenIdle();
    }
  }

  waitEvent(key: string, wait: Wait, stop: Stop): Promise<Outcome> {
    const { accepts, question } = wait;
    // the same in every replay, and another one for every entry into the state, for every fork, and for anything else that is asked
    const asked = question === undefined ? '' : `/${canonicalJson(question)}`;
    const id = `i_${hash(`${this.#options.runId}/${key}/${this.#lastDelivered.get(driveOf(key)) ?? 0}${asked}`).slice(0, 16)}`;
    const interrupt: Interrupt = { id, key, accepts, ...(question === undefined ? {} : { question }) };
    this.emit({ type: 'interrupt', interrupt });
    this.#ask(key, () => {
      if (stop.aborted) return;
      this.#waits.open(key, interrupt, wait);
      stop.onAbort(() => this.#waits.close(key));
    });
    return unused;
  }

  sleep(key: string, delayMs: number, stop: Stop): Promise<Outcome> {
    this.#ask(key, () => {
      if (!stop.aborted) this.#setTimer(key, delayMs, stop);
    });
    return unused;
  }

  async next(pending: ReadonlyMap<string, Promise<Outcome>>, stop?: Stop): Promise<readonly [key: string, outcome: Outcome]> {
    for (;;) {
      this.#throwIfFailed();
      if (stop) this.#heed(stop);
      const first = this.#firstOf(pending);
      if (first) {
        this.#asked.delete(first.key);
        this.#delivered = first.epoch;
        this.#lastDelivered.set(driveOf(first.key), first.seq);
        return [first.key, toOutcome(first)];
      }
      if (this.#beginAsked(pending)) continue;
      this.#idle++;
      this.#waiting++;
      this.#woken ??= Promise.withResolvers();
      const { promise } = this.#woken;
      this.#whenIdle();
      await promise;
      this.#idle--;
    }
  }

  /** Writes a human's word on a call in doubt, before the run is driven again. */
  async resolve(callId: string, kind: 'step' | 'retry', outcome: Json): Promise<void> {
    await this.#append(callId, kind, outcome);
  }

  /** Writes down what a run is allowed from now on. */
  async limit(limits: JsonObject): Promise<void> {
    await this.#append('run', 'limits', limits);
  }

  readonly #catch = (cause: unknown): void => this.fail(cause);

  readonly #writeFailed = (cause: unknown): void => {
    this.#broken = true;
    this.fail(cause);
  };

  #throwIfStopped(stop: Stop): void {
    if (stop.aborted) throw stop.reason;
    this.#throwIfFailed();
  }

  #throwIfFailed(): void {
    if (this.#failure) throw this.#failure.cause;
  }

  /** Remembers what is to begin. Nothing begins before `next` finds that the journal has no more to say: it may tell that the state is left. */
  #ask(key: string, begin: () => void): void {
    this.#unasked.delete(key);
    this.#asked.set(key, begin);
  }

  /** Begins what these keys have asked for; false when there was nothing. */
  #beginAsked(pending: ReadonlyMap<string, unknown>): boolean {
    let begun = false;
    for (const key of pending.keys()) {
      const begin = this.#asked.get(key);
      if (!begin || this.#failure) continue;
      if (!begun && !key.includes('/')) this.assertReplayed(key);
      begun = true;
      this.#asked.delete(key);
      begin();
    }
    return begun;
  }

  #firstOf(pending: ReadonlyMap<string, unknown>): JournalEntry | undefined {
    let first: JournalEntry | undefined;
    for (const key of pending.keys()) {
      const entry = this.#known.get(key);
      if (entry && (!first || entry.seq < first.seq)) first = entry;
    }
    return first;
  }

  #begin(key: string, work: () => Promise<Outcome>, stop: Stop): void {
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    this.#nodes++;
    work().then((outcome) => {
      this.#nodes--;
      if (stop.aborted || this.#failure) {
        this.#whenIdle();
        return;
      }
      const durationMs = round(Math.max(0, clock.monotonic() - startedAt));
      const error = 'error' in outcome ? { error: outcome.error } : {};
      void this.#append(key, 'node', outcome, { type: 'node-end', key, durationMs, ...error });
    }, this.#catch);
  }

  #setTimer(key: string, delayMs: number, stop: Stop): void {
    const { clock } = this.#options;
    let due = this.#due.get(key);
    if (due === undefined) {
      due = clock.now() + delayMs;
      this.#due.set(key, due);
      void this.#append(key, 'timer-start', due);
    }
    const fire = (): void => {
      this.#timers.delete(key);
      if (!stop.aborted && !this.#failure) void this.#append(key, 'timer', { fired: true });
    };
    const remaining = due - clock.now();
    if (remaining <= 0) {
      fire(); // now, so that what was overdue comes before any new event
      return;
    }
    const cancel = clock.schedule(remaining, fire);
    this.#timers.set(key, cancel);
    stop.onAbort(() => {
      cancel();
      this.#timers.delete(key);
    });
  }

  /** @throws {WorkflowError} `JOURNAL_DIVERGED` when the journal holds outcomes that the machine has not asked for. */
  assertReplayed(at: string): void {
    const [unasked] = this.#unasked;
    if (unasked === undefined) return;
    throw new WorkflowError({
      code: 'JOURNAL_DIVERGED',
      message: `The journal goes on with "${unasked}", but the machine has come to "${at}".`,
      hint: 'A guard, a reducer or toMachineInput must have given another answer than before: they may depend on nothing but their arguments.',
      data: { expected: unasked, found: at },
    });
  }

  #learn(entry: JournalEntry): void {
    const { kind, key, epoch } = entry;
    if (kind === 'timer-start') this.#due.set(key, Number(entry.outcome));
    else if (kind === 'intent') this.#intents.set(key, entry);
    else if (kind === 'retry') this.#intents.delete(key);
    else if (isOutcome(kind) || kind === 'step') this.#known.set(key, entry);
    if (kind === 'step' || kind === 'intent' || kind === 'retry') this.#lastStep.set(key.slice(0, key.lastIndexOf('/')), epoch);
  }

  /**
   * Commits an entry, in the order of the calls; the run learns of it when it is durable. Its number and its events are taken when it is
   * written, and not before: one that a failure keeps from being written must not leave a gap.
   *
   * @param says what is said with it.
   */
  #append(key: string, kind: EntryKind, outcome: unknown, says?: LifecycleEvent): Promise<void> | undefined {
    if (this.#failure) return undefined;
    if (this.#tail) return this.#follow(this.#tail.then(() => this.#commit(key, kind, outcome, says)));
    let written: Awaitable<void>;
    try {
      written = this.#commit(key, kind, outcome, says);
    } catch (cause) {
      this.#writeFailed(cause);
      return undefined;
    }
    return written instanceof Promise ? this.#follow(written) : undefined;
  }

  #follow(written: Promise<void>): Promise<void> {
    this.#writes++;
    const tail = written.catch(this.#writeFailed).then(() => {
      this.#writes--;
      if (this.#tail === tail) this.#tail = undefined;
      this.#whenIdle();
    });
    this.#tail = tail;
    return tail;
  }

  #commit(key: string, kind: EntryKind, outcome: unknown, says: LifecycleEvent | undefined): Awaitable<void> {
    if (this.#failure) return undefined;
    const { clock, epoch, log, write } = this.#options;
    if (says) log.emit(says);
    const entry: JournalEntry = { seq: this.#seq + 1, key, kind, outcome: outcome as Json, events: log.take(), epoch, at: clock.now() };
    const written = write(entry);
    if (written instanceof Promise) return written.then(() => this.#committed(entry));
    this.#committed(entry);
    return undefined;
  }

  #committed(entry: JournalEntry): void {
    this.#seq = entry.seq; // whatever has happened meanwhile: it is written
    if (this.#failure) return;
    this.#learn(entry);
    this.#wake();
  }

  #wake(): void {
    this.#sleep(false);
    this.#woken?.resolve();
    this.#woken = undefined;
    this.#waiting = 0;
  }

  /** What is to be done when every drive waits: take an answer, or stop because only a human can move the run. */
  #whenIdle(): void {
    if (this.#failure || this.#writes > 0 || !this.#allDrivesWait()) return;
    // only now: an answer must not overtake a timer that has fired already
    this.#waits.answer(this.#commitAnswer, this.#known);
    if ((this.#outOfPatience ? this.#onceSteps : this.#steps) > 0 || !this.#allDrivesWait()) return;
    if (this.#doubts.size > 0) this.#stopFor({ status: 'in_doubt', calls: [...this.#doubts.values()] });
    // every node that is still at work is itself a drive that waits
    else if (this.#nodes === this.#idle - 1) this.#stopOrSleep();
  }

  /** True when no outcome is on its way to a drive. */
  #allDrivesWait(): boolean {
    return this.#idle > 0 && this.#waiting === this.#idle;
  }

  /** Nothing works any more: only a human or a timer can move the run. */
  #stopOrSleep(): void {
    this.#waits.refuse(this.#known);
    const { interrupts } = this.#waits;
    const due = [...this.#timers.keys()].flatMap((key) => this.#due.get(key) ?? []);
    const wakeAt = due.length > 0 ? Math.min(...due) : undefined;
    if (interrupts.length > 0) this.#stopFor({ status: 'waiting', interrupts, wakeAt });
    else if (wakeAt === undefined) return;
    else if (wakeAt - this.#options.clock.now() > shortSleepMs) this.#stopFor({ status: 'waiting', interrupts, wakeAt });
    else this.#sleep(true);
  }

  #sleep(asleep: boolean): void {
    if (this.#asleep === asleep) return;
    this.#asleep = asleep;
    this.#options.sleeps?.(asleep);
  }

  #stopFor(rest: Rest): void {
    this.#rest = rest;
    this.fail(
      new WorkflowError({
        code: 'RUN_PUT_DOWN',
        message: 'The run waits.',
        hint: 'Stop the work: it starts again when the run goes on.',
      }),
    );
  }

  readonly #commitAnswer = (key: string, answer: Json): Awaitable<void> => {
    const written = this.#append(key, 'event', answer);
    return written ? written.then(() => this.#throwIfFailed()) : this.#throwIfFailed();
  };

  /** Lets the steps end that are at work beside a call in doubt, but not for ever. */
  #waitForOthers(): void {
    const enough = (): void => {
      this.#outOfPatience = true;
      this.#whenIdle();
    };
    this.#endPatience = this.#options.clock.schedule(doubtPatienceMs, enough);
  }

  /** Never settles: a human decides, and the run is driven again. */
  #doubt(callId: string, intent: JournalEntry | undefined): Promise<never> {
    const { clock, mayLive } = this.#options;
    const { describe = null, owner } = (intent?.outcome ?? {}) as { readonly describe?: Json; readonly owner?: string };
    const ownerMayLive = owner === undefined || mayLive === undefined || mayLive(owner);
    if (this.#doubts.size === 0) this.#waitForOthers();
    this.#doubts.set(callId, { callId, describe, startedAt: intent?.at ?? clock.now(), ownerMayLive });
    this.#whenIdle();
    return never();
  }
}

const never = (): Promise<never> => new Promise(() => {});

/** The kinds that end a wait of the machine. */
const isOutcome = (kind: EntryKind): boolean => kind === 'node' || kind === 'event' || kind === 'timer';

/** The driver's promises are names for what is pending; their outcomes come from `next`. */
const unused: Promise<Outcome> = Promise.resolve({ fired: true });

const toOutcome = (entry: JournalEntry): Outcome => entry.outcome as unknown as Outcome;

const stepKeyReused = (key: string): WorkflowError =>
  new WorkflowError({
    code: 'STEP_KEY_REUSED',
    message: `The step "${key}" has run already in this visit of its node.`,
    hint: 'Give each step of a visit a key of its own, for example with the number of the item.',
    data: { key },
  });

const round = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;
