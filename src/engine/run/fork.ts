import type { Actor } from '../../core/ports/actor.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { checkOptions } from '../../core/util/check-options.ts';
import { hash } from '../../core/util/hash.ts';
import { assertId, newId } from '../../core/util/ids.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { Run } from '../drive/run.ts';
import { newOffer } from '../drive/run-offer.ts';
import { readStart } from '../drive/start-entry.ts';
import { ActiveRun } from './active-run.ts';
import { createRun } from './create-run.ts';
import { follow } from './follow.ts';
import { forkEntries } from './fork-entries.ts';
import { readResult } from './read-result.ts';
import { limitsOfRun, toStoredLimits } from './run-limits.ts';
import type { ForkOptions } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { forkOptions } from './runtime-options.ts';
import { isSame, startOnce } from './start-once.ts';
import { readRun } from './stored-runs.ts';
import { threadBefore } from './thread-state.ts';

/** Starts a new run with the journal of another one up to a node. If a fork with this id exists, returns that one. */
export async function fork(core: RuntimeCore, runId: string, options: ForkOptions, by?: Actor): Promise<Run<unknown>> {
  core.assertOpen();
  assertId(runId, 'run');
  checkOptions('fork', options, forkOptions);
  const { at, patch, runId: id } = options;
  if (id !== undefined) assertId(id, 'run');
  const { store, clock, inspection } = core;
  // Identifies the fork for comparison. It holds a hash of the patch, which can be large and is in the journal.
  const forkOf = {
    runId,
    at,
    ...(patch === undefined ? {} : { patch: hash(canonicalJson(toJson(patch, 'patch', defaultMaxOutputBytes))) }),
  };
  // an existing fork is found even if its origin has since changed
  if (id !== undefined && (await store.read(id)) && isSame(readStart(id, await store.journal(id)).forkOf, forkOf)) return follow(core, id);
  const stored = await readRun(store, runId);
  const { entries } = stored;
  const workflow = await core.workflowOf(stored);
  const copied = await forkEntries(runId, entries, options, (kept, result) =>
    readResult(core, workflow, { ...stored, entries: [...entries.slice(0, 1), ...kept] }, result),
  );
  const { input, metadata, grantEgress = false } = readStart(runId, entries);
  const thread = await threadBefore(store, clock, workflow, stored);
  const given = { ...limitsOfRun(entries), ...options.limits };
  const outcome = {
    input,
    limits: toStoredLimits(given),
    ...(metadata ? { metadata } : {}),
    ...(thread === undefined ? {} : { thread }),
    ...(grantEgress ? { grantEgress } : {}),
    ...newOffer(workflow, input),
    forkOf,
    ...(by ? { by: { ...by } } : {}),
  };
  const limits = core.limitsOf(given);
  const active = { workflow, store, clock, budget: core.budget, inspection, limits, entries: [] };
  const created = { workflow, outcome, ifBusy: 'reject', priority: stored.record.priority, copied } as const;
  core.assertOpen(); // the runtime may have closed during the read
  if (id !== undefined) {
    const found = startOnce(core, id, { ...created, threadId: undefined, run: active });
    core.lookingFor(id, found);
    return found;
  }
  const run = new ActiveRun<unknown>(newId('r'), undefined, active);
  void core.runs.drive(run, () => createRun(core, run, created));
  return run;
}
