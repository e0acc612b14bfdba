import { expect, it } from 'vitest';
import { lazyRetriever } from '../../../../src/cli/lazy-retriever.ts';
import { loadedOnce } from '../../../../src/core/util/loaded-once.ts';
import { offlineModel } from '../../../../src/models/offline/offline-model.ts';

/** Fails so often, and counts. */
function failing<T>(times: number, value: T): { readonly load: () => Promise<T>; readonly loads: () => number } {
  let loads = 0;
  const load = async (): Promise<T> => {
    if (++loads <= times) throw new Error(`not yet ${loads}`);
    return value;
  };
  return { load, loads: () => loads };
}

it('loads once for concurrent and later callers', async () => {
  const { load, loads } = failing(0, {});
  const loaded = loadedOnce(load);
  expect(loads()).toBe(0);
  const [first, second] = await Promise.all([loaded(), loaded()]);
  expect([first === second, (await loaded()) === first, loads()]).toEqual([true, true, 1]);
});

it('loads again for the next caller after a failure', async () => {
  const { load, loads } = failing(2, 'there');
  const loaded = loadedOnce(load);
  const both = await Promise.allSettled([loaded(), loaded()]);
  expect(both.map((one) => one.status === 'rejected' && String(one.reason))).toEqual(['Error: not yet 1', 'Error: not yet 1']);
  await expect(loaded()).rejects.toThrow('not yet 2');
  expect([await loaded(), await loaded(), loads()]).toEqual(['there', 'there', 3]);
});

it('lets rules and a retriever be loaded on the next call', async () => {
  const rules = failing(1, { say: () => 'said' });
  const model = offlineModel(rules.load);
  const request = { task: 'say', messages: [{ role: 'user', content: 'x' }] } as const;
  await expect(model.generate(request)).rejects.toThrow('not yet');
  expect(await model.generate(request)).toMatchObject({ text: 'said' });
  const passages = failing(1, { search: async () => [] });
  const retriever = lazyRetriever(passages.load);
  await expect(retriever.search('x', { limit: 1 })).rejects.toThrow('not yet');
  expect(await retriever.search('x', { limit: 1 })).toEqual([]);
});
