import { WorkflowError } from '../../core/errors/errors.ts';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { RunRecord } from '../../core/ports/run-store.ts';
import { canonicalJson } from '../../core/util/canonical-json.ts';
import { hasCode } from '../../core/util/has-code.ts';
import type { Run } from '../drive/run.ts';
import { readStart, type StartEntry } from '../drive/start-entry.ts';
import { ActiveRun, type ActiveRunOptions } from './active-run.ts';
import { createRun, type NewRunOptions } from './create-run.ts';
import { follow } from './follow.ts';
import type { RuntimeCore } from './runtime-core.ts';

export interface StartOnceOptions extends NewRunOptions {
  readonly threadId: string | undefined;
  readonly run: ActiveRunOptions;
}

/**
 * Starts a run or a fork under a caller's id. If a run with this id exists, here or in another process, returns that one.
 *
 * @throws {WorkflowError} `RUN_EXISTS` when the existing run was started with other data; the errors of `resume`.
 */
export async function startOnce(core: RuntimeCore, id: string, options: StartOnceOptions): Promise<Run<unknown>> {
  const { store, runs, starting } = core;
  for (;;) {
    await starting.get(id);
    const record = await store.read(id);
    if (record) {
      assertSameStart(record, readStart(id, await store.journal(id)), options);
      return follow(core, id, options.drive);
    }
    // The read may be older than a start meanwhile. A run that is driven here must stay registered as such.
    if (starting.has(id) || runs.get(id)) continue;
    core.assertOpen(); // the runtime may have closed during the read
    const created = Promise.withResolvers<unknown>();
    starting.set(id, created.promise);
    const run = new ActiveRun<unknown>(id, options.threadId, options.run);
    const create = async (): ReturnType<typeof createRun> => {
      try {
        return await createRun(core, run, { ...options, onCreated: () => created.resolve(undefined) });
      } catch (cause) {
        created.resolve(cause);
        throw cause;
      }
    };
    void runs.drive(run, create);
    const failure = await created.promise;
    starting.delete(id);
    if (!hasCode(failure, 'RUN_EXISTS')) return run;
    await run.result; // another process was faster: read its run
  }
}

function assertSameStart({ id, workflow, version, threadId }: RunRecord, start: StartEntry, options: StartOnceOptions): void {
  const given = options.outcome as JsonObject & StartEntry;
  const differences = Object.entries({
    workflow: workflow !== options.workflow.id,
    version: version !== options.workflow.version,
    thread: threadId !== options.threadId,
    input: !isSameInput(start, given),
    after: start.after !== given.after,
    fork: !isSame(start.forkOf, given.forkOf),
  }).flatMap(([name, differs]) => (differs ? [name] : []));
  if (differences.length === 0) return;
  throw new WorkflowError({
    code: 'RUN_EXISTS',
    message: `The run "${id}" already exists with another ${differences.join(' and another ')}.`,
    hint: 'Give the new run another id.',
    data: { runId: id, differences },
  });
}

/** Compares the hashes of the callers' inputs if both are known, because a later process may parse the same input to another value. */
const isSameInput = (before: StartEntry, now: StartEntry): boolean =>
  before.given !== undefined && now.given !== undefined ? before.given === now.given : isSame(before.input, now.input);

export const isSame = (a: Json = null, b: Json = null): boolean => canonicalJson(a) === canonicalJson(b);
