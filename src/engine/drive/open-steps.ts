import { nextTurn } from '../../core/util/next-turn.ts';
import { StepPromise } from './step-promise.ts';

export interface FailedStep {
  readonly step: string;
  readonly promise: StepPromise<unknown>;
  readonly cause: unknown;
}

/** The steps of one visit of a node. No step outlives the visit, and no failed step can end the process. */
export class OpenSteps {
  #open = 0;
  readonly #failed: FailedStep[] = [];
  /** Failures that have not been passed to their callers yet. */
  #unreported: (() => void)[] | undefined;
  #handlerWorks = true;
  #ended = false;
  #allSettled: (() => void) | undefined;

  begin<T>(step: string, work: () => Promise<T>): Promise<T> {
    if (this.#ended) return new Promise(() => {}); // never settles: no code awaits a late step, so a rejection would end the process
    this.#open++;
    const promise: StepPromise<T> = new StepPromise<T>((resolve, reject) => {
      work().then(
        (value) => {
          resolve(value);
          this.#settled();
        },
        (cause: unknown) => {
          promise.disarm();
          this.#failed.push({ step, promise, cause });
          this.#report(() => reject(cause));
          this.#settled();
        },
      );
    });
    return promise;
  }

  /**
   * Waits for the steps of a node whose handler has ended, and takes no new ones.
   * @returns the first failed step whose promise was never awaited.
   */
  async end(): Promise<FailedStep | undefined> {
    this.#handlerWorks = false;
    // Decision 28: ending the node first would lose `once` calls whose steps are still running.
    while (this.#open > 0) {
      await new Promise<void>((resolve) => {
        this.#allSettled = resolve;
      });
      await nextTurn(); // a step that is not awaited may begin another one
    }
    this.#ended = true;
    return this.#failed.find(({ promise }) => !promise.seen);
  }

  /** Returns the step that has thrown `cause`. */
  stepOf(cause: unknown): string | undefined {
    return this.#failed.find((failed) => failed.cause === cause)?.step;
  }

  #settled(): void {
    this.#open--;
    if (this.#open === 0) this.#allSettled?.();
  }

  /**
   * Rejects a failed step. Failures at the same time follow only if the handler continues. In `await a; await b`, a failure of `a` ends the
   * handler, so a failure of `b` would be an unhandled rejection.
   */
  #report(reject: () => void): void {
    if (this.#unreported) {
      this.#unreported.push(reject);
      return;
    }
    this.#unreported = [];
    if (this.#handlerWorks) reject();
    void nextTurn().then(() => {
      const unreported = this.#unreported ?? [];
      this.#unreported = undefined;
      for (const next of unreported) this.#report(next);
    });
  }
}
