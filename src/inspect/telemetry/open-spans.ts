import { type Attributes, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Telemetry } from './telemetry-options.ts';
import { spanIdOf, traceIdOf, withIds } from './trace-ids.ts';

export interface SpanStart {
  readonly name: string;
  /** @default SpanKind.INTERNAL */
  readonly kind?: SpanKind;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly attributes: Attributes;
}

export interface SpanEnd {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly attributes?: Attributes;
  /** Marks the span as failed, with this value as `error.type`. */
  readonly errorType?: string;
  readonly errorMessage?: string;
}

interface OpenSpan extends SpanStart {
  readonly parent: string | undefined;
  readonly events: { readonly name: string; readonly at: number; readonly attributes: Attributes }[];
  span?: Span;
}

export interface OpenSpansOptions {
  readonly telemetry: Telemetry;
  readonly runId: string;
  /** Epoch of the drive. */
  readonly epoch: number;
  /** Parent of spans without their own parent. Absent: they start a new trace. */
  readonly parent?: SpanContext | undefined;
  /** Only records spans, because another process has reported those that ended. `endAll` reports the ones still open. @default false */
  readonly silent?: boolean;
}

/** Open spans of one drive of a run, by key. */
export class OpenSpans {
  readonly #options: OpenSpansOptions;
  readonly #open = new Map<string, OpenSpan>();

  constructor(options: OpenSpansOptions) {
    this.#options = options;
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  /** Context of an open span that has been reported. */
  contextOf(key: string): SpanContext | undefined {
    return this.#open.get(key)?.span?.spanContext();
  }

  start(key: string, parent: string | undefined, start: SpanStart): void {
    const open: OpenSpan = { ...start, parent, events: [] };
    this.#open.set(key, open);
    if (!this.#options.silent) this.#tell(key, open);
  }

  addEvent(key: string, name: string, at: number, attributes: Attributes): void {
    const open = this.#open.get(key);
    open?.span?.addEvent(name, attributes, toTime(at));
    if (this.#options.silent) open?.events.push({ name, at, attributes });
  }

  end(key: string, end: SpanEnd): void {
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (open?.span) endSpan(open.span, open, end);
  }

  /** Adds a span that is known only at its end. */
  add(key: string, parent: string, start: SpanStart, end: SpanEnd): void {
    this.start(key, parent, start);
    this.end(key, end);
  }

  /** Ends all open spans, innermost first, except the one with the key `except`. */
  endAll(end: SpanEnd, except?: string): void {
    const open = [...this.#open].filter(([key]) => key !== except);
    if (this.#options.silent) for (const [key, one] of open) this.#tell(key, one);
    for (const [key] of open) this.#open.delete(key);
    for (const [, one] of open.reverse()) if (one.span) endSpan(one.span, one, end);
  }

  #tell(key: string, open: OpenSpan): void {
    const { telemetry, runId, epoch, parent } = this.#options;
    const above = open.parent === undefined ? parent : this.#open.get(open.parent)?.span?.spanContext();
    const under = above ?? parent;
    const context = under ? trace.setSpanContext(ROOT_CONTEXT, under) : ROOT_CONTEXT;
    const ids = { traceId: under?.traceId ?? traceIdOf(runId), spanId: spanIdOf(runId, epoch, key) };
    open.span = withIds(ids, () => telemetry.tracer.startSpan(open.name, toSpanOptions(open), context));
    for (const { name, at, attributes } of open.events) open.span.addEvent(name, attributes, toTime(at));
  }
}

function endSpan(span: Span, { at: startedAt }: SpanStart, { at, attributes, errorType, errorMessage }: SpanEnd): void {
  if (attributes) span.setAttributes(attributes);
  if (errorType !== undefined) {
    span.setAttribute('error.type', errorType);
    span.setStatus({ code: SpanStatusCode.ERROR, ...(errorMessage === undefined ? {} : { message: errorMessage }) });
  }
  span.end(toTime(Math.max(at, startedAt)));
}

const toSpanOptions = ({
  kind = SpanKind.INTERNAL,
  at,
  attributes,
}: SpanStart): { kind: SpanKind; startTime: [number, number]; attributes: Attributes } => ({
  kind,
  startTime: toTime(at),
  attributes,
});

/** Uses seconds and nanoseconds, because the SDK reads a small number as time since the process started. */
const toTime = (at: number): [seconds: number, nanoseconds: number] => {
  const seconds = Math.floor(at / 1_000);
  return [seconds, Math.round((at - seconds * 1_000) * 1_000_000)];
};
