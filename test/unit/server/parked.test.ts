// A run that has crashed its process three times, as clients see and release it.
import { createRuntime, memoryStore } from 'agent-machines';
import { describe, expect, it } from 'vitest';
import { crashRun } from '../../fixtures/crash-run.ts';
import { final, hangs, logWorkflow, node } from '../../fixtures/log-workflow.ts';
import { serve } from '../../fixtures/served.ts';

const workflow = logWorkflow({ states: { a: node('a', 'done'), done: final, failed: final }, nodes: { a: hangs } });

describe('parked runs', () => {
  it('are listed as parked and can be released', async () => {
    const store = memoryStore();
    const run = createRuntime({ store }).start(workflow, {});
    for await (const event of run.events()) if (event.type === 'node-start') break;
    await crashRun(store, run.id, 3);
    const { ask } = serve({ store, runtime: createRuntime({ store, workflows: [workflow] }), workflows: [workflow] });
    const parked = { code: 'RUN_POISONED', message: expect.stringContaining('is parked') };
    const listed = await ask('GET', '/api/runs');
    expect(listed.body.runs).toMatchObject([{ id: run.id, status: 'running', parked }]);
    expect((await ask('GET', `/api/runs/${run.id}`)).body).toMatchObject({ parked, error: parked });
    const released = await ask('POST', `/api/runs/${run.id}/release`);
    expect([released.status, released.body.status, released.body.parked]).toEqual([200, 'paused', undefined]);
  });
});
