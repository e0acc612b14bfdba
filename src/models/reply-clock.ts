import { WorkflowError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import { checkTimeout } from '../util/check-integer.ts';
import { systemClock } from '../util/system-clock.ts';

/** How long a model may be silent, and how long it may take. Silence is not death: some think for minutes before a word. */
export interface ReplyTimeouts {
  /** How long each attempt may take until the first byte of its reply, in milliseconds. @default 300_000 */
  readonly firstByteTimeoutMs?: number;
  /** How long a reply that has begun may pause, in milliseconds. @default 300_000 */
  readonly idleTimeoutMs?: number;
  /** How long one reply may take from the first attempt to its end, pauses between attempts included, in milliseconds. @default 900_000 */
  readonly totalTimeoutMs?: number;
}

/** @throws {WorkflowError} `OPTION_INVALID` for a time that no timer can keep. */
export const checkReplyTimeouts = ({ firstByteTimeoutMs, idleTimeoutMs, totalTimeoutMs }: ReplyTimeouts): Required<ReplyTimeouts> => ({
  firstByteTimeoutMs: checkTimeout('firstByteTimeoutMs', firstByteTimeoutMs ?? 300_000),
  idleTimeoutMs: checkTimeout('idleTimeoutMs', idleTimeoutMs ?? 300_000),
  totalTimeoutMs: checkTimeout('totalTimeoutMs', totalTimeoutMs ?? 900_000),
});

/** Watches over one reply, all its attempts. */
export interface ReplyClock {
  /** Aborted with the caller's reason, or with the error that names the limit that was hit. */
  readonly signal: AbortSignal;
  /** An attempt begins: now its first byte is waited for. */
  readonly attempt: () => void;
  /** Something has come: now the next is waited for, by default as long as a reply may pause. */
  readonly heard: (withinMs?: number) => void;
  /** Nothing is waited for: between two attempts. */
  readonly rest: () => void;
  /** Ends all timers. */
  readonly stop: () => void;
}

/** Starts the clock of one reply. `stop` must be called. */
export function replyClock(
  limits: Required<ReplyTimeouts>,
  {
    name,
    signal,
    clock = systemClock,
  }: { readonly name: string; readonly signal: AbortSignal | undefined; readonly clock?: Pick<Clock, 'schedule'> },
): ReplyClock {
  const stopped = new AbortController();
  const onAbort = (): void => stopped.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  const after = (limit: keyof ReplyTimeouts, ms = limits[limit]): (() => void) =>
    clock.schedule(ms, () => stopped.abort(timedOut(name, limit, ms)));
  const endTotal = after('totalTimeoutMs');
  let endSilence = (): void => {};
  const wait = (limit: keyof ReplyTimeouts, ms?: number): void => {
    endSilence();
    endSilence = after(limit, ms);
  };
  return {
    signal: stopped.signal,
    attempt: () => wait('firstByteTimeoutMs'),
    heard: (withinMs) => wait('idleTimeoutMs', withinMs),
    rest: () => endSilence(),
    stop: () => {
      endSilence();
      endTotal();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}

const said = {
  firstByteTimeoutMs: 'sent nothing for',
  idleTimeoutMs: 'began its reply, and then nothing came for',
  totalTimeoutMs: 'was not done after',
} as const;

/** A reply that has begun is cut; one that has not, or that would take as long again, is not available. */
const timedOut = (name: string, limit: keyof ReplyTimeouts, ms: number): WorkflowError =>
  new WorkflowError({
    code: limit === 'idleTimeoutMs' ? 'MODEL_STREAM_CUT' : 'MODEL_UNAVAILABLE',
    message: `"${name}" ${said[limit]} ${ms} ms, the limit ${limit}.`,
    hint: `Raise ${limit} for a model that thinks for long, or use another one.`,
    retryable: true,
    data: { limit, limitMs: ms },
  });
