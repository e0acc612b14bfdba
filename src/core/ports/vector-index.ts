/** Stores texts by their vectors. One index holds the vectors of one embedder. */
export interface VectorIndex {
  /** Shown to users, for example `sqlite`. */
  readonly name: string;
  /** Length of a vector. */
  readonly dimensions: number;
  /**
   * Adds entries; an entry replaces one with the same id. All or none are written if the engine has transactions.
   * @throws {WorkflowError} `VECTOR_INVALID` for a vector of another length or with a number that is not finite, and for an invalid id,
   * text or metadata; `INDEX_UNAVAILABLE`. Every method throws `INDEX_CLOSED` after `close`, and the reason of an abort.
   */
  upsert(entries: readonly VectorEntry[], options?: VectorOptions): Promise<void>;
  /** Removes entries and ignores unknown ids. */
  remove(ids: readonly string[], options?: VectorOptions): Promise<void>;
  /**
   * Returns the entries nearest by cosine to six digits, best first, ties by id. @throws {WorkflowError} as `upsert`; `OPTION_INVALID` for
   * a `limit` out of range.
   */
  search(vector: Float32Array, options: VectorSearchOptions): Promise<readonly VectorHit[]>;
  /** Returns the entries with these ids, in the order of the ids; unknown ids are left out. */
  get(ids: readonly string[], options?: VectorOptions): Promise<readonly Omit<VectorEntry, 'vector'>[]>;
  count(options?: VectorOptions): Promise<number>;
  close(): Promise<void>;
}

export interface VectorOptions {
  readonly signal?: AbortSignal;
}

export interface VectorSearchOptions extends VectorOptions {
  /** Maximum number of hits, from 1 to 10,000. */
  readonly limit: number;
  /** Only entries with these metadata values match. */
  readonly filter?: VectorMetadata;
}

/** Plain values by name: `[a-zA-Z0-9_]{1,64}`. Numbers are finite, texts well-formed. */
export type VectorMetadata = Readonly<Record<string, string | number | boolean>>;

export interface VectorEntry {
  /** 1 to 512 bytes. */
  readonly id: string;
  /** The zero vector is stored and never found. */
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
