/** Drives of one run that wait for an outcome: its own, and those of workflows inside its nodes. */
export class WaitingDrives {
  #count = 0;
  /** Number of these drives that have not been woken since. */
  #waiting = 0;
  #woken: Promise<void> | undefined;
  #wake = (): void => {};

  get count(): number {
    return this.#count;
  }

  /** True when no drive is about to receive an outcome. */
  get allWait(): boolean {
    return this.#count > 0 && this.#waiting === this.#count;
  }

  /** Settles when the drives are woken. A drive calls `leave` after its wait. */
  wait(): Promise<void> {
    this.#count++;
    this.#waiting++;
    this.#woken ??= new Promise((resolve) => {
      this.#wake = resolve;
    });
    return this.#woken;
  }

  leave(): void {
    this.#count--;
  }

  wake(): void {
    if (this.#woken) this.#wake();
    this.#woken = undefined;
    this.#waiting = 0;
  }
}
