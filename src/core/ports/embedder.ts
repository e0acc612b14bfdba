/** Turns texts into vectors whose cosine says how alike they are. */
export interface Embedder {
  /** Shown to users and stored with an index, because vectors of different embedders cannot be compared. */
  readonly name: string;
  /** Length of a vector. */
  readonly dimensions: number;
  /**
   * Returns one vector of unit length per text, in the same order. A text without content gets the zero vector.
   * @throws {WorkflowError} `EMBEDDER_UNAVAILABLE` (retryable) if it cannot be reached; `EMBEDDER_INVALID` for a malformed reply.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
}

export interface EmbedOptions {
  /** Purpose of the text; some models embed questions and documents differently. @default 'document' */
  readonly purpose?: 'document' | 'query';
  readonly signal?: AbortSignal;
}
