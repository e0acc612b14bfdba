import { createRuntime, memoryStore, type RunStore } from 'agent-machines';
import { expect, it } from 'vitest';
import { final, logWorkflow, waiting } from '../fixtures/log-workflow.ts';
import { countUnrested } from './loads.ts';

it('counts a run that a worker acquires during the count', async () => {
  const store = memoryStore();
  const workflow = logWorkflow({ states: { ask: waiting({ GO: 'done' }), done: final } });
  const { id, result } = createRuntime({ store }).start(workflow, {}, { drive: false });
  expect(await result).toEqual({ status: 'paused' });
  // whichever list comes first, the run is taken behind it
  const counted: RunStore = {
    ...store,
    async list(query) {
      const found = await store.list(query);
      if ((await store.read(id))?.status === 'paused') await store.acquire(id, { owner: 'o_1', leaseMs: 1_000, now: 0, monotonic: 0 });
      return found;
    },
  };
  expect(await countUnrested(counted, 10)).toBe(1);
  expect((await store.read(id))?.status).toBe('running');
});
