import type { Actor } from '../../core/ports/actor.ts';
import type { JsonObject } from '../../core/ports/json.ts';
import type { GuardEvent } from '../../core/util/apply-guards.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { checkOptions, optionInvalid } from '../../core/util/check-options.ts';
import { hash } from '../../core/util/hash.ts';
import { assertId, newId } from '../../core/util/ids.ts';
import { defaultMaxOutputBytes } from '../../core/util/max-output-bytes.ts';
import { toJson } from '../../core/util/to-json.ts';
import type { AnyWorkflow } from '../define/define-workflow.ts';
import type { Run } from '../drive/run.ts';
import { newOffer } from '../drive/run-offer.ts';
import { ActiveRun } from './active-run.ts';
import { createRun } from './create-run.ts';
import { PendingRun } from './pending-run.ts';
import { toStoredLimits } from './run-limits.ts';
import type { StartOptions } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';
import { startOptions } from './runtime-options.ts';
import { startOnce } from './start-once.ts';

/** Starts a run of a workflow, or of the newest version registered under an id. */
export function start(
  core: RuntimeCore,
  target: AnyWorkflow | string,
  input: unknown,
  options: StartOptions = {},
  by?: Actor,
): Run<unknown> {
  core.assertOpen();
  checkOptions('start', options, startOptions);
  const { runId, threadId, after, ifBusy = 'reject', priority, drive, limits, grantEgress = false, metadata } = options;
  if (runId !== undefined) assertId(runId, 'run');
  if (threadId !== undefined) assertId(threadId, 'thread');
  if (typeof after === 'string') assertId(after, 'run');
  if (after !== undefined && threadId === undefined) throw optionInvalid('`after` needs a threadId.', 'Name the thread of that run.');
  const workflow = typeof target === 'string' ? core.workflows.newest(target) : target;
  core.workflows.add(workflow, core.makesWorkflows);
  const allowed = core.limitsOf(limits);
  const verdicts: GuardEvent[] = [];
  const tell = (verdict: GuardEvent): void => void verdicts.push(verdict);
  const stored = toJson(workflow.parseInput(input, tell), 'input', defaultMaxOutputBytes);
  const outcome = Object.freeze({
    input: stored,
    ...(metadata === undefined ? {} : { metadata: toJson(metadata, 'metadata', defaultMaxOutputBytes) }),
    ...(limits === undefined ? {} : { limits: Object.freeze(toStoredLimits(limits)) }),
    ...(grantEgress ? { grantEgress } : {}),
    ...(after === undefined ? {} : { after }),
    ...newOffer(workflow, stored),
    ...(runId === undefined ? {} : givenOf(input)),
    ...(by ? { by: { ...by } } : {}),
  });
  const { store, clock, budget, inspection } = core;
  const active = { workflow, store, clock, budget, inspection, limits: allowed, entries: [] };
  const created = { workflow, outcome, ifBusy, priority, drive, verdicts };
  if (runId !== undefined) {
    const found = startOnce(core, runId, { ...created, threadId, run: active });
    core.lookingFor(runId, found);
    return new PendingRun(runId, threadId, found);
  }
  const run = new ActiveRun<unknown>(newId('r'), threadId, active);
  void core.runs.drive(run, () => createRun(core, run, created));
  return run;
}

/** Hash of the caller's input. Absent for an input that JSON cannot hold, which only the workflow can parse. */
function givenOf(input: unknown): JsonObject {
  try {
    return { given: hash(canonicalJson(toJson(input ?? null, 'input'))) };
  } catch {
    return {};
  }
}
