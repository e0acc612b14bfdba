import type { Taint } from './taint.ts';

/** Memories of users beyond one conversation. No call reads or changes another user's memories. */
export interface LongTermMemory {
  /**
   * Stores a text. It replaces a memory of the same kind with nearly the same text and keeps that memory's `createdAt`. Writing the same
   * text again changes only `updatedAt`.
   *
   * @param userId 1 to 64 of `A-Z a-z 0-9 _ -`. It comes from the run, never from a model.
   * @throws {WorkflowError} `ID_INVALID`; `MEMORY_INVALID` for an invalid kind or text; `MEMORY_FULL`; errors of the index and the
   * embedder, and the reason of an abort.
   */
  write(userId: string, memory: NewMemory, options?: MemoryOptions): Promise<MemoryRecord>;
  /** Returns the user's memories nearest to a text, best first, ties by id. Scores of 0 or less and held memories are left out. */
  search(userId: string, query: string, options?: MemorySearchOptions): Promise<readonly MemoryHit[]>;
  /** Returns all memories of a user, the latest change first. */
  list(userId: string, options?: MemoryOptions): Promise<readonly MemoryRecord[]>;
  /** Removes the memories with these ids, or all of a user, and ignores unknown ids. Resolves to the number of removed memories. */
  forget(userId: string, ids: readonly string[] | 'all', options?: MemoryOptions): Promise<number>;
  /** Releases held memories that a person has read, and ignores unknown ids. Resolves to the number of released memories. */
  release(userId: string, ids: readonly string[] | 'all', options?: MemoryOptions): Promise<number>;
  /** Returns all memories of a user as JSON, oldest first. */
  export(userId: string, options?: MemoryOptions): Promise<MemoryExport>;
}

export type MemoryKind = 'preference' | 'fact' | 'feedback' | 'goal';

export interface NewMemory {
  readonly kind: MemoryKind;
  /** 1 to 2,000 characters (UTF-16 units). Line breaks and tabs become spaces; other control characters are invalid. */
  readonly text: string;
  /** Taint of the thread that wrote the memory; reading it taints the reader's thread. Default: unknown. */
  readonly taint?: Taint;
  /**
   * Keeps the memory from searches until `release`. Pass `false` for a text that a person has written or approved.
   * @default true if `taint` has `untrusted`
   */
  readonly held?: boolean;
}

export interface MemoryRecord extends NewMemory {
  /** Derived from kind and text: `m_` and 28 hexadecimal digits. */
  readonly id: string;
  /** Present while the memory waits for `release`. */
  readonly held?: true;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

export interface MemoryHit extends MemoryRecord {
  /** Cosine, above 0 and up to 1. */
  readonly score: number;
}

export interface MemoryOptions {
  readonly signal?: AbortSignal;
}

export interface MemorySearchOptions extends MemoryOptions {
  /** Maximum number of hits, from 1 to 1,000. @default 5 */
  readonly limit?: number;
  /** Kinds to search. @default all */
  readonly kinds?: readonly MemoryKind[];
  /** Includes held memories: for lists that a person reads, never for a model. @default false */
  readonly includeHeld?: boolean;
}

export interface MemoryExport {
  readonly version: 1;
  readonly userId: string;
  readonly memories: readonly MemoryRecord[];
}
