import type { Retriever } from '../../core/ports/retriever.ts';
import type { VectorOptions } from '../../core/ports/vector-index.ts';
import type { DocumentPassage } from '../rank/markdown-passages.ts';

/** A searchable store of passages. */
export interface VectorStore extends Retriever {
  /** Stores passages. They replace all earlier passages of their source, so pass all passages of a document at once. */
  add(passages: readonly DocumentPassage[], options?: VectorOptions): Promise<void>;
  /** Removes the passages of sources; ignores unknown sources. */
  remove(sources: readonly string[], options?: VectorOptions): Promise<void>;
  /** Returns the number of passages. */
  count(options?: VectorOptions): Promise<number>;
  /** Closes the store. Later calls fail. */
  close(): Promise<void>;
}
