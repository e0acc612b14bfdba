/** Promise whose completion order Restate records. Handlers may await only such promises. */
export interface RecordedPromise<T> extends Promise<T> {
  map<TNext>(mapper: (value?: T, failure?: Error) => TNext): RecordedPromise<TNext>;
}

/** The package `@restatedev/restate-sdk`, from the entry point that the user's runtime needs. Its definitions are returned unchanged. */
export interface RestateSdk<TService> {
  object(definition: never): TService;
  readonly handlers: { readonly object: object };
  readonly serde: { readonly json: object };
  readonly RestatePromise: object;
}

/** The part of the SDK that is used. */
export interface UsedSdk<TService> {
  object(definition: { readonly name: string; readonly handlers: Readonly<Record<string, unknown>>; readonly options: object }): TService;
  readonly handlers: {
    readonly object: { shared<TContext, TInput, TOutput>(handler: (context: TContext, input: TInput) => Promise<TOutput>): unknown };
  };
  readonly serde: { readonly json: object };
  readonly RestatePromise: { race<T>(promises: readonly RecordedPromise<T>[]): RecordedPromise<T> };
}

/** Context of a read-only handler. */
export interface SharedContext {
  readonly key: string;
  get<T>(name: string): Promise<T | null>;
  resolveAwakeable(id: string, value: unknown): void;
  genericSend(call: RemoteCall & { readonly delay?: number }): unknown;
}

/** Context of an exclusive handler: one at a time per object. */
export interface ObjectContext extends SharedContext {
  set(name: string, value: unknown): void;
  clear(name: string): void;
  clearAll(): void;
  run<T>(name: string, action: () => Promise<T> | T): RecordedPromise<T>;
  awakeable<T>(): { readonly id: string; readonly promise: RecordedPromise<T> };
  genericCall<T>(call: RemoteCall): Promise<T>;
  /** Deterministic: the same values in each attempt. */
  readonly rand: { uuidv4(): string };
  request(): { readonly attemptCompletedSignal: AbortSignal };
}

interface RemoteCall {
  readonly service: string;
  readonly method: string;
  readonly key: string;
  readonly parameter: unknown;
  readonly inputSerde: object;
  readonly outputSerde?: object;
}
