type Attributes = Readonly<Record<string, string>>;

interface InstrumentOptions {
  readonly description: string;
  readonly unit?: string;
}

interface Observable {
  addCallback(callback: ObserveCallback): void;
  removeCallback(callback: ObserveCallback): void;
}

export type ObserveCallback = (result: { observe(value: number, attributes?: Attributes): void }) => void | Promise<void>;

/** The part of a `Meter` of `@opentelemetry/api` that this package uses, so that its types do not need that package. */
export interface MetricsMeter {
  createCounter(name: string, options: InstrumentOptions): { add(value: number, attributes?: Attributes): void };
  createHistogram(
    name: string,
    options: InstrumentOptions & { readonly advice: { explicitBucketBoundaries: number[] } },
  ): { record(value: number, attributes?: Attributes): void };
  createObservableGauge(name: string, options: InstrumentOptions): Observable;
  createObservableCounter(name: string, options: InstrumentOptions): Observable;
}
