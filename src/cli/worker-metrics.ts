import type { PriceTable } from '../core/util/model-cost.ts';
import { createMetrics, type Metrics } from '../inspect/metrics/create-metrics.ts';
import { metricsServer } from '../server/metrics-server.ts';
import { isLoopback, listen } from '../server/node/listen.ts';
import type { OpenResources } from './open-resources.ts';
import { checkToken, metricsTokenVariable } from './serving.ts';
import { telemetryMeter } from './telemetry.ts';
import { UsageError } from './usage-error.ts';

/** Address of `--metrics`. */
export interface MetricsAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Creates the metrics of a command; OpenTelemetry gets them, too, if it was started with metrics. */
export function commandMetrics(opened: OpenResources, prices: PriceTable = {}): Metrics {
  const meter = telemetryMeter();
  const metrics = createMetrics({ prices, ...(meter ? { meter } : {}) });
  opened.add(() => metrics.close());
  return metrics;
}

/** Serves the metrics and the health of a worker. Returns the URL. */
export async function serveWorkerMetrics(
  { host, port }: MetricsAddress,
  { metrics, opened, isHealthy }: { readonly metrics: Metrics; readonly opened: OpenResources; readonly isHealthy: () => boolean },
): Promise<string> {
  const token = process.env[metricsTokenVariable];
  if (token !== undefined) checkToken(metricsTokenVariable, token);
  if (token === undefined && host !== undefined && !isLoopback(host)) {
    throw new UsageError(`--metrics ${host}:${port} is open to other machines. Set ${metricsTokenVariable} to at least 16 characters.`);
  }
  try {
    const listener = await listen({
      host,
      port,
      server: (hosts) => metricsServer({ metrics, isHealthy, ...(token === undefined ? { hosts } : { token }) }),
    });
    opened.add(() => listener.close());
    return listener.url;
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown };
    if (code === 'EADDRINUSE') throw new UsageError(`The port ${port} of --metrics is in use.`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') throw new UsageError(`This machine has no address ${host}.`);
    throw cause;
  }
}
