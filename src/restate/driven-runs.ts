import type { Clock } from '../ports/clock.ts';
import { Suspects } from '../runtime/suspects.ts';
import { systemClock } from '../util/system-clock.ts';
import type { RunTape } from './run-tape.ts';

/** The runs that are driven in this process, each by an invocation of its own. */
export class DrivenRuns {
  readonly #tapes = new Map<string, RunTape>();
  readonly #suspects: Suspects;

  constructor(clock: Clock = systemClock) {
    const store = { read: (runId: string) => this.#tapes.get(runId)?.run?.record };
    this.#suspects = new Suspects({ store, clock, isHere: (runId) => this.#tapes.has(runId) });
  }

  /** Waits where the run could be taken for one that brings processes down, since it stands beside it. */
  async add(runId: string, tape: RunTape, signal: AbortSignal): Promise<void> {
    const record = tape.run?.record;
    if (record) await this.#suspects.mayTake(record, true, signal);
    this.#tapes.set(runId, tape);
  }

  /** An attempt has ended; there may be a later one. */
  remove(runId: string, tape: RunTape): void {
    if (this.#tapes.get(runId) === tape) this.#tapes.delete(runId);
  }
}
