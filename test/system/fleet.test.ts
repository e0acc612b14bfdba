import { expect, it, onTestFinished } from 'vitest';
import { postgresPlaces } from '../faults/fault-place.ts';
import { fleet } from '../faults/fleet.ts';
import { seeded } from '../fixtures/seeded.ts';

// `npm run soak -- fleet` does it for ten minutes
const lastsMs = 60_000;

it('loses and repeats nothing when a server and three workers are killed at random, and version 2 is deployed under load', async () => {
  const places = await postgresPlaces();
  onTestFinished(() => places[Symbol.asyncDispose]());
  const { counts, violations } = await fleet({ place: await places.create(), lastsMs, random: seeded(1) });
  console.table(counts);
  expect(violations).toEqual([]);
  // a machine that is too slow for these would prove nothing
  for (const name of ['killed workers', 'killed servers', 'orders of version 1', 'orders of version 2', 'approvals of version 1']) {
    expect(counts[name], name).toBeGreaterThan(0);
  }
  for (const name of ['approvals of version 2', 'migrated runs', 'human answers', 'retried runs', 'turns of conversations']) {
    expect(counts[name], name).toBeGreaterThan(0);
  }
  for (const name of ['runs of a declared schedule', 'runs of a stored schedule']) {
    expect(counts[name], name).toBeGreaterThanOrEqual(lastsMs / 2_000 - 5);
  }
});
