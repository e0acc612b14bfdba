/** Turns texts into vectors whose cosine says how alike they are. */
export interface Embedder {
  /** Shown to users, and stored with an index: vectors of another embedder cannot be compared. */
  readonly name: string;
  /** Length of a vector. */
  readonly dimensions: number;
  /**
   * One vector of unit length for each text, in the same order; of a text without any content, the zero vector.
   * @throws {WorkflowError} `EMBEDDER_UNAVAILABLE` (retryable) when it cannot be reached; `EMBEDDER_INVALID` for a reply of another form.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
}

export interface EmbedOptions {
  /** Some models embed questions and documents differently. @default 'document' */
  readonly purpose?: 'document' | 'query';
  readonly signal?: AbortSignal;
}
