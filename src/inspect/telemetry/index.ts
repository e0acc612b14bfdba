export type { ModelPrice, PriceTable } from '../../core/util/model-cost.ts';
export type { TelemetryOptions } from './telemetry-options.ts';
export { type RunIdGenerator, runIdGenerator } from './trace-ids.ts';
export { tracedStore } from './traced-store.ts';
