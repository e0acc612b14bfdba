/** An AbortController that is made only when somebody looks at the signal: making and linking one costs several microseconds. */
export class Stop {
  aborted = false;
  reason: unknown;
  #controller: AbortController | undefined;
  #onAbort: (() => void)[] = [];

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
    else this.#onAbort.push(callback);
  }

  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    for (const callback of this.#onAbort) callback();
  }
}
