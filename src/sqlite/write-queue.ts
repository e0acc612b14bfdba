import type { Awaitable } from '../ports/run-store.ts';
import { whenUnlocked } from './when-unlocked.ts';

/** Writes to a SQLite file, in the order in which they are asked for: at once, or when the file is not locked any more. */
export class WriteQueue {
  readonly #timeoutMs: number;
  /** Settles after the last write that waits. Never rejects. */
  #last: Promise<void> | undefined;

  /** @param timeoutMs how long a write may wait for the lock and for those before it; then it throws what SQLite has said. */
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

  /** Settles when nothing waits; `undefined` when nothing does now. */
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
