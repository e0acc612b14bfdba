import { assertId, newId } from '../util/ids.ts';
import { toJson } from '../util/to-json.ts';
import type { AnyWorkflow, Workflow } from '../workflow/define-workflow.ts';
import { ActiveRun } from './active-run.ts';
import { createRun } from './create-run.ts';
import type { Run } from './run.ts';
import type { StartOptions } from './runtime.ts';
import type { RuntimeCore } from './runtime-core.ts';

/** Starts a run. */
export function start<TInput, TState, TOutput>(
  core: RuntimeCore,
  workflow: Workflow<TInput, TState, TOutput>,
  input: TInput,
  { threadId, ifBusy = 'reject', limits, metadata }: StartOptions = {},
): Run<TOutput> {
  core.assertOpen();
  if (threadId !== undefined) assertId(threadId, 'thread');
  const stored = toJson(workflow.parseInput(input), 'input');
  const outcome = { input: stored, ...(metadata === undefined ? {} : { metadata: toJson(metadata, 'metadata') }) };
  const untyped = workflow as AnyWorkflow;
  core.workflows.add(untyped);
  const { store, clock } = core;
  const run = new ActiveRun<TOutput>(newId('r'), threadId, { workflow: untyped, store, clock, limits: core.limitsOf(limits), entries: [] });
  const active = run as ActiveRun<unknown>;
  void core.runs.drive(active, () => createRun(core, active, { workflow: untyped, outcome, ifBusy }));
  return run;
}
