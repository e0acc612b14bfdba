/** An AbortController that is made only when somebody looks at the signal: making and linking one costs several microseconds. */
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

  /** Calls back at the abort, without making a signal. */
  onAbort(callback: () => void): void {
    if (this.aborted) callback();
    else if (this.#onAbort) this.#onAbort.push(callback);
    else this.#onAbort = [callback];
  }

  abort(reason?: unknown): void {
    this.abortFor(() => reason);
  }

  /** The same for a reason that is made when somebody looks at it: mostly nobody does, and an error costs more than all the rest. */
  abortFor(reason: () => unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.#makeReason = reason;
    this.#controller?.abort(this.reason);
    for (const callback of this.#onAbort ?? []) callback();
  }
}
