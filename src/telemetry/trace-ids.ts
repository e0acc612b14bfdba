import type { SpanContext } from '@opentelemetry/api';
import { hash } from '../util/hash.ts';

/** What a tracer provider of the OpenTelemetry SDK takes as `idGenerator`. */
export interface RunIdGenerator {
  generateTraceId(): string;
  generateSpanId(): string;
}

/** The ids that the span which is just being started is to have. */
let wanted: Pick<SpanContext, 'traceId' | 'spanId'> | undefined;

/**
 * Gives the spans of runs ids that follow from the run, and all others random ones. With it, a process that goes on with a run after a crash
 * can end the spans that the dead process had open, so that no span is without its parent.
 *
 * @example new BasicTracerProvider({ idGenerator: runIdGenerator(), spanProcessors: [new BatchSpanProcessor(exporter)] })
 */
export const runIdGenerator = (): RunIdGenerator => ({
  generateTraceId: () => wanted?.traceId ?? randomHex(16),
  generateSpanId: () => wanted?.spanId ?? randomHex(8),
});

/** Starts a span, whose ids are these where the provider lets `runIdGenerator` make them. */
export function withIds<T>(ids: Pick<SpanContext, 'traceId' | 'spanId'>, startSpan: () => T): T {
  wanted = ids;
  try {
    return startSpan();
  } finally {
    wanted = undefined;
  }
}

export const traceIdOf = (runId: string): string => halfId(`trace/1/${runId}`) + halfId(`trace/2/${runId}`);

/** @param span its key within one drive of the run. */
export const spanIdOf = (runId: string, epoch: number, span: string): string => halfId(`span/${runId}/${epoch}/${span}`);

const halfId = (text: string): string => hash(text).slice(0, 16);

const randomHex = (bytes: number): string =>
  [...crypto.getRandomValues(new Uint8Array(bytes))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
