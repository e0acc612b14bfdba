import type { Clock } from '../../core/ports/clock.ts';
import type { Stop } from '../../core/util/stop.ts';
import type { Outcome } from '../drive/host.ts';
import type { HostFailure } from '../drive/host-failure.ts';
import type { JournalWriter } from './journal-writer.ts';

export interface RunningNodesOptions {
  readonly clock: Clock;
  readonly writer: JournalWriter;
  readonly failure: HostFailure;
  /** Called when a node has ended whose outcome is no longer needed. */
  readonly rested: () => void;
  readonly failed: (cause: unknown) => void;
}

/** Nodes of a run that are at work. Their outcomes are written as they arrive. */
export class RunningNodes {
  readonly #options: RunningNodesOptions;
  #count = 0;

  constructor(options: RunningNodesOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#count;
  }

  begin(key: string, work: () => Promise<Outcome>, stop: Stop): void {
    const { clock, failed } = this.#options;
    const startedAt = clock.monotonic();
    this.#count++;
    work().then((outcome) => this.#end(key, outcome, stop, startedAt), failed);
  }

  #end(key: string, outcome: Outcome, stop: Stop, startedAt: number): void {
    const { clock, failure, rested, writer } = this.#options;
    this.#count--;
    if (stop.aborted || failure.isSet) {
      rested();
      return;
    }
    const durationMs = Math.round(10 * Math.max(0, clock.monotonic() - startedAt)) / 10;
    const error = 'error' in outcome ? { error: outcome.error } : {};
    void writer.append(key, 'node', outcome, { type: 'node-end', key, durationMs, ...error });
  }
}
