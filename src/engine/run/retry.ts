import { WorkflowError } from '../../core/errors/errors.ts';
import { hasEndedForGood, type RunRecord, resultStatus } from '../../core/ports/run-store.ts';
import { checkOptions, optionInvalid } from '../../core/util/check-options.ts';
import { assertId } from '../../core/util/ids.ts';
import type { Run } from '../drive/run.ts';
import { parseLimits } from '../journal/limits.ts';
import type { PatchedResult } from '../journal/patched-result.ts';
import { runEnded } from '../store/store-errors.ts';
import { acquireRun } from './acquire-run.ts';
import { patchLast } from './patch-last.ts';
import { PendingRun } from './pending-run.ts';
import { toStoredLimits } from './run-limits.ts';
import type { RetryOptions } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { retryOptions } from './runtime-options.ts';
import { readRun, type StoredRun } from './stored-runs.ts';

/** Continues a failed run. Writes nothing for a run with any other status. */
export async function retry(core: RuntimeCore, runId: string, options: RetryOptions): Promise<Run<unknown>> {
  core.assertOpen();
  assertId(runId, 'run');
  checkOptions('retry', options, retryOptions);
  const { limits, patch, drive = true, ...rest } = options;
  if (!drive && (limits || patch !== undefined))
    throw optionInvalid('A run that is left to the workers takes no limits and no patch.', 'Retry it without drive: false.', 'drive');
  parseLimits(limits);
  const stored = await readRun(core.store, runId);
  assertFailed(stored.record);
  if (!drive) return leaveToWorkers(core, stored, options);
  let patched: PatchedResult | undefined;
  const run = await core.resume(runId, {
    ...rest,
    ...(limits ? { limits } : {}),
    stored,
    verify: async (entries) => {
      if (patch !== undefined) patched = await patchLast(core, { ...stored, entries }, patch);
    },
    prepare: async (host) => {
      if (patched) await host.patch(patched);
      if (limits) await host.limit(toStoredLimits(limits));
    },
  });
  if (patch === undefined || patched) return run;
  throw new WorkflowError({
    code: 'RUN_BUSY',
    message: `The run ${runId} is already being retried by another caller of this runtime, without this patch.`,
    hint: 'Wait for its result, and retry it again if it fails.',
    data: { runId },
  });
}

/** A runtime with the run's workflow checks first that it can resume. Otherwise the worker that takes the run does. */
async function leaveToWorkers(core: RuntimeCore, stored: StoredRun, { acceptChanges }: RetryOptions): Promise<Run<unknown>> {
  const { id, threadId, epoch } = stored.record;
  if (core.makesWorkflows || core.workflows.missing(stored.record) !== 'workflow') await core.assertResumable(stored, acceptChanges);
  await core.handOver(await acquireRun(core, id, { epoch }));
  return new PendingRun(id, threadId, Promise.resolve(restingRun(id)));
}

const restingRun = (id: string): Run<unknown> => ({ id, result: Promise.resolve({ status: 'paused' }), async *events() {} });

function assertFailed(record: RunRecord): void {
  const { id, status } = record;
  if (hasEndedForGood(status)) throw runEnded(id, resultStatus(record));
  if (status !== 'failed') throw runNotFailed(id, status);
}

const hints = {
  queued: 'It starts when its thread is free.',
  running: 'Follow it with runtime.resume. If its process has died, the same call takes it over.',
  paused: 'Continue it with runtime.resume.',
  waiting: 'Answer it with runtime.send, or wait for its timer.',
  in_doubt: 'Settle its calls with runtime.resolve.',
} as const;

const runNotFailed = (runId: string, status: keyof typeof hints): WorkflowError =>
  new WorkflowError({
    code: 'RUN_NOT_FAILED',
    message: `The run ${runId} has not failed: its status is "${status}".`,
    hint: hints[status],
    data: { runId, status },
  });
