import type { NodeIo } from '../../core/ports/node-io.ts';
import { retry as retryWork } from '../../core/util/retryer.ts';
import { systemClock } from '../../core/util/system-clock.ts';
import { withTimeout } from '../../core/util/with-timeout.ts';
import { nodeTimeout } from './node-timeout.ts';
import type { AttemptOptions } from './with-attempts.ts';

/**
 * Runs a handler under a plain `createActor`. A step that succeeded in one attempt returns the same value to the next attempt without
 * repeating its work.
 */
export function attemptLive<T>(options: AttemptOptions, io: NodeIo, run: (io: NodeIo) => Promise<T>): Promise<T> {
  const { retry = { attempts: 1 }, timeoutMs } = options;
  const known = new Map<string, unknown>();
  let onceFailed = false;
  const step: NodeIo['step'] = async (key, work, options) => {
    if (known.has(key)) return structuredClone(known.get(key)) as Awaited<ReturnType<typeof work>>;
    try {
      const value = await io.step(key, work, options);
      known.set(key, structuredClone(value));
      return value;
    } catch (cause) {
      if (options?.effect === 'once') onceFailed = true;
      throw cause;
    }
  };
  const attempt = (): Promise<T> => {
    const halt = new AbortController();
    const late = async (): Promise<never> => {
      const reason = nodeTimeout(io.key, timeoutMs);
      halt.abort(reason);
      throw reason;
    };
    return withTimeout(() => run({ ...io, step, signal: AbortSignal.any([io.signal, halt.signal]) }), timeoutMs, systemClock, late);
  };
  const retryable = retry.retryable ?? ((error) => error.retryable);
  return retryWork(attempt, { ...retry, retryable: (error) => !onceFailed && retryable(error) }, { clock: systemClock, signal: io.signal });
}
