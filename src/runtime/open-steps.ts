import { nextTurn } from '../util/next-turn.ts';
import { StepPromise } from './step-promise.ts';

/** A step that has failed. */
export interface FailedStep {
  readonly promise: StepPromise<unknown>;
  readonly cause: unknown;
}

/** The steps of one visit of a node: none of them outlives it, and none of them can end the process. */
export class OpenSteps {
  #open = 0;
  readonly #failed: FailedStep[] = [];
  /** Failures that their callers are not told of yet. */
  #untold: (() => void)[] | undefined;
  #handlerWorks = true;
  #ended = false;
  #allSettled: (() => void) | undefined;

  begin<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) return new Promise(() => {}); // what gets here is awaited by nobody: thrown, it would end the process
    this.#open++;
    const promise: StepPromise<T> = new StepPromise<T>((resolve, reject) => {
      work().then(
        (value) => {
          resolve(value);
          this.#settled();
        },
        (cause: unknown) => {
          promise.disarm();
          this.#failed.push({ promise, cause });
          this.#tell(() => reject(cause));
          this.#settled();
        },
      );
    });
    return promise;
  }

  /**
   * Waits for the steps of a node whose handler has ended, and takes no new ones.
   * @returns the first that has failed without anybody having looked at it.
   */
  async end(): Promise<FailedStep | undefined> {
    this.#handlerWorks = false;
    while (this.#open > 0) {
      await new Promise<void>((resolve) => {
        this.#allSettled = resolve;
      });
      await nextTurn(); // what nobody awaits may begin another one
    }
    this.#ended = true;
    return this.#failed.find(({ promise }) => !promise.seen);
  }

  #settled(): void {
    this.#open--;
    if (this.#open === 0) this.#allSettled?.();
  }

  /**
   * Tells of a failure, and of others at the same time only if the handler goes on after it: `await a; await b` ends at `a`, and what was
   * to be awaited behind it would fail with nobody to handle it.
   */
  #tell(reject: () => void): void {
    if (this.#untold) {
      this.#untold.push(reject);
      return;
    }
    this.#untold = [];
    if (this.#handlerWorks) reject();
    void nextTurn().then(() => {
      const untold = this.#untold ?? [];
      this.#untold = undefined;
      for (const next of untold) this.#tell(next);
    });
  }
}
