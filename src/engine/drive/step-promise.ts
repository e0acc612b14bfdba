/**
 * Promise of a step. Records whether it was ever awaited. An unawaited rejection does not end the process.
 *
 * `then` returns a plain promise, which belongs to the caller.
 */
export class StepPromise<T> extends Promise<T> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** True once it was awaited, or passed to `Promise.all` and the like. */
  seen = false;

  // biome-ignore lint/suspicious/noThenProperty: a promise is what it is
  override then<TFulfilled = T, TRejected = never>(
    onFulfilled?: ((value: T) => TFulfilled | PromiseLike<TFulfilled>) | null,
    onRejected?: ((reason: unknown) => TRejected | PromiseLike<TRejected>) | null,
  ): Promise<TFulfilled | TRejected> {
    this.seen = true;
    return super.then(onFulfilled, onRejected);
  }

  /** Prevents an unhandled rejection without setting `seen`. */
  disarm(): void {
    super.then(undefined, () => {});
  }
}
