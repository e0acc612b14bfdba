import { hasCode } from '../util/has-code.ts';
import { FollowedRun } from './followed-run.ts';
import type { Run } from './run.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { readRun, restOf } from './stored-runs.ts';

/**
 * A handle on a stored run that changes nothing of it, unless it was suspended, or its process has died: then it is driven here.
 *
 * @param drives false: it is never driven here.
 * @throws {WorkflowError} what `resume` throws, but for `RUN_BUSY`.
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
      if (!hasCode(cause, 'RUN_ENDED')) throw cause; // it ended between the look and the lease
    }
  }
}
