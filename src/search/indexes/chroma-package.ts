import type { VectorMetadata } from '../../core/ports/vector-index.ts';

/** The used part of the package `chromadb`, to keep the package out of our types. */
export interface ChromaPackage {
  readonly ChromaClient: new (options: ChromaClientOptions) => ChromaClient;
}

interface ChromaClientOptions {
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean;
  readonly headers: Record<string, string>;
}

/** A client of a Chroma server. */
export interface ChromaClient {
  getOrCreateCollection(options: {
    readonly name: string;
    readonly configuration: {
      readonly hnsw: { space: 'cosine'; ef_search: number; sync_threshold: number; max_neighbors: number; ef_construction: number };
    };
    readonly metadata: Record<string, string | number>;
    readonly embeddingFunction: null;
  }): Promise<ChromaCollection>;
  getMaxBatchSize(): Promise<number>;
}

type Found<T> = readonly (T | null)[];

/** A collection of a Chroma server. */
export interface ChromaCollection {
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly configuration?: { readonly hnsw?: { readonly sync_threshold?: number | null } | null } | undefined;
  upsert(records: ChromaRecords): Promise<unknown>;
  delete(which: { ids: string[] }): Promise<unknown>;
  get(which: { ids: string[]; include?: 'metadatas'[] }): Promise<{
    readonly ids: readonly string[];
    readonly documents: Found<string>;
    readonly metadatas: Found<Readonly<Record<string, unknown>>>;
  }>;
  /** Returns one list of hits per vector. */
  query(sought: { queryEmbeddings: number[][]; nResults: number; where?: ChromaWhere }): Promise<{
    readonly ids: readonly (readonly string[])[];
    readonly documents: readonly Found<string>[];
    readonly metadatas: readonly Found<Readonly<Record<string, unknown>>>[];
    readonly distances: readonly Found<number>[];
  }>;
  count(): Promise<number>;
}

/** Entries as one list per field. */
export interface ChromaRecords {
  ids: string[];
  embeddings: number[][];
  documents: string[];
  metadatas: VectorMetadata[];
}

/** A condition on metadata. */
export type ChromaWhere = { $and: ChromaWhere[] } | { [name: string]: { $eq: VectorMetadata[string] } };
