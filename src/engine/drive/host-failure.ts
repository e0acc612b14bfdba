import type { Stop } from '../../core/util/stop.ts';

/** The error that has stopped a host, once it is set. */
export class HostFailure {
  #failure: { readonly cause: unknown } | undefined;

  get isSet(): boolean {
    return this.#failure !== undefined;
  }

  /** Keeps the first cause. */
  set(cause: unknown): void {
    this.#failure ??= { cause };
  }

  throwIfSet(): void {
    if (this.#failure) throw this.#failure.cause;
  }

  throwIfStopped(stop: Stop): void {
    if (stop.aborted) throw stop.reason;
    this.throwIfSet();
  }
}
