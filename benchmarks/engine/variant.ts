/** One way to perform the run. */
export interface Variant {
  /** How many runs one store takes in. A store in memory keeps all that it is given, so it is changed for an empty one now and then. */
  readonly runsPerStore: number;
  /** Makes everything that a run needs, with a store that is empty. */
  open(): Promise<OpenVariant>;
}

export interface OpenVariant {
  /** One run; throws when it does not come to its end. */
  run(): Promise<void>;
  /** One run, by the same objects, that answers with the state that it ended with. */
  finalState(): Promise<unknown>;
  close(): Promise<void>;
}
