import { toErrorInfo } from '../errors.ts';
import type { ErrorInfo } from '../ports/error-info.ts';
import type { FitsBeside, RunRecord } from '../ports/run-store.ts';
import { hasCode } from '../util/has-code.ts';
import { mayBeGone } from './acquire-run.ts';
import { isUnavailable, patiently } from './patiently.ts';
import type { Run } from './run.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { clockReady } from './store-clock.ts';

export interface RecoverOptions {
  /** The most runs that are resumed. @default all */
  readonly limit?: number;
  /**
   * Where nobody can tell whether a run's owner is still at work: watch its lease, for as long as that holds at most. Without, such a run is
   * looked at again by the next `recover`. @default true
   */
  readonly watch?: boolean;
  /** As of `ResumeOptions`, for all runs that are resumed. @default that of the runtime */
  readonly acceptChanges?: boolean;
  /** Runs that are left alone without a word. @default none */
  readonly except?: ReadonlySet<string>;
  /**
   * Which of the runs that nobody may be at work on are tried, and in which order. It is asked for the next one when the one before was taken,
   * or could not be; `isDriven` tells which runs are driven here by then. @default all: those that may own a thread first, then those that wait for one, each in the order in which they came
   */
  readonly choose?: (candidates: readonly RecoveryCandidate[], isDriven: (runId: string) => boolean) => Iterable<RecoveryCandidate>;
  /**
   * Whether a run may go on beside those that are driven, by whomever: asked in the transaction that takes it, see `AcquireRequest`. From now
   * on it holds for every run that goes on by itself, a timer's too. Default: the one that was given before
   */
  readonly fits?: FitsBeside;
}

/** A run that goes on. */
export interface RecoveredRun {
  readonly run: Run<unknown>;
  /** Its process had died, or could not write its store · its timer was due, or it was handed over · it is the next one of its thread. */
  readonly why: 'dead' | 'due' | 'queued';
}

/** What a look for work has found. */
export interface Recovery {
  readonly taken: readonly RecoveredRun[];
  /** Runs that nobody drives and that cannot go on here, each with the reason. They are as they were. */
  readonly left: readonly { readonly runId: string; readonly error: ErrorInfo }[];
}

/** A run that nobody may be at work on, see `RecoveredRun`. */
export interface RecoveryCandidate {
  readonly record: RunRecord;
  readonly why: RecoveredRun['why'];
}

/** Resumes every run that somebody should be at work on and nobody is. */
export async function recover(core: RuntimeCore, options: RecoverOptions = {}): Promise<Recovery> {
  core.assertOpen();
  const { limit = Number.POSITIVE_INFINITY, watch = true, except, acceptChanges } = options;
  const accepts = acceptChanges === undefined ? {} : { acceptChanges };
  core.fits = options.fits ?? core.fits;
  const taken: RecoveredRun[] = [];
  const left: { runId: string; error: ErrorInfo }[] = [];
  /** Those whose owner may be gone, and threads whose first run in the queue is not free. */
  const unclear: RecoveryCandidate[] = [];
  const blocked = new Set<string>();

  const take = async ({ record, why }: RecoveryCandidate, patient: boolean): Promise<void> => {
    const { id, threadId } = record;
    const queue = why === 'queued' ? threadId : undefined;
    if (taken.length >= limit || core.runs.get(id) || except?.has(id) || (queue !== undefined && blocked.has(queue))) return;
    if (!(await core.suspects.mayTake(record, watch, core.closing))) return;
    try {
      const run = await patiently(
        () => core.resume(id, { watch: patient, asWork: true, ...accepts, ...(watch ? {} : { epoch: record.epoch }) }),
        core.clock,
        core.closing,
      );
      taken.push({ run, why });
    } catch (cause) {
      if (queue !== undefined) blocked.add(queue);
      if (isUnavailable(cause) || core.closing.aborted) throw cause;
      if (!patient && mayBeGone(cause)) unclear.push({ record, why });
      else if (!isInGoodHands(cause, why)) left.push({ runId: id, error: toErrorInfo(cause) });
    }
  };

  const candidates = await patiently(() => listCandidates(core), core.clock, core.closing);
  for (const candidate of options.choose?.(candidates, (id) => core.runs.get(id) !== undefined) ?? candidates) await take(candidate, false);
  if (watch) await Promise.all(unclear.map((candidate) => take(candidate, true)));
  for (const { record, why } of candidates) if (why === 'queued' && record.threadId !== undefined) core.queues.add(record.threadId);
  return { taken, left };
}

/** Those that may own a thread first, then those that wait for one, each in the order in which they came. */
async function listCandidates({ store, clock }: RuntimeCore): Promise<readonly RecoveryCandidate[]> {
  await clockReady(clock);
  const limit = Number.MAX_SAFE_INTEGER;
  const driven = await store.list({ status: 'running', limit });
  const due = await store.list({ dueBefore: clock.now(), limit });
  const queued = await store.list({ status: 'queued', limit });
  const candidates = (records: readonly RunRecord[], why: RecoveredRun['why']): RecoveryCandidate[] =>
    [...records].reverse().map((record) => ({ record, why }));
  return [...candidates(driven, 'dead'), ...candidates(due, 'due'), ...candidates(queued, 'queued')];
}

/** Takes the next queued run of a thread, now that nobody drives one of its runs here any more. Never rejects: what fails is found by the next look. */
export async function takeNext(core: RuntimeCore, threadId: string): Promise<void> {
  try {
    const queued = await core.store.list({ threadId, status: 'queued', limit: Number.MAX_SAFE_INTEGER });
    const next = queued.at(-1);
    if (!next) core.queues.delete(threadId);
    else if (!core.runs.get(next.id)) await core.resume(next.id, { asWork: true });
  } catch {
    // its owner lives, or the thread is taken again
  }
}

/** Somebody else drives it, was faster, or will: there is nothing to report. */
const isInGoodHands = (cause: unknown, why: RecoveredRun['why']): boolean =>
  hasCode(cause, 'RUN_BUSY', 'RUN_ENDED', 'RUN_FENCED') || (why === 'queued' && hasCode(cause, 'THREAD_BUSY'));
