import type { SpanContext } from '@opentelemetry/api';
import type { Json, JsonObject } from '../../core/ports/json.ts';
import type { JournalEntry } from '../../core/ports/run-store.ts';
import { isObject } from '../../core/util/is-object.ts';

/** Trace of a run, as its journal stores it. */
export interface TraceContext {
  /** Context of the run's first span. */
  readonly root: SpanContext;
  /** Context of the span in which the run was started. */
  readonly parent?: SpanContext;
}

/** Uses the format of W3C's `traceparent`. */
export const toStoredTrace = ({ root, parent }: TraceContext): JsonObject => ({
  root: toTraceparent(root),
  ...(parent ? { parent: toTraceparent(parent) } : {}),
});

/** Returns `undefined` if the run was started without telemetry, or its trace cannot be read. */
export function readTrace(startOutcome: Json | undefined): TraceContext | undefined {
  const trace = isObject(startOutcome) ? startOutcome.trace : undefined;
  if (!isObject(trace)) return undefined;
  const root = readTraceparent(trace.root);
  const parent = readTraceparent(trace.parent);
  return root && { root, ...(parent ? { parent } : {}) };
}

/** Returns the journal as the runtime wrote it. */
export function withoutTrace(journal: readonly JournalEntry[]): readonly JournalEntry[] {
  const [start, ...rest] = journal;
  if (start?.kind !== 'start' || !isObject(start.outcome) || !('trace' in start.outcome)) return journal;
  const { trace: _, ...outcome } = start.outcome;
  return [{ ...start, outcome }, ...rest];
}

const toTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

function readTraceparent(text: Json | undefined): SpanContext | undefined {
  const read = typeof text === 'string' ? /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) : null;
  const [, traceId = '', spanId = '', flags = ''] = read ?? [];
  return read ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true } : undefined;
}
