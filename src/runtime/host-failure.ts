import type { Stop } from '../util/stop.ts';

/** What has stopped a host, once something has. */
export class HostFailure {
  #failure: { readonly cause: unknown } | undefined;

  get isSet(): boolean {
    return this.#failure !== undefined;
  }

  /** The first cause counts. */
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
