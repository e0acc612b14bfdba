// Processes that share a rate through a store.
import { rateLimits } from 'agent-machines/stores';
import { expect, it } from 'vitest';
import { requestsBegun } from '../../fixtures/shared-rate.ts';
import { inDatabase, sqliteFiles } from '../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('rate-limits-');

it('lets processes on one SQLite file begin no more requests in any window than there may be, however busy they are', async () => {
  const place = newPath();
  openStore(place);
  const { begun, most } = await requestsBegun(place, 3);
  expect(begun).toBe(36);
  expect(most).toBeLessThanOrEqual(5);
}, 60_000);

it('counts each name by itself, over stores that come and go', async () => {
  const path = newPath();
  const rate = { calls: 1, perMs: 3_600_000 };
  const take = async (name: string): Promise<boolean> => (await rateLimits(openStore(path)).take(name, rate, 0)).isTaken;
  expect([await take('a'), await take('a'), await take('b'), await take('a\u0000'), await take('b')]).toEqual([
    true,
    false,
    true,
    true,
    false,
  ]);
});

it.each(['', '{', 'null', '{"askedAt":"x","places":[]}', '{"askedAt":1,"places":[null]}', '{"askedAt":1,"places":7}'])(
  'begins anew where somebody has made %j of what was noted',
  async (note) => {
    const path = newPath();
    const limits = rateLimits(openStore(path));
    const rate = { calls: 1, perMs: 3_600_000 };
    await limits.take('a', rate, 0);
    inDatabase(path, (db) => db.prepare('UPDATE notes SET note = ?').run(note));
    expect((await limits.take('a', rate, 0)).isTaken).toBe(true);
  },
);
