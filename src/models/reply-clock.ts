import { WorkflowError } from '../core/errors/errors.ts';
import type { Clock } from '../core/ports/clock.ts';
import { checkTimeout } from '../core/util/check-integer.ts';
import { lazyTimer } from '../core/util/lazy-timer.ts';
import { systemClock } from '../core/util/system-clock.ts';

/** Time limits of a reply. The defaults are long, because some models think for minutes before the first word. */
export interface ReplyTimeouts {
  /** Time limit of each attempt until the first byte of its reply, in milliseconds. @default 300_000 */
  readonly firstByteTimeoutMs?: number;
  /** Time limit of a pause within a reply, in milliseconds. @default 300_000 */
  readonly idleTimeoutMs?: number;
  /** Time limit of a reply from the first attempt to its end, including pauses between attempts, in milliseconds. @default 900_000 */
  readonly totalTimeoutMs?: number;
}

/** @throws {WorkflowError} `OPTION_INVALID` for a time out of a timer's range. */
export const checkReplyTimeouts = ({ firstByteTimeoutMs, idleTimeoutMs, totalTimeoutMs }: ReplyTimeouts): Required<ReplyTimeouts> => ({
  firstByteTimeoutMs: checkTimeout('firstByteTimeoutMs', firstByteTimeoutMs ?? 300_000),
  idleTimeoutMs: checkTimeout('idleTimeoutMs', idleTimeoutMs ?? 300_000),
  totalTimeoutMs: checkTimeout('totalTimeoutMs', totalTimeoutMs ?? 900_000),
});

/** Enforces the time limits of one reply, across all its attempts. */
export interface ReplyClock {
  /** Aborted with the caller's reason, or with an error that names the exceeded limit. */
  readonly signal: AbortSignal;
  /** Starts an attempt: waits for its first byte. */
  readonly attempt: () => void;
  /** Records an arrival, and waits for the next one, by default as long as a reply may pause. */
  readonly heard: (withinMs?: number) => void;
  /** Suspends the wait between two attempts. */
  readonly rest: () => void;
  readonly stop: () => void;
}

/** Starts the clock of one reply. The caller must call `stop`. */
export function replyClock(
  limits: Required<ReplyTimeouts>,
  {
    name,
    signal,
    clock = systemClock,
  }: { readonly name: string; readonly signal: AbortSignal | undefined; readonly clock?: Pick<Clock, 'schedule' | 'monotonic'> },
): ReplyClock {
  const stopped = new AbortController();
  const onAbort = (): void => stopped.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const exceed = (limit: keyof ReplyTimeouts, ms: number): void => stopped.abort(timedOut(name, limit, ms));
  const endTotal = clock.schedule(limits.totalTimeoutMs, () => exceed('totalTimeoutMs', limits.totalTimeoutMs));
  const silence = lazyTimer(clock);
  const wait = (limit: keyof ReplyTimeouts, ms = limits[limit]): void => silence.set(ms, () => exceed(limit, ms));
  return {
    signal: stopped.signal,
    attempt: () => wait('firstByteTimeoutMs'),
    heard: (withinMs) => wait('idleTimeoutMs', withinMs),
    rest: () => silence.cancel(),
    stop: () => {
      silence.cancel();
      endTotal();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

const limitTexts = {
  firstByteTimeoutMs: 'sent nothing for',
  idleTimeoutMs: 'began its reply, and then sent nothing for',
  totalTimeoutMs: 'did not finish within',
} as const;

/** Returns a cut-stream error for a reply that has begun. A reply that has not, or whose retry would take as long, is unavailable. */
const timedOut = (name: string, limit: keyof ReplyTimeouts, ms: number): WorkflowError =>
  new WorkflowError({
    code: limit === 'idleTimeoutMs' ? 'MODEL_STREAM_CUT' : 'MODEL_UNAVAILABLE',
    message: `"${name}" ${limitTexts[limit]} ${ms} ms (${limit}).`,
    hint: `Raise ${limit} for a slow model, or use another model.`,
    retryable: true,
    data: { limit, limitMs: ms },
  });
