import { assertId, newId } from '../util/ids.ts';
import { ActiveRun } from './active-run.ts';
import { checkOptions } from './check-options.ts';
import { createRun } from './create-run.ts';
import { forkEntries } from './fork-entries.ts';
import type { Run } from './run.ts';
import { limitsGiven, toStoredLimits } from './run-limits.ts';
import type { ForkOptions } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { forkOptions } from './runtime-options.ts';
import { readStart } from './start-entry.ts';
import { readRun } from './stored-runs.ts';
import { threadBefore } from './thread-state.ts';

/** Starts a new run with the journal of another one up to a node. */
export async function fork(core: RuntimeCore, runId: string, options: ForkOptions): Promise<Run<unknown>> {
  core.assertOpen();
  assertId(runId, 'run');
  checkOptions('fork', options, forkOptions);
  const { store, clock, inspection } = core;
  const stored = await readRun(store, runId);
  const { entries } = stored;
  const workflow = await core.workflowOf(stored);
  const kept = forkEntries(runId, entries, options);
  const { input, metadata } = readStart(runId, entries);
  const thread = await threadBefore(store, clock, workflow, stored);
  const given = { ...limitsGiven(entries), ...options.limits };
  const outcome = {
    input,
    limits: toStoredLimits(given),
    ...(metadata ? { metadata } : {}),
    ...(thread === undefined ? {} : { thread }),
    forkOf: { runId, at: options.at },
  };
  const limits = core.limitsOf(given);
  const run = new ActiveRun<unknown>(newId('r'), undefined, { workflow, store, clock, inspection, limits, entries: [] });
  core.assertOpen(); // the look has taken its time
  void core.runs.drive(run, () => createRun(core, run, { workflow, outcome, ifBusy: 'reject', kept }));
  return run;
}
