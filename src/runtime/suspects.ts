import type { Clock } from '../ports/clock.ts';
import { maxCrashes, type RunRecord, type RunStore } from '../ports/run-store.ts';
import { pause } from '../util/pause.ts';

/** How often a run is looked at, by who waits until it has come further, and for how long it keeps others waiting. In milliseconds. */
const lookMs = 100;
const longestMs = 60_000;

export interface SuspectsOptions {
  readonly store: Pick<RunStore, 'read'>;
  readonly clock: Clock;
  /** Whether a run is driven here. */
  readonly isHere: (runId: string) => boolean;
}

/**
 * Runs that another crash would park. Each is driven beside no other one of its kind: who only was beside the run that brings processes down
 * would be taken for it.
 */
export class Suspects {
  readonly #options: SuspectsOptions;
  /** The one that was taken last. */
  #last: RunRecord | undefined;
  #takenAt = Number.NEGATIVE_INFINITY;

  constructor(options: SuspectsOptions) {
    this.#options = options;
  }

  /**
   * Whether a run may be taken now: each that is no suspect, and a suspect when the one before it has come further, is not driven here, or has had a minute.
   * @param waits for that, rather than to say no.
   */
  async mayTake(record: RunRecord, waits: boolean, signal: AbortSignal): Promise<boolean> {
    if (record.status !== 'running' || record.crashes !== maxCrashes - 1) return true;
    const { store, clock, isHere } = this.#options;
    for (;;) {
      const last = this.#last;
      if (!last || last.id === record.id || !isHere(last.id) || clock.monotonic() - this.#takenAt >= longestMs) break;
      if ((await store.read(last.id))?.seq !== last.seq) break;
      if (!waits) return false;
      await pause(lookMs, clock, signal);
    }
    this.#last = record;
    this.#takenAt = clock.monotonic();
    return true;
  }
}
