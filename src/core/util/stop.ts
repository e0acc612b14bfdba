/** A lazily created AbortController; creating and linking one costs several microseconds. */
export class Stop {
  aborted = false;
  #reason: unknown;
  #makeReason: (() => unknown) | undefined;
  #controller: AbortController | undefined;
  #onAbort: (() => void)[] | undefined;

  get reason(): unknown {
    if (this.#makeReason) this.#reason = this.#makeReason();
    this.#makeReason = undefined;
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Calls back on abort, without creating a signal. */
  onAbort(callback: () => void): void {
    if (this.aborted) callback();
    else if (this.#onAbort) this.#onAbort.push(callback);
    else this.#onAbort = [callback];
  }

  abort(reason?: unknown): void {
    this.abortFor(() => reason);
  }

  /** The same with a lazily created reason, because an error costs more than the rest and is rarely read. */
  abortFor(reason: () => unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#makeReason = reason;
    this.#controller?.abort(this.reason);
    for (const callback of this.#onAbort ?? []) callback();
  }
}
