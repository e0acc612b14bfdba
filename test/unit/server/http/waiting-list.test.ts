// What waits for a human, page by page.
import { createRuntime, memoryStore, type RunInfo, type RunQuery } from 'agent-machines';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listWaiting } from '../../../../src/server/http/waiting-list.ts';
import { asking, serve } from '../../../fixtures/served.ts';

describe('listWaiting', () => {
  it('returns each run once in pages of any size for any start times', async () => {
    const run = fc.record({ isWaiting: fc.boolean(), startedAt: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 20 }), fc.integer({ min: 1, max: 7 }), async (given, limit) => {
        const all = given.map(({ isWaiting, startedAt }, index) => ({
          id: `r_${index}`,
          status: isWaiting ? 'waiting' : 'in_doubt',
          startedAt,
          result: { status: isWaiting ? 'waiting' : 'in_doubt', interrupts: [], calls: [] },
        }));
        const runtime = {
          list: async ({ status, before, limit: most = 100 }: RunQuery = {}) => {
            const listed = all.filter((one) => one.status === status).reverse();
            return listed.slice(before === undefined ? 0 : listed.findIndex(({ id }) => id === before) + 1).slice(0, most) as never;
          },
          get: async (id: string) => all.find((one) => one.id === id) as unknown as RunInfo,
        };
        const ids: string[] = [];
        let before: string | undefined;
        do {
          const page = await listWaiting(runtime, { limit, ...(before === undefined ? {} : { before }) });
          expect(page.runs.length === limit || page.next === undefined).toBe(true);
          ids.push(...page.runs.map(({ id }) => id));
          before = page.next;
        } while (before !== undefined);
        expect(ids.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
      }),
    );
  });

  it('is paged by the server and rejects an invalid position', async () => {
    const store = memoryStore();
    const runtime = createRuntime({ store, workflows: [asking] });
    const { ask } = serve({ store, runtime });
    const started: string[] = [];
    for (let count = 0; count < 5; count++) {
      const run = runtime.start(asking, {});
      expect((await run.result).status).toBe('waiting');
      started.unshift(run.id);
    }
    const first = await ask('GET', '/api/runs/waiting?limit=3');
    expect(first.body.runs.map(({ id }: { id: string }) => id)).toEqual(started.slice(0, 3));
    const second = await ask('GET', `/api/runs/waiting?limit=3&before=${first.body.next}`);
    expect(second.body.runs.map(({ id }: { id: string }) => id)).toEqual(started.slice(3));
    expect(second.body.next).toBeUndefined();
    expect((await ask('GET', '/api/runs/waiting?before=nothing')).status).toBe(400);
    expect((await ask('GET', '/api/runs/waiting?limit=0')).status).toBe(400);
    await runtime.close();
  });
});
