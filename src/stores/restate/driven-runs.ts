import type { Clock } from '../../core/ports/clock.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { CrashGuard } from '../../engine/run/crash-guard.ts';
import type { RunTape } from './run-tape.ts';

/** Runs driven in this process, each by its own invocation. */
export class DrivenRuns {
  readonly #tapes = new Map<string, RunTape>();
  readonly #suspects: CrashGuard;

  constructor(clock: Clock = systemClock) {
    const store = { read: (runId: string) => this.#tapes.get(runId)?.run?.record };
    this.#suspects = new CrashGuard({ store, clock, isHere: (runId) => this.#tapes.has(runId) });
  }

  /** Delays a run that one more crash would park while another such run is driven here. A crash would count for both. */
  async add(runId: string, tape: RunTape, signal: AbortSignal): Promise<void> {
    const record = tape.run?.record;
    if (record) await this.#suspects.mayTake(record, true, signal);
    this.#tapes.set(runId, tape);
  }

  /** Removes an ended attempt, unless a later one has replaced it. */
  remove(runId: string, tape: RunTape): void {
    if (this.#tapes.get(runId) === tape) this.#tapes.delete(runId);
  }
}
