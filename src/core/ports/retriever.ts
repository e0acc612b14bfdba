/** Finds passages of documents for a query. */
export interface Retriever {
  /**
   * The best passages, best first; ties are broken by their order in the documents.
   * @throws {WorkflowError} `RETRIEVER_UNAVAILABLE` (retryable) when the index cannot be reached.
   */
  search(query: string, options: RetrieverOptions): Promise<readonly Passage[]>;
}

export interface RetrieverOptions {
  /** Maximum number of passages. */
  readonly limit: number;
  /** Number of the best passages to skip. @default 0 */
  readonly skip?: number;
  readonly signal?: AbortSignal;
}

/** A piece of a document. */
export interface Passage {
  /** Name of the source, for example `docs/concepts.md`. */
  readonly source: string;
  /** The headings above the passage, outermost first, joined with ` › `; empty if there are none. */
  readonly heading: string;
  readonly text: string;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}
