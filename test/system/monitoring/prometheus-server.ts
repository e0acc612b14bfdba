import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { freePort } from '../../fixtures/free-port.ts';

interface PrometheusValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface PrometheusAlert {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface PrometheusServer extends AsyncDisposable {
  /** Values of an expression now. */
  query(expression: string): Promise<readonly PrometheusValue[]>;
  /** Alerts that fire. */
  alerts(): Promise<readonly PrometheusAlert[]>;
}

/** Starts Debian's Prometheus. */
export async function startPrometheus(config: string, folder: string): Promise<PrometheusServer> {
  const port = await freePort();
  const server = spawn(
    'prometheus',
    [`--config.file=${config}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(server, 'close');
  const url = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await vi.waitFor(
    async () => {
      if (server.exitCode === null && !(await isReady())) throw new Error('Prometheus is not ready.');
    },
    { timeout: 60_000, interval: 100 },
  );
  if (server.exitCode !== null) throw new Error('Prometheus has ended.');
  const get = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return (JSON.parse(text) as { readonly data: unknown }).data;
  };
  return {
    async query(expression) {
      const { result } = (await get(`query?query=${encodeURIComponent(expression)}`)) as {
        readonly result: readonly { readonly metric: Readonly<Record<string, string>>; readonly value: readonly [number, string] }[];
      };
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
    },
    async alerts() {
      const { alerts } = (await get('alerts')) as {
        readonly alerts: readonly { readonly state: string; readonly labels: Readonly<Record<string, string>> }[];
      };
      return alerts.flatMap(({ state, labels }) => (state === 'firing' ? [{ name: labels.alertname ?? '', labels }] : []));
    },
    async [Symbol.asyncDispose]() {
      server.kill('SIGTERM');
      await ended;
    },
  };
}
