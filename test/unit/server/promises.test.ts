import type { PromiseReport } from 'agent-machines/testing';
import { verifyPromises } from 'agent-machines/testing';
import { expect, it } from 'vitest';
import { articlePromises } from '../../fixtures/article-promises.ts';
import { articleOptions } from '../../fixtures/article-workflow.ts';
import { asking, serve } from '../../fixtures/served.ts';
import { hasty } from '../../fixtures/verified-workflow.ts';

const about = { title: 'Hasty', description: 'Publishes at once.', examples: [] };
const verified = () => verifyPromises(hasty, { invariants: articlePromises, exploreOptions: articleOptions });

it('reports for each promise whether it holds, with a path to a violation, and verifies once', async () => {
  let looks = 0;
  const promises = (): PromiseReport => {
    looks++;
    return verified();
  };
  const { ask, runtime } = serve({ workflows: [{ ...about, id: 'hasty', workflow: hasty, promises }] });
  const { status, body } = await ask('GET', '/api/workflows/hasty/promises');
  expect([status, body.complete, body.places > 3]).toEqual([200, true, true]);
  expect(body.promises.map(({ name }: { name: string }) => name)).toEqual(articlePromises.map(({ name }) => name));
  expect(body.promises[0]).toMatchObject({
    name: 'nothing is published before a human approved it',
    verdict: 'broken',
    why: expect.stringContaining('publish'),
    way: {
      start: { active: ['write'], waiting: [], done: false, state: { text: '' } },
      steps: [
        { by: 'write', kind: 'node', edges: [{ from: 'write', on: 'done' }], to: { active: ['check'], state: { text: 'a text' } } },
        { by: 'check', kind: 'node', edges: [{ from: 'check', on: 'done', guard: 'isGood' }], to: { active: ['publish'] } },
      ],
    },
  });
  expect((await ask('GET', '/api/workflows/hasty/promises')).body).toEqual(body);
  expect(looks).toBe(1);
  await runtime.close();
});

it('verifies again after a failure', async () => {
  let looks = 0;
  const promises = (): PromiseReport => {
    if (looks++ === 0) throw new Error('no memory');
    return verified();
  };
  const { ask, runtime } = serve({ workflows: [{ ...about, id: 'hasty', workflow: hasty, promises }], onError: () => {} });
  expect((await ask('GET', '/api/workflows/hasty/promises')).status).toBe(500);
  expect((await ask('GET', '/api/workflows/hasty/promises')).status).toBe(200);
  await runtime.close();
});

it.each([
  ['names', { invariants: () => ['it ends'] }, [{ name: 'it ends' }]],
  ['nothing', {}, []],
])('returns %s for a workflow whose promises are not verified', async (_, more, promises) => {
  const { ask, runtime } = serve({ workflows: [{ ...about, id: 'asking', workflow: asking, ...more }] });
  const { body } = await ask('GET', '/api/workflows/asking/promises');
  expect(body).toEqual({ complete: false, cutOff: [], places: 0, promises });
  expect((await ask('GET', '/api/workflows/other/promises')).status).toBe(404);
  await runtime.close();
});

it('returns an endless path, and one that violates at the start', async () => {
  const { eventually, never } = await import('agent-machines/testing');
  const { promises } = verifyPromises(hasty, {
    invariants: [eventually('it is published', ({ isIn }) => isIn('done')), never('it is written', ({ isIn }) => isIn('write'))],
    exploreOptions: articleOptions,
  });
  expect(promises.map(({ verdict }) => verdict)).toEqual(['broken', 'broken']);
  expect(promises[1]?.way).toMatchObject({ start: { active: ['write'] }, steps: [] });
});
