// Processes that share a rate through a store.
import { rateLimits } from 'agent-machines/stores';
import { expect, it, vi } from 'vitest';
import { requestsBegun } from '../../fixtures/shared-rate.ts';
import { inDatabase, sqliteFiles } from '../../fixtures/sqlite-files.ts';

const { newPath, openStore } = sqliteFiles('rate-limits-');

it('keeps processes that share a SQLite file within the rate under load', async () => {
  const place = newPath();
  openStore(place);
  const { begun, most } = await requestsBegun(place, 3);
  expect(begun).toBe(36);
  expect(most).toBeLessThanOrEqual(5);
}, 60_000);

it('counts each name separately across stores', async () => {
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
  'starts a new window if the note is damaged: %j',
  async (note) => {
    const path = newPath();
    const limits = rateLimits(openStore(path));
    const rate = { calls: 1, perMs: 3_600_000 };
    await limits.take('a', rate, 0);
    inDatabase(path, (db) => db.prepare('UPDATE notes SET note = ?').run(note));
    expect((await limits.take('a', rate, 0)).isTaken).toBe(true);
  },
);

it('keeps the window of a process when the wall clock is set', async () => {
  const limits = rateLimits();
  const rate = { calls: 1, perMs: 3_600_000 };
  const take = async (): Promise<boolean> => (await limits.take('a', rate, 0)).isTaken;
  const found = [await take()];
  const now = Date.now();
  for (const jumpMs of [7_200_000, -7_200_000]) {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now + jumpMs);
    found.push(await take());
    clock.mockRestore();
  }
  expect(found).toEqual([true, false, false]);
});

it('keeps the calls that a caller with a longer window counts', async () => {
  const path = newPath();
  const take = (calls: number, perMs: number) => rateLimits(openStore(path)).take('a', { calls, perMs }, 0, 0);
  expect((await take(2, 3_600_000)).isTaken).toBe(true);
  inDatabase(path, (db) => {
    const { note } = db.prepare('SELECT note FROM notes').get() as { note: string };
    const window = JSON.parse(note);
    const earlier = { ...window, askedAt: window.askedAt - 10_000, places: [window.places[0] - 10_000] };
    db.prepare('UPDATE notes SET note = ?').run(JSON.stringify(earlier));
  });
  const found = [await take(1, 1_000), await take(2, 3_600_000)];
  expect(found.map(({ isTaken }) => isTaken)).toEqual([true, false]);
});
