import { hasCode } from '../../core/util/has-code.ts';
import type { Run } from '../drive/run.ts';
import { FollowedRun } from './followed-run.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { readRun, restOf } from './stored-runs.ts';

/**
 * Returns a handle on a stored run without changing the run. If the run was suspended or its process has died, drives it here.
 *
 * @param drives false: the run is never driven here.
 * @throws {WorkflowError} the errors of `resume`, except `RUN_BUSY`.
 */
export async function follow(core: RuntimeCore, runId: string, drives = true): Promise<Run<unknown>> {
  for (;;) {
    const stored = await readRun(core.store, runId);
    const rest = restOf(stored);
    const here = core.runs.get(runId);
    if (here) return here;
    if (!drives || (rest && rest.status !== 'paused')) return new FollowedRun(core, stored, drives);
    try {
      return await core.resume(runId, { stored });
    } catch (cause) {
      if (hasCode(cause, 'RUN_BUSY', 'THREAD_BUSY')) return new FollowedRun(core, stored);
      if (!hasCode(cause, 'RUN_ENDED')) throw cause; // it ended between the read and the lease
    }
  }
}
