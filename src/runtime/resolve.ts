import { toErrorInfo, WorkflowError } from '../errors.ts';
import type { JsonObject } from '../ports/json.ts';
import type { JournalEntry } from '../ports/run-store.ts';
import type { Run } from './run.ts';
import type { Resolution } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { parseResolution } from './runtime-options.ts';
import { isInDoubt } from './stored-runs.ts';

/** Settles a call in doubt, and goes on. */
export async function resolve(core: RuntimeCore, runId: string, callId: string, given: Resolution): Promise<Run<unknown>> {
  const resolution = parseResolution(given);
  let prepared = false;
  const verify = (entries: readonly JournalEntry[]): void => {
    if (!isInDoubt(entries, callId)) throw callUnknown(runId, callId);
    prepared = true;
  };
  const run = await core.takeUp(runId, {
    verify,
    prepare: async (host) => {
      if (resolution.as === 'retry') await host.resolve(callId, 'retry', null);
      else if (resolution.as === 'done') await host.resolve(callId, 'step', { output: resolution.output, byHuman: true });
      else await host.resolve(callId, 'step', { error: aborted(callId) });
    },
  });
  // it has ended, or is driven already: then no call of it is in doubt
  if (!prepared) throw callUnknown(runId, callId);
  return run;
}

const callUnknown = (runId: string, callId: string): WorkflowError =>
  new WorkflowError({
    code: 'CALL_UNKNOWN',
    message: `The run ${runId} has no call "${callId}" in doubt.`,
    hint: 'runtime.get(runId) lists the calls that are.',
    data: { runId, callId },
  });

const aborted = (callId: string): JsonObject =>
  toErrorInfo(
    new WorkflowError({ code: 'CALL_ABORTED', message: `A human has given up the call ${callId}.`, hint: 'Go on without its result.' }),
  ) as unknown as JsonObject;
