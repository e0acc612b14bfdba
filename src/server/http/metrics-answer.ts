import type { Metrics } from '../../inspect/metrics/create-metrics.ts';
import { streams as streamsMetric } from '../../inspect/metrics/definitions.ts';
import { prometheusType, valuesText } from '../../inspect/metrics/prometheus-text.ts';
import { tallyText } from '../../inspect/metrics/tally-values.ts';
import type { ServedSpace } from './served-space.ts';
import type { StreamSlots } from './stream-slots.ts';

/** Answers a tenant: all metrics of the process if they are the tenant's alone, else the counts of its own store. */
export async function tenantMetrics(space: ServedSpace, streams: StreamSlots, metrics: Metrics | undefined): Promise<Response> {
  const workflows = space.workflows.map(({ workflow }) => workflow.id);
  if (metrics) return metricsAnswer(await metrics.text({ workflows }), streams.size);
  return metricsAnswer(tallyText(await space.store.tally(), { workflows, now: space.clock.now() }), streams.sizeOf(space.tenant));
}

/** Answers with all metrics of the process. */
export const processMetrics = async (metrics: Metrics, streams: StreamSlots): Promise<Response> =>
  metricsAnswer(await metrics.text(), streams.size);

const metricsAnswer = (text: string, streams: number): Response =>
  new Response(text + valuesText(streamsMetric, [{ labels: [], value: streams }]), { headers: { 'content-type': prometheusType } });
