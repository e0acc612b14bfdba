import type { Clock } from '../../core/ports/clock.ts';
import { maxCrashes, type RunRecord, type RunStore } from '../../core/ports/run-store.ts';
import { pause } from '../../core/util/pause.ts';

/** Interval between two polls of a suspect, and maximum time for which it blocks other suspects. In milliseconds. */
const pollMs = 100;
const longestMs = 60_000;

export interface CrashGuardOptions {
  readonly store: Pick<RunStore, 'read'>;
  readonly clock: Clock;
  /** True when a run is driven here. */
  readonly isHere: (runId: string) => boolean;
}

/**
 * Runs that another crash would park. Suspects are driven one at a time. Otherwise a run that only ran beside the crashing one would be
 * parked with it.
 */
export class CrashGuard {
  readonly #options: CrashGuardOptions;
  #last: RunRecord | undefined;
  #takenAt = Number.NEGATIVE_INFINITY;

  constructor(options: CrashGuardOptions) {
    this.#options = options;
  }

  /**
   * True when a run may be taken now. A run that is no suspect always may. A suspect may when the one before it has made progress, is not
   * driven here, or was taken 60 seconds ago.
   * @param waits Waits until the run may be taken, instead of returning false.
   */
  async mayTake(record: RunRecord, waits: boolean, signal: AbortSignal): Promise<boolean> {
    // Decision 394: a crash counts for every run of the process, so suspects must not run beside each other.
    if (record.status !== 'running' || record.crashes !== maxCrashes - 1) return true;
    const { store, clock, isHere } = this.#options;
    for (;;) {
      const last = this.#last;
      if (!last || last.id === record.id || !isHere(last.id) || clock.monotonic() - this.#takenAt >= longestMs) break;
      if ((await store.read(last.id))?.seq !== last.seq) break;
      if (!waits) return false;
      await pause(pollMs, clock, signal);
    }
    this.#last = record;
    this.#takenAt = clock.monotonic();
    return true;
  }
}
