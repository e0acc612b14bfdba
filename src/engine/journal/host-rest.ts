import { WorkflowError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Json } from '../../core/ports/json.ts';
import type { CallInDoubt, Interrupt } from '../../core/ports/run-event.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import type { HostFailure } from '../drive/host-failure.ts';
import type { JournalIndex } from './journal-index.ts';
import type { JournalTimers } from './journal-timers.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { JournaledSteps } from './journaled-steps.ts';
import type { OpenWaits } from './open-waits.ts';
import type { RunningNodes } from './running-nodes.ts';
import type { WaitingDrives } from './waiting-drives.ts';

/** Reason why a host stopped before its run ended. */
export type Rest =
  | {
      readonly status: 'waiting';
      readonly interrupts: readonly Interrupt[];
      /** Time at which the earliest timer is due, in milliseconds since 1970. */
      readonly wakeAt: number | undefined;
    }
  | { readonly status: 'in_doubt'; readonly calls: readonly CallInDoubt[] };

/** Longest sleep for which a sleeping run is not suspended, in milliseconds. For a shorter sleep, resuming would cost more than waiting. */
const shortSleepMs = 5_000;

export interface HostRestOptions {
  readonly clock: Clock;
  readonly journal: JournalIndex;
  readonly writer: JournalWriter;
  readonly steps: JournaledSteps;
  readonly timers: JournalTimers;
  readonly waits: OpenWaits;
  readonly drives: WaitingDrives;
  readonly failure: HostFailure;
  readonly nodes: RunningNodes;
  /** Called with true when nothing is at work and a short timer is pending, and with false afterwards. */
  readonly sleeps: ((asleep: boolean) => void) | undefined;
  /** Ends every drive. */
  readonly stop: (cause: WorkflowError) => void;
}

/** Detects when a run rests, which means that no work in progress can move it any more. */
export class HostRest {
  readonly #options: HostRestOptions;
  #asleep = false;
  #found: Rest | undefined;

  constructor(options: HostRestOptions) {
    this.#options = options;
  }

  /** Set when a drive was stopped because only a human or a timer can move the run. */
  get found(): Rest | undefined {
    return this.#found;
  }

  /** Acts when every drive waits: takes an answer, or stops because only a human or a timer can move the run. */
  check(): void {
    const { drives, failure, journal, nodes, steps, waits, writer } = this.#options;
    if (failure.isSet || writer.isWriting || !drives.allWait) return;
    // not before this point, since an answer must not overtake a timer that has fired
    waits.answer(this.#commitAnswer, journal.outcomes);
    if (steps.awaited > 0 || !drives.allWait || writer.isWriting) return;
    const { doubts } = steps;
    if (doubts) this.#stopFor({ status: 'in_doubt', calls: doubts });
    // every node still at work is itself a waiting drive
    else if (nodes.count === drives.count - 1) this.#stopOrSleep();
  }

  sleep(asleep: boolean): void {
    if (this.#asleep === asleep) return;
    this.#asleep = asleep;
    this.#options.sleeps?.(asleep);
  }

  /** Called when no work is in progress: only a human or a timer can move the run. */
  #stopOrSleep(): void {
    const { clock, journal, timers, waits } = this.#options;
    waits.refuse(journal.outcomes);
    const { interrupts } = waits;
    const { wakeAt } = timers;
    if (interrupts.length > 0) this.#stopFor({ status: 'waiting', interrupts, wakeAt });
    else if (wakeAt === undefined) return;
    else if (wakeAt - clock.now() > shortSleepMs) this.#stopFor({ status: 'waiting', interrupts, wakeAt });
    else this.sleep(true);
  }

  #stopFor(rest: Rest): void {
    this.#found = rest;
    this.#options.stop(
      new WorkflowError({
        code: 'RUN_SUSPENDED',
        message: 'The run waits.',
        hint: 'Stop the work. It restarts when the run resumes.',
      }),
    );
  }

  readonly #commitAnswer = (key: string, answer: Json): Awaitable<void> => {
    const { failure, writer } = this.#options;
    const written = writer.append(key, 'event', answer);
    return written ? written.then(() => failure.throwIfSet()) : failure.throwIfSet();
  };
}
