import type { Retriever } from '../../ports/retriever.ts';
import type { VectorOptions } from '../../ports/vector-index.ts';
import type { DocumentPassage } from '../markdown-passages.ts';

/** A place to keep passages in, and to find them again. */
export interface VectorStore extends Retriever {
  /** Keeps passages. Those of a source replace all that it had: give all passages of a document at once. */
  add(passages: readonly DocumentPassage[], options?: VectorOptions): Promise<void>;
  /** Removes the passages of sources; sources that are not there are passed over. */
  remove(sources: readonly string[], options?: VectorOptions): Promise<void>;
  /** How many passages there are. */
  count(options?: VectorOptions): Promise<number>;
  /** Ends the store. Nothing can be asked of it afterwards. */
  close(): Promise<void>;
}
