// A server in a process of its own, clients whose connections break, stall and stay, and signals. The full counts: test/system/server-faults.test.ts.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderForTest } from '../../fixtures/folder-for-test.ts';
import { seeded } from '../../fixtures/seeded.ts';
import { cutReader, explicitStops, idleStreams, rollingDeploy, servedChild, stalledReaders } from '../../fixtures/server-faults.ts';

it('gives a reader whose connection is cut at random every event, once', async () => {
  const child = await servedChild({ events: 200 });
  expect(await cutReader(child, 60, seeded(1))).toMatchObject({ cuts: 60 });
});

it('holds little for readers that take nothing, keeps nobody else waiting, and cuts them off', async () => {
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

it('has places for eight idle streams of a token, and refuses the others', async () => {
  const child = await servedChild({});
  expect(await idleStreams(child, 100)).toEqual({ 200: 8, 429: 92 });
});

it('loses no run when it is asked to end, and what was finished is not done again', () => rollingDeploy(10));

it('stops at once what is stopped by name, and not what is only left', () => explicitStops(5));
