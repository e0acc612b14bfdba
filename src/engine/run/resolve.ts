import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import type { Json } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { asJson } from '../../core/util/as-json.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { assertId } from '../../core/util/ids.ts';
import type { Run } from '../drive/run.ts';
import type { JournalHost } from '../journal/journal-host.ts';
import type { Resolution } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { parseResolution } from './runtime-options.ts';
import { intentInDoubt } from './stored-runs.ts';

/** Settles a call in doubt and resumes the run. */
export async function resolve(core: RuntimeCore, runId: string, callId: string, given: Resolution): Promise<Run<unknown>> {
  const resolution = parseResolution(given);
  assertId(runId, 'run');
  if (typeof callId !== 'string') throw optionInvalid('The callId of resolve must be a text.', inDoubtHint);
  const asked = intentInDoubt(await core.store.journal(runId), callId);
  if (!asked) throw callUnknown(runId, callId);
  let isSettled = false;
  /** A resolution of one attempt of a call does not apply to another attempt. */
  const assertOpen = (entries: readonly JournalEntry[]): void => {
    if (intentInDoubt(entries, callId)?.seq !== asked.seq) throw callUnknown(runId, callId);
  };
  const verify = (entries: readonly JournalEntry[]): void => {
    assertOpen(entries);
    isSettled = true;
  };
  const prepare = async (host: JournalHost): Promise<void> => {
    if (resolution.as === 'retry') await host.resolve(callId, 'retry', null);
    else if (resolution.as === 'done') await host.resolve(callId, 'step', { output: resolution.output, byHuman: true });
    else await host.resolve(callId, 'step', { error: aborted(callId) });
  };
  for (;;) {
    const run = await core.resume(runId, { verify, prepare });
    if (isSettled) return run;
    // The run is driven here, for example because another call of it was settled. Once it rests, its calls in doubt are known.
    assertOpen(await core.store.journal(runId));
    if ((await run.result).status !== 'in_doubt') throw callUnknown(runId, callId);
  }
}

const inDoubtHint = 'runtime.get(runId) lists the calls in doubt.';

const callUnknown = (runId: string, callId: string): WorkflowError =>
  new WorkflowError({
    code: 'CALL_UNKNOWN',
    message: `The run ${runId} has no call "${callId}" in doubt.`,
    hint: inDoubtHint,
    data: { runId, callId },
  });

const aborted = (callId: string): Json =>
  asJson(
    toErrorInfo(
      new WorkflowError({ code: 'CALL_ABORTED', message: `A human has given up the call ${callId}.`, hint: 'Go on without its result.' }),
    ),
  );
