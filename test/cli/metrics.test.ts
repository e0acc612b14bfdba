// Metrics of `work` and `serve`, as a scraper reads them.
import { request } from 'undici';
import { expect, it, vi } from 'vitest';
import { prometheusValues } from '../fixtures/prometheus-text.ts';
import { command, folder, ownProcess } from './command.ts';

vi.setConfig({ testTimeout: 60_000 });
const token = 'token-of-the-scraper';

async function working(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const process = ownProcess(folder(), ['work', ...args, '--json'], env);
  await process.sees('/metrics"');
  const { url } = JSON.parse(await process.firstLine()) as { readonly url: string };
  return { process, url };
}

it('serves metrics and health of a worker', async () => {
  const { process, url } = await working(['--metrics', '0']);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const values = prometheusValues(await (await fetch(url)).text());
  expect(values.get('agent_machines_workers')).toBe(1);
  expect(values.get('agent_machines_store_up')).toBe(1);
  expect((await fetch(new URL('/health', url))).status).toBe(200);
  expect((await request(url, { headers: { host: 'attacker.example' } })).statusCode).toBe(421);
  process.kill('SIGTERM');
  expect((await process).code).toBe(0);
});

it('requires the token of the environment', async () => {
  const { process, url } = await working(['--metrics', '0.0.0.0:0'], { AGENT_MACHINES_METRICS_TOKEN: token });
  expect((await fetch(url)).status).toBe(401);
  expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  expect((await fetch(new URL('/health', url))).status).toBe(200);
  process.kill('SIGTERM');
  expect((await process).code).toBe(0);
});

it.each([
  ['0.0.0.0:9464', {}, '--metrics 0.0.0.0:9464 is open to other machines. Set AGENT_MACHINES_METRICS_TOKEN'],
  ['[::]:9464', {}, 'is open to other machines'],
  ['0', { AGENT_MACHINES_METRICS_TOKEN: 'short' }, 'AGENT_MACHINES_METRICS_TOKEN is shorter than 16 characters'],
  ['0', { AGENT_MACHINES_METRICS_TOKEN: '' }, 'AGENT_MACHINES_METRICS_TOKEN is shorter than 16 characters'],
  ['nowhere.invalid:0', { AGENT_MACHINES_METRICS_TOKEN: token }, 'This machine has no address nowhere.invalid'],
  ['70000', {}, 'It is not a whole number'],
  ['', {}, 'It is not [HOST:]PORT'],
  ['a b:1', {}, 'It is not [HOST:]PORT'],
])('rejects --metrics %j with %j', async (address, env, message) => {
  const { code, stderr } = await command(folder(), ['work', '--metrics', address], env);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

it('names a port of --metrics that is in use', async () => {
  const { process, url } = await working(['--metrics', '0']);
  const { port } = new URL(url);
  expect(await command(folder(), ['work', '--metrics', port])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`The port ${port} of --metrics`) as string,
  });
  process.kill('SIGTERM');
  await process;
});

it('serves the metrics of a server to its client and to a scraper', async () => {
  const server = ownProcess(folder(), ['serve', '--port', '0', '--json'], { AGENT_MACHINES_METRICS_TOKEN: token });
  const { url, token: own } = JSON.parse(await server.firstLine()) as { readonly url: string; readonly token: string };
  for (const bearer of [own, token]) {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${bearer}` } });
    expect(prometheusValues(await response.text()).get('agent_machines_workers')).toBe(1);
  }
  expect((await fetch(`${url}/api/runs`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401);
  server.kill('SIGTERM');
  expect((await server).code).toBe(0);
});
