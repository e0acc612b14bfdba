import { afterAll, expect, it } from 'vitest';
import { seeded } from '../fixtures/seeded.ts';
import { share } from '../fixtures/share.ts';
import type { Fault } from './fault.ts';
import { sqlitePlaces } from './fault-place.ts';
import { answeredByAll, resumedByAll } from './races.ts';
import { blockedLoop, stoppedProcess } from './zombies.ts';

const places = sqlitePlaces();
afterAll(() => places[Symbol.asyncDispose]());

it.each<[Fault, number]>([
  [resumedByAll, share(100, 3)],
  [answeredByAll, share(100, 3)],
  [stoppedProcess, share(10, 1)],
  [blockedLoop, share(3, 1)],
])('holds when $row happens: $what', async (fault, count) => {
  const { violations, reached } = await fault.make({ places, count, random: seeded(1) });
  expect(violations).toEqual([]);
  expect(reached).toBe(count);
});
