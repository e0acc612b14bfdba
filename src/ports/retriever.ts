/** Finds passages of documents for a query. */
export interface Retriever {
  /**
   * The best passages, best first; ties are broken by their order in the documents.
   * @throws {WorkflowError} `RETRIEVER_UNAVAILABLE` (retryable) when the index cannot be reached.
   */
  search(query: string, options: RetrieverOptions): Promise<readonly Passage[]>;
}

export interface RetrieverOptions {
  /** How many passages at the most. */
  readonly limit: number;
  /** How many of the best to leave out first. @default 0 */
  readonly skip?: number;
  readonly signal?: AbortSignal;
}

/** A piece of a document. */
export interface Passage {
  /** Where it is from, for example `docs/concepts.md`. */
  readonly source: string;
  /** The headings above it, outermost first, joined with ` › `; empty when there are none. */
  readonly heading: string;
  readonly text: string;
  /** Higher is better; comparable within one answer only. */
  readonly score: number;
}
