import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Json } from '../../core/ports/json.ts';
import type { Attempt, StepOptions } from '../../core/ports/node-io.ts';
import type { CallInDoubt } from '../../core/ports/run-event.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { hash } from '../../core/util/hash.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import type { Stop } from '../../core/util/stop.ts';
import { toJson } from '../../core/util/to-json.ts';
import { checkStep } from '../drive/check-step.ts';
import type { HostFailure } from '../drive/host-failure.ts';
import type { JournalIndex } from './journal-index.ts';
import type { JournalWriter } from './journal-writer.ts';
import { isInDoubt, performStep, replayStep } from './step-record.ts';

/**
 * Maximum wait for repeatable steps beside a call in doubt, in milliseconds. A step whose work contains that call would wait for it
 * forever.
 */
const doubtPatienceMs = 30_000;

export interface JournaledStepsOptions {
  readonly runId: string;
  readonly epoch: number;
  readonly owner: string | undefined;
  readonly mayLive: ((owner: string) => boolean) | undefined;
  readonly clock: Clock;
  readonly journal: JournalIndex;
  readonly writer: JournalWriter;
  readonly failure: HostFailure;
  /** Epoch of the last outcome that a drive has received. */
  readonly delivered: () => number;
  /** Called when a step has ended, or waits for a human. */
  readonly rested: () => void;
}

/** A requested step and its node. */
export interface StepRequest<T> {
  readonly node: string;
  readonly step: string;
  readonly work: (attempt: Attempt) => Promise<T>;
  readonly stop: Stop;
  readonly options: StepOptions;
  readonly maxOutputBytes: number;
}

/** The `io.step` work of a run. Each step runs once and is journaled, or is in doubt. */
export class JournaledSteps {
  readonly #options: JournaledStepsOptions;
  #used: Set<string> | undefined;
  #doubts: Map<string, CallInDoubt> | undefined;
  #open = 0;
  /** Number of open `once` steps, which must not be cut off. */
  #openOnce = 0;
  #outOfPatience = false;
  #endPatience = (): void => {};

  constructor(options: JournaledStepsOptions) {
    this.#options = options;
  }

  /** Number of open steps that must end before the run can rest. */
  get awaited(): number {
    return this.#outOfPatience ? this.#openOnce : this.#open;
  }

  /** Calls in doubt. `undefined` when there are none. */
  get doubts(): readonly CallInDoubt[] | undefined {
    return this.#doubts && [...this.#doubts.values()];
  }

  /** @see Host.memo */
  async perform<T>(request: StepRequest<T>): Promise<T> {
    const { node, step, options, stop } = request;
    const { failure, journal, writer } = this.#options;
    const key = `${node}/${step}`;
    checkStep(step, options);
    this.#used ??= new Set();
    if (this.#used.has(key)) throw stepKeyReused(key);
    this.#used.add(key);
    const known = journal.outcome(key);
    if (known) return replayStep(known.outcome, options.fromHuman) as T;
    failure.throwIfStopped(stop);
    if (this.#doubts) return never();
    const once = options.effect === 'once';
    if (once && journal.intent(key)) return this.#doubt(key);
    this.#open++;
    if (once) this.#openOnce++;
    try {
      if (once) {
        await this.#writeIntent(key, options);
        failure.throwIfStopped(stop);
        for (let late = writer.confirm(); late; late = writer.confirm()) {
          await late;
          failure.throwIfStopped(stop);
        }
      }
      // no `await` between the last lease check and the call
      const performed = await performStep(key, request.work, this.#attemptOf(key, request), request.maxOutputBytes);
      if (once && isInDoubt(performed)) return this.#doubt(key); // not awaited, because the step is no longer at work
      // An interrupted step has no outcome. A `once` step keeps its outcome, which is true regardless of its node.
      if (!once) failure.throwIfStopped(stop);
      failure.throwIfSet();
      const written = writer.append(key, 'step', performed.outcome);
      if (written) await written;
      failure.throwIfSet();
      if (performed.thrown) throw performed.thrown.cause;
      return performed.value as T;
    } finally {
      this.#open--;
      if (once) this.#openOnce--;
      this.#options.rested();
    }
  }

  /** Stops waiting for steps beside a call in doubt. */
  close(): void {
    this.#endPatience();
  }

  #writeIntent(key: string, { describe = null }: StepOptions): Promise<void> | undefined {
    const { owner, writer } = this.#options;
    return writer.append(key, 'intent', toJson({ describe, ...(owner === undefined ? {} : { owner }) }, 'step', defaultMaxOutputBytes));
  }

  #attemptOf(key: string, { node, stop }: Pick<StepRequest<Json>, 'node' | 'stop'>): Attempt {
    const { delivered, epoch, journal, runId } = this.#options;
    return {
      number: 1 + epoch - Math.max(delivered(), journal.lastEpochOf(node)),
      // computed on access, because most work needs neither and they cost more than the rest of a step
      get idempotencyKey() {
        return hash(`${runId}/${key}`);
      },
      get signal() {
        return stop.signal;
      },
    };
  }

  /** Never settles: a human decides, and the run is driven again. */
  #doubt(callId: string): Promise<never> {
    const { clock, journal, mayLive, rested } = this.#options;
    const intent: JournalEntry | undefined = journal.intent(callId);
    const { describe = null, owner } = (intent?.outcome ?? {}) as { readonly describe?: Json; readonly owner?: string };
    const ownerMayLive = owner === undefined || mayLive === undefined || mayLive(owner);
    if (!this.#doubts) this.#waitForOthers();
    this.#doubts ??= new Map();
    this.#doubts.set(callId, { callId, describe, startedAt: intent?.at ?? clock.now(), ownerMayLive });
    rested();
    return never();
  }

  /** Gives the steps beside a call in doubt `doubtPatienceMs` to end. */
  #waitForOthers(): void {
    const enough = (): void => {
      this.#outOfPatience = true;
      this.#options.rested();
    };
    this.#endPatience = this.#options.clock.schedule(doubtPatienceMs, enough);
  }
}

const never = (): Promise<never> => new Promise(() => {});

const stepKeyReused = (key: string): WorkflowError =>
  new WorkflowError({
    code: 'STEP_KEY_REUSED',
    message: `The step "${key}" has already run in this visit of its node.`,
    hint: 'Give each step of a visit its own key, for example with the number of the item.',
    data: { key },
  });
