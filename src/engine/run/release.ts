import { isParked } from '../../core/ports/fleet-state.ts';
import { assertId } from '../../core/util/ids.ts';
import { acquireRun } from './acquire-run.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { readRun } from './stored-runs.ts';

/** Returns a parked run to the workers. Any other run stays as it is. */
export async function release(core: RuntimeCore, runId: string): Promise<void> {
  core.assertOpen();
  assertId(runId, 'run');
  const stored = await readRun(core.store, runId);
  if (core.runs.get(runId) || !isParked(stored.record)) return;
  // its owner is dead, or fenced from here on; the epoch keeps a worker that has just taken it
  await core.putBack(await acquireRun(core, runId, { force: true, epoch: stored.record.epoch }), stored);
}
