import { WorkflowError } from '../../core/errors/errors.ts';
import type { VectorEntry, VectorHit, VectorIndex, VectorMetadata } from '../../core/ports/vector-index.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { optionalPackage, type PackageOrLoader } from '../../core/util/optional-package.ts';
import { untilAborted } from '../../core/util/until-aborted.ts';
import { bestHits, candidates } from './best-hits.ts';
import type { ChromaClient, ChromaCollection, ChromaPackage, ChromaRecords, ChromaWhere } from './chroma-package.ts';
import { guardedIndex, matches, type StoredEntry } from './guarded-index.ts';
import { assertSameEmbedder, type EmbedderMark, indexCorrupt, indexUnavailable } from './index-errors.ts';
import { inBatches, inTurn } from './remote-calls.ts';

export type { ChromaClient, ChromaPackage } from './chroma-package.ts';

export interface ChromaIndexOptions {
  /** URL of the server. @default 'http://localhost:8000' */
  readonly url?: string;
  /** Name of the collection, created if missing. 3 to 512 of `a-z A-Z 0-9 . _ -`. */
  readonly collection: string;
  /** The embedder of the vectors. */
  readonly embedder: EmbedderMark;
  /** Headers of every request, for example `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Width of the server's graph search (`ef_search`). Higher values are slower and miss fewer entries. @default 400 */
  readonly searchWidth?: number;
  /** The package `chromadb`, or a function that imports it. @default () => import('chromadb') */
  readonly chroma?: PackageOrLoader<ChromaPackage>;
  /** An open client, instead of the package, `url` and `headers`. */
  readonly client?: ChromaClient;
}

/**
 * Stores entries in a collection of a Chroma server, with the package `chromadb`. Its search is approximate (HNSW): among many thousands of
 * entries it may miss some. It loses others if more than 100 have the same vector. An `upsert` above about 8 MB, or one that removes
 * metadata, takes several requests; repeat it after an interruption. An abort ends the wait, but the server may still complete the request.
 * Removed text stays in free pages of the server's file until `chroma vacuum`.
 *
 * @throws {WorkflowError} `ADAPTER_MISSING` without `chromadb`; `INDEX_UNAVAILABLE`, `INDEX_OF_OTHER_EMBEDDER`, `INDEX_CORRUPT` for a
 * collection of another program.
 * @example const index = await chromaIndex({ collection: 'contracts', embedder: hashedEmbedder() });
 */
export async function chromaIndex(options: ChromaIndexOptions): Promise<VectorIndex> {
  const { url = 'http://localhost:8000', collection: name, embedder, headers = {}, searchWidth = 400 } = options;
  const dimensions = checkInteger('embedder.dimensions', embedder.dimensions, { min: 1 });
  checkInteger('searchWidth', searchWidth, { min: 1 });
  const place = `"${name}" of ${options.client ? 'the client that was handed in' : url}`;
  const guard = async <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    signal?.throwIfAborted();
    try {
      return await untilAborted(work(), signal);
    } catch (cause) {
      if (signal?.aborted || WorkflowError.isInstance(cause)) throw cause;
      throw indexUnavailable(place, cause, isRetryable(cause));
    }
  };
  const connect = async (): Promise<ChromaClient> => {
    const { ChromaClient } = await optionalPackage('chromadb', importChroma, options.chroma);
    return new ChromaClient({ ...addressOf(url), headers: { ...headers } });
  };
  const client = options.client ?? (await connect());
  const { collection, maxBatch } = await guard(async () => ({
    collection: await client.getOrCreateCollection({
      name,
      configuration: { hnsw: { space: 'cosine', ef_search: searchWidth, sync_threshold: 100, ...graph } },
      metadata: { embedder: embedder.name, dimensions },
      embeddingFunction: null,
    }),
    maxBatch: await client.getMaxBatchSize(),
  }));
  assertSameEmbedder(place, markOf(collection, place), embedder);
  const turn = inTurn();

  return guardedIndex('chroma', dimensions, {
    upsert: (entries, signal) =>
      turn(async () => {
        for (const batch of inBatches(entries, dimensions, maxBatch)) {
          await guard(async () => {
            await forgetMetadata(collection, batch);
            await collection.upsert(toRecords(batch, dimensions));
          }, signal);
        }
      }),
    remove: (ids, signal) => turn(() => guard(() => removeRecords(collection, ids, maxBatch), signal)),
    async search({ unit, limit, filter, signal }) {
      const where = conditionOf(filter);
      const ask = async (nResults: number): Promise<readonly Candidate[]> => {
        const query = { queryEmbeddings: [Array.from(unit)], nResults, ...(where ? { where } : {}) };
        const { ids, documents, metadatas, distances } = await guard(() => collection.query(query), signal);
        return (ids[0] ?? []).map((id, i) => ({
          ...toEntry(id, documents[0]?.[i], metadatas[0]?.[i]),
          score: 1 - (distances[0]?.[i] ?? Number.NaN),
          isZero: metadatas[0]?.[i]?.[zeroMark] === 1,
        }));
      };
      // the server treats 1 and 1.5 as equal
      const accepts = ({ isZero, metadata }: Candidate): boolean => !isZero && matches(metadata, filter);
      const found = await candidates({ limit, ask, accepts });
      return bestHits(found, limit).map(({ isZero: _, ...hit }) => hit);
    },
    async get(ids, signal) {
      const found = await guard(() => collection.get({ ids: [...ids] }), signal);
      return found.ids.map((id, i) => toEntry(id, found.documents[i], found.metadatas[i]));
    },
    count: (signal) => guard(() => collection.count(), signal),
    async close() {},
  });
}

