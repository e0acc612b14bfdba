// As test/unit/server/server-faults.test.ts, with the full counts.
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { folderForTest } from '../fixtures/folder-for-test.ts';
import { seeded } from '../fixtures/seeded.ts';
import { cutReader, explicitStops, idleStreams, rollingDeploy, servedChild, stalledReaders } from '../fixtures/server-faults.ts';

vi.setConfig({ testTimeout: 600_000 });

/** Another one in every run; it is in the test's name, so that what fails can be had again. */
const seed = Math.floor(Math.random() * 1e9);

it(`sends every event once to a reader whose connection is cut 500 times at random (seed ${seed})`, async () => {
  const child = await servedChild({ events: 200 });
  expect(await cutReader(child, 500, seeded(seed))).toMatchObject({ cuts: 500 });
});

it('holds less than 150 MB for 100 stalled readers of 25 MB, and disconnects them', async () => {
  const child = await servedChild({
    path: join(folderForTest('agent-machines-faults-'), 'runs.db'),
    events: 250,
    chars: 100_000,
    streams: 200,
  });
  const { grownBytes, cutOff } = await stalledReaders(child, 100);
  expect(cutOff).toBe(100);
  expect(grownBytes).toBeLessThan(150_000_000);
});

it('accepts 8 of 1,000 idle streams of a token', async () => {
  const child = await servedChild({});
  expect(await idleStreams(child, 1_000)).toMatchObject({ 200: 8 });
});

it('loses none of 100 runs on shutdown', () => rollingDeploy(100));

it('stops each of 100 runs by name', () => explicitStops(100));
