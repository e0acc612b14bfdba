/**
 * The promise of a step: it knows whether somebody has looked at it, and the process does not end when nobody has.
 *
 * What `then` makes of it is a plain promise, and the caller's own.
 */
export class StepPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** True once it was awaited, or given to `Promise.all` and the like. */
  seen = false;

  // biome-ignore lint/suspicious/noThenProperty: a promise is what it is
  override then<TFulfilled = T, TRejected = never>(
    onFulfilled?: ((value: T) => TFulfilled | PromiseLike<TFulfilled>) | null,
    onRejected?: ((reason: unknown) => TRejected | PromiseLike<TRejected>) | null,
  ): Promise<TFulfilled | TRejected> {
    this.seen = true;
    return super.then(onFulfilled, onRejected);
  }

  /** Says that its rejection need not be handled, without looking at it. */
  disarm(): void {
    super.then(undefined, () => {});
  }
}
