/** A promise whose place in the order of all is kept by Restate: the only kind that a handler may wait for. */
export interface KeptPromise<T> extends Promise<T> {
  map<TNext>(mapper: (value?: T, failure?: Error) => TNext): KeptPromise<TNext>;
}

/** `@restatedev/restate-sdk`, by whichever of its entry points a user's runtime needs. What it makes of a definition is passed through. */
export interface RestateSdk<TService> {
  object(definition: never): TService;
  readonly handlers: { readonly object: object };
  readonly serde: { readonly json: object };
  readonly RestatePromise: object;
}

/** The part of it that is used. */
export interface UsedSdk<TService> {
  object(definition: { readonly name: string; readonly handlers: Readonly<Record<string, unknown>>; readonly options: object }): TService;
  readonly handlers: {
    readonly object: { shared<TContext, TInput, TOutput>(handler: (context: TContext, input: TInput) => Promise<TOutput>): unknown };
  };
  readonly serde: { readonly json: object };
  readonly RestatePromise: { race<T>(promises: readonly KeptPromise<T>[]): KeptPromise<T> };
}

/** A handler that only reads. */
export interface SharedContext {
  readonly key: string;
  get<T>(name: string): Promise<T | null>;
  resolveAwakeable(id: string, value: unknown): void;
  genericSend(call: RemoteCall & { readonly delay?: number }): unknown;
}

/** A handler of which one at a time is at work on an object. */
export interface ObjectContext extends SharedContext {
  set(name: string, value: unknown): void;
  clear(name: string): void;
  clearAll(): void;
  run<T>(name: string, action: () => Promise<T> | T): KeptPromise<T>;
  awakeable<T>(): { readonly id: string; readonly promise: KeptPromise<T> };
  genericCall<T>(call: RemoteCall): Promise<T>;
  /** The same in each attempt. */
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
