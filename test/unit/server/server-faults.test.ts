// A server in a process of its own, clients whose connections break, stall and stay, and signals. The full counts: test/system/server-faults.test.ts.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../../fixtures/folder-for-test.ts';
import { seeded } from '../../fixtures/seeded.ts';
import { cutReader, explicitStops, idleStreams, rollingDeploy, servedChild, stalledReaders } from '../../fixtures/server-faults.ts';

it('delivers every event once to a reader whose connection is cut at random', async () => {
  const child = await servedChild({ events: 200 });
  expect(await cutReader(child, 60, seeded(1))).toMatchObject({ cuts: 60 });
});

it('buffers little for stalled readers, delays no other client, and disconnects them', async () => {
  const child = await servedChild({
    path: join(folderForTest('agent-machines-faults-'), 'runs.db'),
    events: 150,
    chars: 100_000,
    streams: 50,
  });
  const { grownBytes, cutOff } = await stalledReaders(child, 10);
  expect(cutOff).toBe(10);
  expect(grownBytes).toBeLessThan(30_000_000);
});

it('allows eight idle streams per token and rejects more', async () => {
  const child = await servedChild({});
  expect(await idleStreams(child, 100)).toEqual({ 200: 8, 429: 92 });
});

it('loses no run on shutdown and repeats no finished work', () => rollingDeploy(10));

it('aborts cancelled work at once, but not abandoned work', () => explicitStops(5));
