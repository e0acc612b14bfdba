import { toErrorInfo } from '../../core/errors/errors.ts';
import type { ErrorInfo } from '../../core/ports/error-info.ts';
import type { FitsBeside, RunRecord } from '../../core/ports/run-store.ts';
import { hasCode } from '../../core/util/has-code.ts';
import { isUnavailable, retryStore } from '../drive/retry-store.ts';
import type { Run } from '../drive/run.ts';
import { hasUncertainOwner } from './acquire-run.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { clockReady } from './store-clock.ts';

export interface RecoverOptions {
  /** Maximum number of runs to resume. @default all */
  readonly limit?: number;
  /**
   * Polls the lease of a run, until it expires at the latest, when it is unknown whether its owner is alive. If false, such a run is left
   * to the next `recover`. @default true
   */
  readonly watch?: boolean;
  /** See `ResumeOptions`. Applies to all resumed runs. @default that of the runtime */
  readonly acceptChanges?: boolean;
  /** Runs to skip without a report. @default none */
  readonly except?: ReadonlySet<string>;
  /**
   * Chooses and orders the candidates. The next one is pulled after the one before was taken or could not be taken. `isDriven` is true for
   * the runs driven here by then. @default all: those that may own a thread first, then those that wait for one, each in the order in which
   * they came
   */
  readonly choose?: (candidates: readonly RecoveryCandidate[], isDriven: (runId: string) => boolean) => Iterable<RecoveryCandidate>;
  /**
   * True when a run fits the runs that are driven by any process. It is called in the transaction that acquires the run, see
   * `AcquireRequest`. From then on it applies to every run that resumes by itself, also by a timer. Default: the function given before
   */
  readonly fits?: FitsBeside;
}

/** A resumed run. */
export interface RecoveredRun {
  readonly run: Run<unknown>;
  /**
   * `dead`: its process had died, or could not write its store · `due`: its timer was due, or it was handed over · `queued`: it is the next
   * one of its thread.
   */
  readonly why: 'dead' | 'due' | 'queued';
}

/** Result of `recover`. */
export interface Recovery {
  readonly taken: readonly RecoveredRun[];
  /** Runs without an owner that cannot be resumed here, each with the reason. They are unchanged. */
  readonly left: readonly { readonly runId: string; readonly error: ErrorInfo }[];
}

/** A run that may have no live owner, see `RecoveredRun`. */
export interface RecoveryCandidate {
  readonly record: RunRecord;
  readonly why: RecoveredRun['why'];
}

/** Resumes every run that is due and has no live owner. */
export async function recover(core: RuntimeCore, options: RecoverOptions = {}): Promise<Recovery> {
  core.assertOpen();
  const { limit = Number.POSITIVE_INFINITY, watch = true, except, acceptChanges } = options;
  const accepts = acceptChanges === undefined ? {} : { acceptChanges };
  core.fits = options.fits ?? core.fits;
  const taken: RecoveredRun[] = [];
  const left: { runId: string; error: ErrorInfo }[] = [];
  /** Runs whose owner may be gone. `blocked` holds threads whose first queued run could not be acquired. */
  const uncertain: RecoveryCandidate[] = [];
  const blocked = new Set<string>();

  const take = async ({ record, why }: RecoveryCandidate, waits: boolean): Promise<void> => {
    const { id, threadId } = record;
    const queue = why === 'queued' ? threadId : undefined;
    if (taken.length >= limit || core.runs.get(id) || except?.has(id) || (queue !== undefined && blocked.has(queue))) return;
    if (!(await core.suspects.mayTake(record, watch, core.closing))) return;
    try {
      const run = await retryStore(
        () => core.resume(id, { watch: waits, asWork: true, ...accepts, ...(watch ? {} : { epoch: record.epoch }) }),
        core.clock,
        core.closing,
      );
      taken.push({ run, why });
    } catch (cause) {
      if (queue !== undefined) blocked.add(queue);
      if (isUnavailable(cause) || core.closing.aborted) throw cause;
      if (!waits && hasUncertainOwner(cause)) uncertain.push({ record, why });
      else if (!isHandledElsewhere(cause, why)) left.push({ runId: id, error: toErrorInfo(cause) });
    }
  };

  const candidates = await retryStore(() => listCandidates(core), core.clock, core.closing);
  for (const candidate of options.choose?.(candidates, (id) => core.runs.get(id) !== undefined) ?? candidates) await take(candidate, false);
  if (watch) await Promise.all(uncertain.map((candidate) => take(candidate, true)));
  for (const { record, why } of candidates) if (why === 'queued' && record.threadId !== undefined) core.queues.add(record.threadId);
  return { taken, left };
}

/** Lists runs that may own a thread first, then runs that wait for one, each in the order in which they came. */
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

/**
 * Acquires the next queued run of a thread once this process drives none of its runs. Never rejects: the next `recover` finds a run that
 * failed here.
 */
export async function takeNext(core: RuntimeCore, threadId: string): Promise<void> {
  try {
    const queued = await core.store.list({ threadId, status: 'queued', limit: Number.MAX_SAFE_INTEGER });
    const next = queued.at(-1);
    if (!next) core.queues.delete(threadId);
    else if (!core.runs.get(next.id)) await core.resume(next.id, { asWork: true });
  } catch {
    // its owner is alive, or the thread is taken again
  }
}

/** True when another process drives the run, was faster, or will resume it. There is nothing to report. */
const isHandledElsewhere = (cause: unknown, why: RecoveredRun['why']): boolean =>
  hasCode(cause, 'RUN_BUSY', 'RUN_ENDED', 'RUN_FENCED') || (why === 'queued' && hasCode(cause, 'THREAD_BUSY'));
