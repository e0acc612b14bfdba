// The metrics that there are, as a meter of OpenTelemetry gets them, and as the guide lists them.
import { readFileSync } from 'node:fs';
import { createRuntime, memoryStore } from 'agent-machines';
import { createMetrics } from 'agent-machines/metrics';
import { expect, it, onTestFinished } from 'vitest';
import { recordingMeter } from '../../../fixtures/recording-meter.ts';
import { asking, serve } from '../../../fixtures/served.ts';

const suffixes: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' };

it('are the metrics of the guide, with their types', async () => {
  const { meter, instruments } = recordingMeter();
  createMetrics({ meter }).close();
  const known = [...instruments.values()].map(({ name, type, unit = '' }) => {
    const end = `${suffixes[unit] ?? ''}${type === 'counter' ? '_total' : ''}`;
    return `${name.replaceAll('.', '_')}${end} ${type}`;
  });
  const { ask, runtime } = serve();
  onTestFinished(() => runtime.close());
  const { body } = await ask('GET', '/metrics');
  for (const [, name, type] of String(body).matchAll(/^# TYPE (\S+) (\S+)$/gm)) known.push(`${name} ${type}`);
  const guide = readFileSync('docs/guides/telemetry.md', 'utf8');
  const listed = [...guide.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \|/gm)].map(([, name, type]) => `${name} ${type}`);
  expect(listed.sort()).toEqual([...new Set(known)].sort());
  expect(listed.length).toBeGreaterThan(35);
});

it('have rising buckets, and a text of their own', () => {
  const { meter, instruments } = recordingMeter();
  createMetrics({ meter }).close();
  const all = [...instruments.values()];
  for (const { name, bounds = [] } of all) {
    expect(name).toMatch(/^[a-z0-9_]+(?:\.[a-z0-9_]+)+$/);
    expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
  }
  expect(new Set(all.map(({ description }) => description)).size).toBe(all.length);
});

it('reach the meter with the same values and labels, until they are closed', async () => {
  const { meter, recorded, observe } = recordingMeter();
  const metrics = createMetrics({ meter, tallyMs: 0 });
  const runtime = createRuntime({ store: metrics.store(memoryStore()), workflows: [asking] });
  onTestFinished(() => runtime.close());
  await runtime.start(asking, {}).result;
  const text = await metrics.text();
  expect(recorded.get('agent_machines.runs.started {"workflow":"asking"}')).toBe(1);
  expect(recorded.get('agent_machines.runs.suspended {"workflow":"asking","status":"waiting"}')).toBe(1);
  const [, sum] = /^agent_machines_node_duration_seconds_sum\{workflow="asking",node="work"\} (\S+)$/m.exec(text) ?? [];
  expect(recorded.get('agent_machines.node.duration {"workflow":"asking","node":"work"}')).toBe(Number(sum));
  const observed = await observe();
  expect(observed.get('agent_machines.runs {"workflow":"asking","status":"waiting"}')).toBe(1);
  expect(observed.get('agent_machines.store.up {}')).toBe(1);
  expect(observed.get('process.memory.usage {}')).toBeGreaterThan(1e6);
  metrics.close();
  expect((await observe()).size).toBe(0);
});
