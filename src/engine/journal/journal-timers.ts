import type { Clock } from '../../core/ports/clock.ts';
import type { Stop } from '../../core/util/stop.ts';
import type { HostFailure } from '../drive/host-failure.ts';
import type { JournalIndex } from './journal-index.ts';
import type { JournalWriter } from './journal-writer.ts';

export interface JournalTimersOptions {
  readonly clock: Clock;
  readonly journal: JournalIndex;
  readonly writer: JournalWriter;
  readonly failure: HostFailure;
}

/** Timers of a run. Each is due at the time in the journal, also across restarts. */
export class JournalTimers {
  readonly #options: JournalTimersOptions;
  #cancels: Map<string, () => void> | undefined;

  constructor(options: JournalTimersOptions) {
    this.#options = options;
  }

  /** Time at which the earliest timer is due, in milliseconds since 1970. `undefined` when there is none. */
  get wakeAt(): number | undefined {
    if (!this.#cancels?.size) return undefined;
    return Math.min(...[...this.#cancels.keys()].flatMap((key) => this.#options.journal.due(key) ?? []));
  }

  set(key: string, delayMs: number, stop: Stop): void {
    const { clock, failure, journal, writer } = this.#options;
    let due = journal.due(key);
    if (due === undefined) {
      due = clock.now() + delayMs;
      journal.setDue(key, due);
      void writer.append(key, 'timer-start', due);
    }
    const fire = (): void => {
      this.#cancels?.delete(key);
      if (!stop.aborted && !failure.isSet) void writer.append(key, 'timer', { fired: true });
    };
    const remaining = due - clock.now();
    if (remaining <= 0) {
      fire(); // at once, so that an overdue timer comes before any new event
      return;
    }
    const cancel = clock.schedule(remaining, fire);
    this.#cancels ??= new Map();
    this.#cancels.set(key, cancel);
    stop.onAbort(() => {
      cancel();
      this.#cancels?.delete(key);
    });
  }

  cancelAll(): void {
    for (const cancel of this.#cancels?.values() ?? []) cancel();
    this.#cancels?.clear();
  }
}
