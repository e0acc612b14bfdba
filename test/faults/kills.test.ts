import { afterAll, expect, it } from 'vitest';
import { seeded } from '../fixtures/seeded.ts';
import { share } from '../fixtures/share.ts';
import { canMake, type Fault } from './fault.ts';
import { sqlitePlaces } from './fault-place.ts';
import { everyBoundary, insideCommits, onceInDoubt, randomKills } from './kills.ts';
import { powerLoss } from './power.ts';

const places = sqlitePlaces();
const encryptedPlaces = sqlitePlaces('01'.repeat(31).concat('02'));
afterAll(async () => {
  await places[Symbol.asyncDispose]();
  await encryptedPlaces[Symbol.asyncDispose]();
});

it.each<[Fault, number]>([
  [randomKills, share(100, 3)],
  [onceInDoubt, share(24, 3)],
  [everyBoundary, share(1_000, 5)],
])('holds when $row happens: $what', async (fault, count) => {
  const { violations, reached } = await fault.make({ places, count, random: seeded(1) });
  expect(violations).toEqual([]);
  expect(reached).toBeGreaterThan(0);
});

it.each<[Fault, number]>([
  [randomKills, share(100, 3)],
  [onceInDoubt, share(24, 3)],
  [everyBoundary, share(1_000, 5)],
  [insideCommits, share(100, 5)],
])('holds in an encrypted database when $row happens', async (fault, count) => {
  const { violations, reached } = await fault.make({ places: encryptedPlaces, count, random: seeded(2) });
  expect(violations).toEqual([]);
  expect(reached).toBeGreaterThan(0);
});

it.runIf(canMake(powerLoss))(`holds when ${powerLoss.row} happens: ${powerLoss.what}`, async () => {
  const count = share(100, 8);
  expect(await powerLoss.make({ places, count, random: seeded(1) })).toMatchObject({ violations: [], reached: count });
});
