import type { MachineContext } from 'xstate';
import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { StepOptions } from '../../core/ports/node-io.ts';
import { pause } from '../../core/util/pause.ts';
import { retryDelay } from '../../core/util/retryer.ts';
import { Stop } from '../../core/util/stop.ts';
import { withTimeout } from '../../core/util/with-timeout.ts';
import type { NodeHandler } from '../define/node.ts';
import type { Attempter, AttemptSteps, StepMemo, StepWork } from './attempter.ts';
import type { Outcome } from './host.ts';
import { nodeTimeout } from './node-timeout.ts';
import type { AttemptOptions } from './with-attempts.ts';

/**
 * Runs the attempts of a node in sequence. Each attempt that is followed by another one is journaled as a step of the node, `attempt#1`.
 */
export const attemptNode = (handler: NodeHandler<MachineContext>, { retry, timeoutMs }: AttemptOptions): Attempter => {
  return async (key, host, stop, run) => {
    const steps = new VisitSteps();
    const record = (number: number, work: () => Promise<FailedAttempt>): Promise<FailedAttempt> =>
      host.memo(key, `attempt#${number}`, work, stop, { effect: 'pure' }, Number.POSITIVE_INFINITY);
    const recorded = new Set(host.recorded(key));
    const once = async (): Promise<Outcome> => {
      const halt = new Stop();
      stop.onAbort(() => halt.abort(stop.reason));
      const late = async (): Promise<Outcome> => {
        halt.abort(nodeTimeout(key, timeoutMs));
        return { error: toErrorInfo(halt.reason) };
      };
      const outcome = await withTimeout(() => run(handler, halt, steps.begin(halt, stop)), timeoutMs, host.clock, late);
      await steps.settled();
      return outcome;
    };
    try {
      for (let number = 1; ; number++) {
        if (recorded.has(`attempt#${number}`)) {
          steps.end(await record(number, neverRun));
          continue;
        }
        const outcome = await once();
        if (stop.aborted || !('error' in outcome)) return outcome;
        const { error } = outcome;
        const delayMs = retry && !steps.onceFailed ? retryDelay(retry, number, error) : undefined;
        if (delayMs === undefined) return outcome;
        host.emit({ type: 'step-reset' }, key);
        host.emit({ type: 'node-retry', key, attempt: number + 1, delayMs, error });
        const failed: FailedAttempt = { error, delayMs, steps: steps.unsuccessful };
        await record(number, async () => failed);
        steps.end(failed);
        await pause(delayMs, host.clock, stop.signal);
      }
    } catch (thrown) {
      if (stop.aborted) return { error: toErrorInfo(stop.reason) }; // the outcome is no longer needed
      throw thrown;
    }
  };
};

/** Failed attempt that is followed by another one, as stored in the journal. */
interface FailedAttempt {
  readonly error: ErrorInfo;
  readonly delayMs: number;
  /** Steps of the attempt that did not succeed. */
  readonly steps: readonly string[];
}

/** Work of a recorded attempt, which must not run again. */
const neverRun = (): Promise<never> => Promise.reject(new Error('The attempt was recorded.'));

/** Steps of a visit over all its attempts. A successful step is not repeated. A failed step gets a new key in the journal. */
class VisitSteps {
  readonly #values = new Map<string, unknown>();
  readonly #failures = new Map<string, number>();
  readonly #open = new Set<Promise<unknown>>();
  unsuccessful: readonly string[] = [];
  onceFailed = false;

  begin(halt: Stop, stop: Stop): AttemptSteps {
    this.unsuccessful = [];
    const used = new Set<string>();
    return {
      run: <T>(step: string, options: StepOptions, work: StepWork<T>, memo: StepMemo<T>): Promise<T> => {
        const isNew = !used.has(step);
        used.add(step);
        if (isNew && this.#values.has(step)) return Promise.resolve(structuredClone(this.#values.get(step)) as T);
        const once = options.effect === 'once';
        const failures = this.#failures.get(step) ?? 0;
        const name = failures === 0 ? step : `${step} (attempt ${failures + 1})`;
        const timedOut = (): boolean => halt.aborted && !stop.aborted;
        const running = memo(name, once ? failInDoubt(timedOut, work) : cutOff(timedOut, halt, work));
        return this.#watch(step, once, running);
      },
    };
  }

  /** Records the unsuccessful steps of an attempt that is followed by another one. */
  end({ steps }: FailedAttempt): void {
    for (const step of new Set(steps)) this.#failures.set(step, 1 + (this.#failures.get(step) ?? 0));
  }

  /** Waits for the steps that a timed-out attempt still has at work, which are `once` steps. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  async #watch<T>(step: string, once: boolean, running: Promise<T>): Promise<T> {
    this.#open.add(running);
    try {
      const value = await running;
      this.#values.set(step, structuredClone(value));
      return value;
    } catch (cause) {
      this.unsuccessful = [...this.unsuccessful, step];
      this.onceFailed ||= once;
      throw cause;
    } finally {
      this.#open.delete(running);
    }
  }
}

/** Fails with `CALL_IN_DOUBT` when a `once` step throws after its time-out, because its effect is unknown. */
const failInDoubt =
  <T>(timedOut: () => boolean, work: StepWork<T>): StepWork<T> =>
  async (attempt) => {
    try {
      return await work(attempt);
    } catch (cause) {
      if (!timedOut()) throw cause;
      throw new WorkflowError({
        code: 'CALL_IN_DOUBT',
        message: 'The node timed out during the step, so the effect of the step is unknown.',
        hint: 'Check what has happened, then call runtime.resolve.',
        cause,
      });
    }
  };

/** Ends any other step at the time-out, whether or not it heeds its signal. */
const cutOff =
  <T>(timedOut: () => boolean, halt: Stop, work: StepWork<T>): StepWork<T> =>
  (attempt) =>
    Promise.race([
      work(attempt),
      new Promise<never>((_, reject) => {
        halt.onAbort(() => {
          if (timedOut()) reject(halt.reason);
        });
      }),
    ]);
