/** Keeps texts by their vectors. One index holds the vectors of one embedder. */
export interface VectorIndex {
  /** Shown to users, for example `sqlite`. */
  readonly name: string;
  /** Length of the vectors. */
  readonly dimensions: number;
  /**
   * Adds entries; one with an id that is there already replaces it. All of them or none, where the engine has transactions.
   * @throws {WorkflowError} `VECTOR_INVALID` for a vector of another length or with a number that is not finite, and for an id, a text or
   *   metadata that cannot be kept; `INDEX_UNAVAILABLE`. Everything throws `INDEX_CLOSED` after `close`, and the reason of an abort.
   */
  upsert(entries: readonly VectorEntry[], options?: VectorOptions): Promise<void>;
  /** Removes entries; ids that are not there are passed over. */
  remove(ids: readonly string[], options?: VectorOptions): Promise<void>;
  /** The entries nearest by cosine to six digits, best first, equal ones by id. @throws {WorkflowError} as `upsert`; `OPTION_INVALID` for a `limit`. */
  search(vector: Float32Array, options: VectorSearchOptions): Promise<readonly VectorHit[]>;
  /** Entries by id, in the order of the ids that are there. */
  get(ids: readonly string[], options?: VectorOptions): Promise<readonly Omit<VectorEntry, 'vector'>[]>;
  count(options?: VectorOptions): Promise<number>;
  close(): Promise<void>;
}

export interface VectorOptions {
  readonly signal?: AbortSignal;
}

export interface VectorSearchOptions extends VectorOptions {
  /** How many at the most, from 1 to 10,000. */
  readonly limit: number;
  /** Only entries whose metadata has these values. */
  readonly filter?: VectorMetadata;
}

/** Plain values by name: `[a-zA-Z0-9_]{1,64}`. Numbers are finite, texts well-formed. */
export type VectorMetadata = Readonly<Record<string, string | number | boolean>>;

export interface VectorEntry {
  /** 1 to 512 bytes. */
  readonly id: string;
  /** The zero vector is like nothing: it is kept and never found. */
  readonly vector: Float32Array;
  readonly text: string;
  readonly metadata: VectorMetadata;
}

export interface VectorHit {
  readonly id: string;
  readonly text: string;
  readonly metadata: VectorMetadata;
  /** Cosine, −1 to 1, to six digits. */
  readonly score: number;
}
