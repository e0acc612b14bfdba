export type { ModelPrice, PriceTable } from '../../core/util/model-cost.ts';
export { createMetrics, type Metrics, type MetricsOptions, type MetricsTextOptions } from './create-metrics.ts';
export type { MetricsMeter } from './metrics-meter.ts';
