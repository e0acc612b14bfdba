import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import type { PlanExecuteState } from 'agent-machines/machines/plan-execute';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { input } from './script.ts';
import type { OpenVariant, Variant } from './variant.ts';
import { assertEngine, type ScriptedWorkflow, tableWorkflow, xstateWorkflow } from './workflows.ts';

export const runtimeOnMemory: Variant = {
  runsPerStore: 500,
  open: async () => {
    assertEngine(tableWorkflow, 'table');
    return openRuntime(tableWorkflow, memoryStore(), () => {});
  },
};

export const runtimeOnXState: Variant = {
  runsPerStore: 500,
  open: async () => {
    assertEngine(xstateWorkflow, 'xstate');
    return openRuntime(xstateWorkflow, memoryStore(), () => {});
  },
};

export const runtimeOnSqlite: Variant = {
  // a process keeps its database open, and SQLite is at its slowest until its log has reached its full length
  runsPerStore: Number.POSITIVE_INFINITY,
  open: async () => {
    assertEngine(tableWorkflow, 'table');
    const folder = mkdtempSync(join(tmpdir(), 'agent-machines-bench-'));
    const store = sqliteStore({ path: join(folder, 'runs.db') });
    return openRuntime(tableWorkflow, store, () => rmSync(folder, { recursive: true }));
  },
};

function openRuntime(workflow: ScriptedWorkflow, store: RunStore, remove: () => void): OpenVariant {
  const runtime = createRuntime({ store });
  return {
    run: async () => {
      const result = await runtime.start(workflow, input).result;
      if (result.status !== 'done' || result.finalState !== 'done')
        throw new Error(`The run ended unexpectedly: ${JSON.stringify(result)}`);
    },
    finalState: async () => {
      // A run's result holds its output, not its state; a thread is shown the state, and changes nothing else.
      let end: PlanExecuteState | undefined;
      const watched: ScriptedWorkflow = {
        ...workflow,
        thread: {
          initial: null,
          next: (thread, { state }) => {
            end = state as unknown as PlanExecuteState;
            return thread;
          },
        },
      };
      // another workflow of the same id: a runtime refuses two
      const watching = createRuntime({ store });
      await watching.start(watched, input, { threadId: 'proof' }).result;
      await watching.close();
      return end;
    },
    close: async () => {
      await runtime.close();
      await store.close();
      remove();
    },
  };
}
