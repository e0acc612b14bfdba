import type { SpanContext } from '@opentelemetry/api';
import { hash } from '../../core/util/hash.ts';

/** `idGenerator` of a tracer provider of the OpenTelemetry SDK. */
export interface RunIdGenerator {
  generateTraceId(): string;
  generateSpanId(): string;
}

/** Ids of the span that is being started. */
let wanted: Pick<SpanContext, 'traceId' | 'spanId'> | undefined;

/**
 * Generates ids of run spans from the run, and random ids for all other spans. A process that resumes a run after a crash can then end the
 * open spans of the dead process, so no span lacks its parent.
 *
 * @example new BasicTracerProvider({ idGenerator: runIdGenerator(), spanProcessors: [new BatchSpanProcessor(exporter)] })
 */
export const runIdGenerator = (): RunIdGenerator => ({
  generateTraceId: () => wanted?.traceId ?? randomHex(16),
  generateSpanId: () => wanted?.spanId ?? randomHex(8),
});

/** Starts a span. It gets these ids if the provider uses `runIdGenerator`. */
export function withIds<T>(ids: Pick<SpanContext, 'traceId' | 'spanId'>, startSpan: () => T): T {
  wanted = ids;
  try {
    return startSpan();
  } finally {
    wanted = undefined;
  }
}

export const traceIdOf = (runId: string): string => halfId(`trace/1/${runId}`) + halfId(`trace/2/${runId}`);

/** @param span key of the span within the drive. */
export const spanIdOf = (runId: string, epoch: number, span: string): string => halfId(`span/${runId}/${epoch}/${span}`);

const halfId = (text: string): string => hash(text).slice(0, 16);

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
