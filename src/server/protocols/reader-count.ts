import { hasCode } from '../../core/util/has-code.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import type { Runtime } from '../../engine/run/runtime.ts';

/**
 * Counts the readers of each run. If the last reader disconnects before the run rests, the run is cancelled, unless a reader returns in
 * time. A closed page and a reloaded page look alike.
 */
export class ReaderCount {
  readonly #runtime: Pick<Runtime, 'cancel'>;
  readonly #goneMs: number;
  readonly #readers = new Map<string, number>();
  readonly #leaving = new Map<string, () => void>();

  constructor(runtime: Pick<Runtime, 'cancel'>, goneMs: number) {
    this.#runtime = runtime;
    this.#goneMs = goneMs;
  }

  /** Counts a reader. Call `onEnd` when its stream has ended, or `onGone` when it has disconnected. */
  add(runId: string): { readonly onEnd: () => void; readonly onGone: () => void } {
    this.#leaving.get(runId)?.();
    this.#leaving.delete(runId);
    this.#readers.set(runId, (this.#readers.get(runId) ?? 0) + 1);
    let counted = true;
    const leave = (gone: boolean): void => {
      if (!counted) return;
      counted = false;
      const left = (this.#readers.get(runId) ?? 1) - 1;
      if (left > 0) this.#readers.set(runId, left);
      else this.#readers.delete(runId);
      if (gone && left === 0) this.#wait(runId);
    };
    return { onEnd: () => leave(false), onGone: () => leave(true) };
  }

  #wait(runId: string): void {
    if (this.#goneMs === Number.POSITIVE_INFINITY) return;
    const cancel = (): void => {
      this.#leaving.delete(runId);
      void this.#cancel(runId);
    };
    if (this.#goneMs <= 0) cancel();
    else this.#leaving.set(runId, systemClock.schedule(this.#goneMs, cancel, { background: true }));
  }

  async #cancel(runId: string): Promise<void> {
    try {
      await this.#runtime.cancel(runId);
    } catch (cause) {
      if (!hasCode(cause, 'RUN_ENDED', 'RUN_UNKNOWN', 'RUNTIME_CLOSED', 'STORE_UNAVAILABLE')) throw cause;
    }
  }
}
