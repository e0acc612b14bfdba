import type { Taint } from './taint.ts';

/** What is known of users beyond one conversation. No call sees or changes what belongs to another user. */
export interface LongTermMemory {
  /**
   * Keeps a text. A memory of the same kind that says nearly the same is replaced; it keeps its `createdAt`. Writing the same again
   * changes nothing but `updatedAt`.
   *
   * @param userId 1 to 64 of `A-Z a-z 0-9 _ -`, of the run and never of a model.
   * @throws {WorkflowError} `ID_INVALID`; `MEMORY_INVALID` for a kind or text that cannot be kept; `MEMORY_FULL`; what index and embedder
   *   throw, and the reason of an abort.
   */
  write(userId: string, memory: NewMemory, options?: MemoryOptions): Promise<MemoryRecord>;
  /** The user's memories nearest to a text, best first, equal ones by id; none with a score of 0 or less. */
  search(userId: string, query: string, options?: MemorySearchOptions): Promise<readonly MemoryHit[]>;
  /** All of a user, the latest change first. */
  list(userId: string, options?: MemoryOptions): Promise<readonly MemoryRecord[]>;
  /** Removes some memories, or all of a user; ids that the user does not have are passed over. Resolves to how many are gone. */
  forget(userId: string, ids: readonly string[] | 'all', options?: MemoryOptions): Promise<number>;
  /** All of a user as JSON, oldest first. */
  export(userId: string, options?: MemoryOptions): Promise<MemoryExport>;
}

export type MemoryKind = 'preference' | 'fact' | 'feedback' | 'goal';

export interface NewMemory {
  readonly kind: MemoryKind;
  /** 1 to 2,000 characters (UTF-16 units). Line breaks and tabs become spaces; other control characters are refused. */
  readonly text: string;
  /** What the thread held in which it was written; reading it taints the reader's thread. Default: nothing is known. */
  readonly taint?: Taint;
}

export interface MemoryRecord extends NewMemory {
  /** Made of kind and text: `m_` and 28 hexadecimal digits. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

export interface MemoryHit extends MemoryRecord {
  /** Cosine, above 0 to 1. */
  readonly score: number;
}

export interface MemoryOptions {
  readonly signal?: AbortSignal;
}

export interface MemorySearchOptions extends MemoryOptions {
  /** How many at the most, from 1 to 1,000. @default 5 */
  readonly limit?: number;
  /** Only these. @default all */
  readonly kinds?: readonly MemoryKind[];
}

export interface MemoryExport {
  readonly version: 1;
  readonly userId: string;
  readonly memories: readonly MemoryRecord[];
}
