import { memoryStore } from '../stores/memory-store.ts';
import { assertId } from '../util/ids.ts';
import { systemClock } from '../util/system-clock.ts';
import { cancel } from './cancel.ts';
import { fork } from './fork.ts';
import { parseLimits } from './limits.ts';
import { resolve } from './resolve.ts';
import type { Runtime, RuntimeOptions } from './runtime.ts';
import { RuntimeCore } from './runtime-core.ts';
import { send } from './send.ts';
import { start } from './start.ts';
import { readRunInfo, readThreadInfo } from './stored-runs.ts';

/**
 * Makes a runtime: starts workflows, and continues them from their journals.
 *
 * @throws {WorkflowError} `OPTION_INVALID`.
 * @example
 * const runtime = createRuntime({ store: sqliteStore({ path: 'agents.db' }), workflows: [planExecute()] });
 */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  const { store = memoryStore(), clock = systemClock, leaseMs = 30_000, workflows = [] } = options;
  const core = new RuntimeCore({ store, clock, leaseMs, workflows, limits: parseLimits(options.limits) });
  return {
    start: (workflow, input, startOptions) => start(core, workflow, input, startOptions),
    resume: (runId, resumeOptions = {}) => core.takeUp(runId, resumeOptions),
    send: (runId, event, sendOptions) => send(core, runId, event, sendOptions),
    resolve: (runId, callId, resolution) => resolve(core, runId, callId, resolution),
    async pause(runId) {
      const run = core.runs.get(runId);
      run?.stop('paused');
      await run?.result;
    },
    cancel: (runId) => cancel(core, runId),
    fork: (runId, forkOptions) => fork(core, runId, forkOptions),
    async get(runId) {
      assertId(runId, 'run');
      return readRunInfo(store, runId);
    },
    async list(query = {}) {
      return store.list(query);
    },
    async history(runId) {
      assertId(runId, 'run');
      return store.journal(runId);
    },
    async *events(runId, { from = 1 } = {}) {
      assertId(runId, 'run');
      const here = core.runs.get(runId);
      if (here) return yield* here.log.read(from);
      for (const { events } of await store.journal(runId)) for (const event of events) if (event.seq >= from) yield event;
    },
    async thread(threadId) {
      assertId(threadId, 'thread');
      return readThreadInfo(store, threadId);
    },
    close: () => core.close(),
  };
}
