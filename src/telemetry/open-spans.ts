import { type Attributes, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Telemetry } from './telemetry-options.ts';
import { spanIdOf, traceIdOf, withIds } from './trace-ids.ts';

export interface SpanStart {
  readonly name: string;
  /** @default SpanKind.INTERNAL */
  readonly kind?: SpanKind;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly attributes: Attributes;
}

export interface SpanEnd {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly attributes?: Attributes;
  /** Makes it a failure, with this as `error.type`. */
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
  /** The number of the drive. */
  readonly epoch: number;
  /** Where spans without a parent of their own go; absent: they begin a trace. */
  readonly parent?: SpanContext | undefined;
  /** Only remembers: what has ended was told by another process. `closeAll` tells what was left open. @default false */
  readonly silent?: boolean;
}

/** The spans of one drive of a run that have begun and not ended, each with a key. */
export class OpenSpans {
  readonly #options: OpenSpansOptions;
  readonly #open = new Map<string, OpenSpan>();

  constructor(options: OpenSpansOptions) {
    this.#options = options;
  }

  has(key: string): boolean {
    return this.#open.has(key);
  }

  /** Of a span that is open, and was told. */
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

  /** A span that is known only when it is over. */
  add(key: string, parent: string, start: SpanStart, end: SpanEnd): void {
    this.start(key, parent, start);
    this.end(key, end);
  }

  /** Ends what is still open, the innermost first, but for the span of this key. */
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

/** Not a plain number: the SDK takes a small one for the time since the process has started. */
const toTime = (at: number): [seconds: number, nanoseconds: number] => {
  const seconds = Math.floor(at / 1_000);
  return [seconds, Math.round((at - seconds * 1_000) * 1_000_000)];
};
