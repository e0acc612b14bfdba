import type { Awaitable } from '../../ports/run-store.ts';
import { whenUnlocked } from './when-unlocked.ts';

/** Writes to an SQLite file in order of request, directly or once the file is unlocked. */
export class WriteQueue {
  readonly #timeoutMs: number;
  /** Settles after the last waiting write. Never rejects. */
  #last: Promise<void> | undefined;

  /** @param timeoutMs maximum wait for the lock and for earlier writes; then SQLite's error is thrown. */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  write<T>(work: () => T): Awaitable<T> {
    const giveUpAt = performance.now() + this.#timeoutMs;
    const attempt = (): Awaitable<T> => whenUnlocked(work, giveUpAt - performance.now());
    const written = this.#last ? this.#last.then(attempt) : attempt();
    if (written instanceof Promise) this.#wait(written);
    return written;
  }

  /** Settles when no write waits; `undefined` if none does now. */
  get idle(): Promise<void> | undefined {
    return this.#last;
  }

  #wait(written: Promise<unknown>): void {
    const done = (): void => {
      if (this.#last === last) this.#last = undefined;
    };
    const last: Promise<void> = written.then(done, done);
    this.#last = last;
  }
}