interface Candidate extends VectorHit {
  readonly isZero: boolean;
}

/** Four times the default number of edges. With the default, 40 entries with the same vector cut others off; now it takes more than 120. */
const graph = { max_neighbors: 64, ef_construction: 200 };

/**
 * Marks entries with a zero vector; users' metadata cannot have this name. Chroma requires a vector with a direction and non-empty
 * metadata.
 */
const zeroMark = '~zero';

function addressOf(url: string): { readonly host: string; readonly port: number; readonly ssl: boolean } {
  if (!URL.canParse(url)) throw optionInvalid(`"${url}" is not a URL.`, 'Pass a URL such as http://localhost:8000.');
  const { hostname, port, protocol } = new URL(url);
  const ssl = protocol === 'https:';
  return { host: hostname, port: Number(port) || (ssl ? 443 : 80), ssl };
}

function markOf({ metadata }: ChromaCollection, place: string): EmbedderMark {
  const { embedder, dimensions } = metadata ?? {};
  if (typeof embedder === 'string' && typeof dimensions === 'number') return { name: embedder, dimensions };
  throw indexCorrupt(place, 'it does not name its embedder, so another program made it.');
}

/** Deletes entries that lose a metadata name, because the server merges new metadata into the old. */
async function forgetMetadata(collection: ChromaCollection, entries: readonly StoredEntry[]): Promise<void> {
  const { ids, metadatas } = await collection.get({ ids: entries.map(({ id }) => id), include: ['metadatas'] });
  const before = new Map(ids.map((id, i) => [id, Object.keys(metadatas[i] ?? {})]));
  const losing = entries.filter(({ id, metadata }) => before.get(id)?.some((name) => name !== zeroMark && !Object.hasOwn(metadata, name)));
  if (losing.length > 0) await collection.delete({ ids: losing.map(({ id }) => id) });
}

/** Default number of writes before a server stores its graph and purges its log. */
const defaultThreshold = 1_000;

/** Removes records, and makes the server purge them from its log by deletions of unknown ids. `chroma vacuum` does not purge the log. */
async function removeRecords(collection: ChromaCollection, ids: readonly string[], maxBatch: number): Promise<void> {
  await collection.delete({ ids: [...ids] });
  const threshold = collection.configuration?.hnsw?.sync_threshold ?? defaultThreshold;
  const none = crypto.randomUUID();
  for (let sent = 0; sent < threshold; sent += maxBatch) {
    await collection.delete({ ids: Array.from({ length: Math.min(maxBatch, threshold - sent) }, (_, i) => `${none}.${sent + i}`) });
  }
}

const toRecords = (entries: readonly StoredEntry[], dimensions: number): ChromaRecords => ({
  ids: entries.map(({ id }) => id),
  embeddings: entries.map(({ unit }) => (unit ? Array.from(unit) : Array.from({ length: dimensions }, (_, i) => (i === 0 ? 1 : 0)))),
  documents: entries.map(({ text }) => text),
  metadatas: entries.map(({ metadata, unit }) => ({ ...metadata, [zeroMark]: unit ? 0 : 1 })),
});

const toEntry = (
  id: string,
  document: string | null | undefined,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
): Omit<VectorEntry, 'vector'> => {
  const { [zeroMark]: _, ...rest } = metadata ?? {};
  return { id, text: document ?? '', metadata: rest as VectorMetadata };
};

function conditionOf(filter: VectorMetadata): ChromaWhere | undefined {
  const conditions = Object.entries(filter).map(([name, value]): ChromaWhere => ({ [name]: { $eq: value } }));
  return conditions.length > 1 ? { $and: conditions } : conditions[0];
}

const isRetryable = (cause: unknown): boolean =>
  cause instanceof Error && ['ChromaConnectionError', 'ChromaServerError', 'ChromaRateLimitError'].includes(cause.name);

const packageName: string = 'chromadb'; // not a literal: type checks and bundlers do not need the package
const importChroma = (): Promise<ChromaPackage> => import(packageName);
