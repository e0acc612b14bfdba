import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Json } from '../ports/json.ts';
import type { CallInDoubt, Interrupt } from '../ports/run-event.ts';
import type { Awaitable } from '../ports/run-store.ts';
import type { HostFailure } from './host-failure.ts';
import type { IdleDrives } from './idle-drives.ts';
import type { JournalIndex } from './journal-index.ts';
import type { JournalTimers } from './journal-timers.ts';
import type { JournalWriter } from './journal-writer.ts';
import type { JournaledSteps } from './journaled-steps.ts';
import type { NodesAtWork } from './nodes-at-work.ts';
import type { OpenWaits } from './open-waits.ts';

/** Why a host stopped before its run ended. */
export type Rest =
  | {
      readonly status: 'waiting';
      readonly interrupts: readonly Interrupt[];
      /** When the earliest timer is due, in milliseconds since 1970. */
      readonly wakeAt: number | undefined;
    }
  | { readonly status: 'in_doubt'; readonly calls: readonly CallInDoubt[] };

/** A run that only sleeps is suspended, unless it is for so short that resuming it would be most of it, in milliseconds. */
const shortSleepMs = 5_000;

export interface HostRestOptions {
  readonly clock: Clock;
  readonly journal: JournalIndex;
  readonly writer: JournalWriter;
  readonly steps: JournaledSteps;
  readonly timers: JournalTimers;
  readonly waits: OpenWaits;
  readonly drives: IdleDrives;
  readonly failure: HostFailure;
  readonly nodes: NodesAtWork;
  /** Told when nothing is at work and a short timer is waited for, and when that is over. */
  readonly sleeps: ((asleep: boolean) => void) | undefined;
  /** Ends every drive. */
  readonly stop: (cause: WorkflowError) => void;
}

/** Says when a run rests: when nothing that works can move it any more. */
export class HostRest {
  readonly #options: HostRestOptions;
  #asleep = false;
  #found: Rest | undefined;

  constructor(options: HostRestOptions) {
    this.#options = options;
  }

  /** Set when a drive was stopped because nothing more can be done without a human. */
  get found(): Rest | undefined {
    return this.#found;
  }

  /** What is to be done when every drive waits: take an answer, or stop because only a human can move the run. */
  look(): void {
    const { drives, failure, journal, nodes, steps, waits, writer } = this.#options;
    if (failure.isSet || writer.isWriting || !drives.allWait) return;
    // only now: an answer must not overtake a timer that has fired already
    waits.answer(this.#commitAnswer, journal.outcomes);
    if (steps.awaited > 0 || !drives.allWait || writer.isWriting) return;
    const { doubts } = steps;
    if (doubts) this.#stopFor({ status: 'in_doubt', calls: doubts });
    // every node that is still at work is itself a drive that waits
    else if (nodes.count === drives.count - 1) this.#stopOrSleep();
  }

  sleep(asleep: boolean): void {
    if (this.#asleep === asleep) return;
    this.#asleep = asleep;
    this.#options.sleeps?.(asleep);
  }

  /** Nothing works any more: only a human or a timer can move the run. */
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
        hint: 'Stop the work: it starts again when the run goes on.',
      }),
    );
  }

  readonly #commitAnswer = (key: string, answer: Json): Awaitable<void> => {
    const { failure, writer } = this.#options;
    const written = writer.append(key, 'event', answer);
    return written ? written.then(() => failure.throwIfSet()) : failure.throwIfSet();
  };
}
