// docs/examples/monitoring: a real Prometheus reads a server and a worker under load, and every expression of the files has data.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { type AgentClient, createClient } from 'agent-machines/client';
import { sqliteStore } from 'agent-machines/stores/sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { folderForTests } from '../fixtures/folder-for-test.ts';
import { freePort } from '../fixtures/free-port.ts';
import { prometheusTypes } from '../fixtures/prometheus-text.ts';
import { type PrometheusServer, startPrometheus } from './monitoring/prometheus-server.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const execute = promisify(execFile);
const example = 'docs/examples/monitoring';
const textOf = (name: string): string => readFileSync(join(example, name), 'utf8');
const token = 'token-of-the-monitored';
const patience = { timeout: 60_000, interval: 200 };

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const dashboard = JSON.parse(textOf('grafana-dashboard.json')) as Dashboard;
const panelExpressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
/** Grafana replaces these. */
const filled = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.*').replaceAll('$workflow', '.*');

const rules = [...textOf('alerts.yml').matchAll(/- alert: (\w+)\n\s+expr: (?:\|\n((?: {10,}.*\n)+)|(.*)\n)/g)].map(
  ([, name = '', block, line]) => ({
    name,
    expression: (block ?? line ?? '').trim(),
  }),
);
/** The value that an alert compares. */
const comparedBy = (expression: string): string => expression.replace(/ or absent\(.*$/, '').replace(/ [<>] [\d.]+$/, '');

describe('the rules', () => {
  it('are valid, and fire on their causes', async () => {
    const folder = folderForTests('agent-machines-rules-');
    copyFileSync(join(example, 'alerts.yml'), join(folder, 'alerts.yml'));
    copyFileSync('test/system/monitoring/alerts-test.yml', join(folder, 'alerts-test.yml'));
    copyFileSync(join(example, 'prometheus.yml'), join(folder, 'prometheus.yml'));
    writeFileSync(join(folder, 'metrics-token'), token);
    expect((await execute('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder })).stdout).toContain(
      `${rules.length} rules found`,
    );
    expect((await execute('promtool', ['test', 'rules', 'alerts-test.yml'], { cwd: folder })).stdout).toContain('SUCCESS');
    const tested = readFileSync('test/system/monitoring/alerts-test.yml', 'utf8');
    expect(rules.filter(({ name }) => !new RegExp(`- alertname: ${name}\\n`).test(tested))).toEqual([]);
  });
});

describe('a server and a worker under load', () => {
  const folder = folderForTests('agent-machines-monitoring-');
  const children = new Set<ChildProcess>();
  const ports = { server: 0, worker: 0 };
  let prometheus: PrometheusServer;

  async function start(part: keyof typeof ports): Promise<() => Promise<void>> {
    const child = spawn(
      process.execPath,
      ['--conditions=@agent-machines/source', 'test/system/monitoring/monitored-process.ts', part, folder, String(ports[part]), token],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.add(child);
    const ended = once(child, 'close');
    await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error(`The ${part} has ended.`)))]);
    return async () => {
      children.delete(child);
      child.kill('SIGKILL');
      await ended;
    };
  }

  const metricsOf = async (part: keyof typeof ports): Promise<string> => {
    const headers = { authorization: `Bearer ${token}-metrics` };
    return (await fetch(`http://127.0.0.1:${ports[part]}/metrics`, { headers })).text();
  };
  const only = async (expression: string): Promise<number | undefined> => (await prometheus.query(expression))[0]?.value;
  const missing = async (): Promise<readonly string[]> => {
    const expressions = [...panelExpressions.map(filled), ...rules.map(({ expression }) => comparedBy(expression))];
    const answers = await Promise.all(expressions.map((expression) => prometheus.query(expression)));
    return expressions.filter((_, index) => answers[index]?.some(({ value }) => Number.isFinite(value)) !== true);
  };
  let client: AgentClient;
  const begin = (workflow: string, more: object = {}) =>
    client.startRun({ body: { workflow, input: workflow === 'tool_agent' ? { input: 'q' } : {}, ...more } });

  /** Reads a run whose journal has lost an entry, which is an error of the store. */
  async function readDamaged(id: string): Promise<void> {
    await expect.poll(async () => (await client.getRun({ params: { id } })).status).toBe('failed');
    const db = new DatabaseSync(join(folder, 'agents.db'));
    db.prepare('DELETE FROM journal WHERE id = (SELECT n * 1000000 + 2 FROM runs WHERE id = ?)').run(id);
    db.close();
    await expect(client.getJournal({ params: { id }, query: {} })).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
  }

  beforeAll(async () => {
    ports.server = await freePort();
    ports.worker = await freePort();
    client = createClient({ baseUrl: `http://127.0.0.1:${ports.server}`, token });
    writeFileSync(join(folder, 'metrics-token'), `${token}-metrics`);
    copyFileSync(join(example, 'alerts.yml'), join(folder, 'alerts.yml'));
    const config = textOf('prometheus.yml')
      .replaceAll('interval: 15s', 'interval: 1s')
      .replace(':4680', `:${ports.server}`)
      .replace(':9464', `:${ports.worker}`);
    writeFileSync(join(folder, 'prometheus.yml'), config);
    const kill = await start('server');
    await start('worker');
    prometheus = await startPrometheus(join(folder, 'prometheus.yml'), folder);
    // the worker takes over a run of a server that dies, and a new server begins to count at 0
    const held = await begin('held');
    await Promise.all(Array.from({ length: 20 }, () => begin('failing')));
    await vi.waitFor(async () => expect(await only('sum(agent_machines_runs_started_total)')).toBe(21), patience);
    await expect(client.deleteRun({ params: { id: held.id } })).rejects.toMatchObject({ code: 'RUN_BUSY' });
    await kill();
    await vi.waitFor(
      async () => expect(await metricsOf('worker')).toContain('agent_machines_takeovers_total{workflow="held"} 1'),
      patience,
    );
    await start('server');
    await begin('asking', { threadId: 'talk' });
    await begin('asking', { threadId: 'talk', ifBusy: 'queue' });
  });
  afterAll(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    for (const child of children) child.kill('SIGKILL');
  });

  it('give every expression of the dashboard and of the alerts a value', async () => {
    const held = await begin('held');
    await expect(client.deleteRun({ params: { id: held.id } })).rejects.toMatchObject({ code: 'RUN_BUSY' });
    await readDamaged((await begin('failing')).id);
    let isOver = false;
    const load = (async () => {
      while (!isOver) {
        await Promise.all(['tool_agent', 'tool_agent', 'failing', 'retrying', 'asking'].map((workflow) => begin(workflow)));
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    })();
    await expect.poll(missing, { timeout: 90_000, interval: 1_000 }).toEqual([]);
    isOver = true;
    await load;
  });

  it('report metrics with the names, types and labels of the guide', async () => {
    const guide = readFileSync('docs/guides/telemetry.md', 'utf8');
    const known = new Map(
      [...guide.matchAll(/^\| `(\w+)` \| (counter|gauge|histogram) \| ([^|]*) \|/gm)].map(([, name = '', type, labels = '']) => [
        name,
        `${type} ${labels.replaceAll(/[`,]/g, '')}`.trim(),
      ]),
    );
    for (const part of ['server', 'worker'] as const) {
      const text = await metricsOf(part);
      for (const [name, type] of prometheusTypes(text)) {
        const [, labels = ''] = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(text) ?? [];
        const names = [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => label);
        expect(known.get(name), name).toBe(`${type} ${names.join(' ')}`.trim());
      }
    }
  });

  it('report the same counts of their store: max is right, sum is not', async () => {
    const store = sqliteStore({ path: join(folder, 'agents.db') });
    const count = (await store.list({ limit: 100_000 })).length;
    await store.close();
    await expect.poll(() => only('max(sum by (instance) (agent_machines_runs))'), patience).toBe(count);
    await expect.poll(() => only('sum(agent_machines_runs)'), patience).toBe(2 * count);
    expect(await only('max(agent_machines_threads)')).toBe(1);
  });

  it('keep rates right over the death of a process', async () => {
    const [{ value } = { value: -1 }] = await prometheus.query(
      'min(min_over_time((sum by (instance) (rate(agent_machines_runs_ended_total[10s])))[5m:1s]))',
    );
    expect(value).toBeGreaterThanOrEqual(0);
    expect(await only('sum(resets(agent_machines_runs_started_total{workflow="failing"}[5m]))')).toBe(1);
  });

  it('fire an alert for a run in doubt, and end it when the run is cancelled', async () => {
    const firing = async () =>
      (await prometheus.alerts()).filter(({ name }) => name === 'RunsInDoubt').map(({ labels }) => labels.workflow);
    expect(await firing()).toEqual([]);
    const { id } = await begin('doubtful');
    await expect.poll(firing, { timeout: 30_000 }).toEqual(['doubtful']);
    await client.cancelRun({ params: { id } });
    await expect.poll(firing, { timeout: 30_000 }).toEqual([]);
  });
});
