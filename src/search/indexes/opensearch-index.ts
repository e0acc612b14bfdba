import type { VectorEntry, VectorHit, VectorIndex, VectorMetadata } from '../../core/ports/vector-index.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { hash } from '../../core/util/hash.ts';
import { optionalPackage } from '../../core/util/optional-package.ts';
import { untilAborted } from '../../core/util/until-aborted.ts';
import { bestHits, candidates } from './best-hits.ts';
import { guardedIndex, type StoredEntry } from './guarded-index.ts';
import { assertSameEmbedder, type EmbedderMark, indexCorrupt, indexUnavailable } from './index-errors.ts';
import { inBatches, inTurn } from './remote-calls.ts';

export interface OpensearchIndexOptions {
  /** URL of the cluster, for example `https://localhost:9200`. Required without `client`. */
  readonly url?: string;
  /** Name of the index, in lower case; created if missing. */
  readonly index: string;
  /** The embedder of the vectors. */
  readonly embedder: EmbedderMark;
  readonly auth?: { readonly username: string; readonly password: string };
  /** Further options of the official client, for example `ssl`, or a signer for AWS. */
  readonly clientOptions?: Readonly<Record<string, unknown>>;
  /** The official client, open, instead of `url`, `auth` and `clientOptions`. The caller closes it after the index. */
  readonly client?: OpensearchClient;
}

/**
 * Stores entries in an index of an OpenSearch cluster with the k-NN plugin, with the official client `@opensearch-project/opensearch`. A
 * search compares every vector by a script: exact, and suitable for up to some ten thousand entries. OpenSearch has no transactions: a
 * failed `upsert` may have stored some entries, so repeat it.
 *
 * Tested against a local server that implements the used part of the API, not against a cluster: none was available.
 *
 * @throws {WorkflowError} `ADAPTER_MISSING` without the client; `INDEX_UNAVAILABLE`, `INDEX_OF_OTHER_EMBEDDER`, `INDEX_CORRUPT` for an
 * index of another program.
 * @example
 * const index = await opensearchIndex({ url: 'https://localhost:9200', index: 'contracts', embedder: hashedEmbedder() });
 */
export async function opensearchIndex(options: OpensearchIndexOptions): Promise<VectorIndex> {
  const { url, index, embedder } = options;
  const dimensions = checkInteger('embedder.dimensions', embedder.dimensions, { min: 1 });
  const place = `"${index}" of ${url ?? 'the client that was handed in'}`;
  const client = options.client ?? (await connect(options));

  const call = async ({ method, path, body, lines, ignore = [], signal }: Call): Promise<Reply> => {
    const params = { method, path, ...(body ? { body } : {}), ...(lines ? { bulkBody: lines } : {}) };
    signal?.throwIfAborted();
    try {
      const request = client.transport.request(params, { ignore });
      return await untilAborted(Promise.resolve(request), signal, () => request.abort());
    } catch (cause) {
      if (signal?.aborted) throw cause;
      throw indexUnavailable(place, cause, isRetryable(cause));
    }
  };
  const name = encodeURIComponent(index);
  /** Executes all lines of a bulk request one by one, and reports the first failed one. */
  const bulk = async (lines: Record<string, unknown>[], signal: AbortSignal | undefined): Promise<void> => {
    const { body } = await call({ method: 'POST', path: `/${name}/_bulk?refresh=true`, lines, signal });
    const { errors, items } = body as { errors: boolean; items: readonly Record<string, BulkItem>[] };
    const failed = errors ? items.flatMap((item) => Object.values(item)).find(({ error }) => error) : undefined;
    if (failed) throw indexUnavailable(place, new Error(`${failed._id}: ${failed.error?.reason}`), retryableStatus.has(failed.status));
  };

  const response = await call({
    method: 'PUT',
    path: `/${name}`,
    body: { mappings: mappingsOf({ name: embedder.name, dimensions }) },
    ignore: [400],
  });
  if (response.statusCode === 400) {
    const { error } = response.body as { error?: { type?: string; reason?: string } };
    if (error?.type !== 'resource_already_exists_exception') throw indexUnavailable(place, new Error(error?.reason), false);
    const { body } = await call({ method: 'GET', path: `/${name}/_mapping` });
    assertSameEmbedder(place, markOf(body, place), embedder);
  }
  const turn = inTurn();

  return guardedIndex('opensearch', dimensions, {
    upsert: (entries, signal) =>
      turn(async () => {
        for (const batch of inBatches(entries, dimensions)) {
          await bulk(
            batch.flatMap((entry) => [{ index: { _id: entry.id } }, toDocument(entry)]),
            signal,
          );
        }
      }),
    remove: (ids, signal) =>
      turn(() =>
        bulk(
          ids.map((id) => ({ delete: { _id: id } })),
          signal,
        ),
      ),
    async search({ unit, limit, filter, signal }) {
      const query = queryOf(unit, filter);
      const ask = async (size: number): Promise<readonly VectorHit[]> => {
        const { body } = await call({ method: 'POST', path: `/${name}/_search`, body: { size, query, _source: fields }, signal });
        return (body as { hits: { hits: readonly Found[] } }).hits.hits.map((hit) => ({ ...toEntry(hit), score: (hit._score ?? 0) - 1 }));
      };
      return bestHits(await candidates({ limit, ask, most: maxResultWindow }), limit);
    },
    async get(ids, signal) {
      const { body } = await call({ method: 'POST', path: `/${name}/_mget?_source=${fields.join(',')}`, body: { ids }, signal });
      return (body as { docs: readonly (Found & { found: boolean })[] }).docs.filter(({ found }) => found).map(toEntry);
    },
    async count(signal) {
      const { body } = await call({ method: 'GET', path: `/${name}/_count`, signal });
      return Number((body as { count: unknown }).count);
    },
    async close() {
      if (!options.client) await client.close();
    },
  });
}

/** The used part of the official client. */
export interface OpensearchClient {
  readonly transport: {
    request(
      params: {
        readonly method: string;
        readonly path: string;
        readonly body?: Record<string, unknown>;
        readonly bulkBody?: Record<string, unknown>[];
      },
      options: { readonly ignore: number[] },
    ): PromiseLike<Reply> & { abort(): unknown };
  };
  close(): Promise<unknown>;
}

/** The response of a cluster. */
export interface Reply {
  readonly body: unknown;
  readonly statusCode: number | null;
}

/** @throws {WorkflowError} `OPTION_INVALID` without a url; `ADAPTER_MISSING`. */
async function connect({ url, auth, clientOptions = {} }: OpensearchIndexOptions): Promise<OpensearchClient> {
  if (url === undefined) {
    throw optionInvalid('The options have neither a url nor a client.', 'Pass the url of the cluster, or an open client.', 'url');
  }
  const { Client } = await optionalPackage('@opensearch-project/opensearch', () => import('@opensearch-project/opensearch'));
  return new Client({ ...clientOptions, node: url, ...(auth ? { auth: { ...auth } } : {}) });
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: Record<string, unknown>;
  readonly lines?: Record<string, unknown>[];
  /** Error statuses that the caller handles. */
  readonly ignore?: number[];
  readonly signal?: AbortSignal | undefined;
}

interface BulkItem {
  readonly _id: string;
  readonly status: number;
  readonly error?: { readonly reason?: string };
}

interface Found {
  readonly _id: string;
  readonly _score?: number;
  readonly _source: { readonly text: string; readonly metadata: string };
}

/** Default limit of a cluster for one search. */
const maxResultWindow = 10_000;
const fields: readonly string[] = ['text', 'metadata'];

/** Text and metadata are only stored; filters use `facts`. */
const mappingsOf = ({ name, dimensions }: EmbedderMark): Record<string, unknown> => ({
  _meta: { embedder: name, dimensions },
  dynamic: 'strict',
  properties: {
    text: { type: 'text', index: false },
    metadata: { type: 'text', index: false },
    facts: { type: 'keyword' },
    vector: { type: 'knn_vector', dimension: dimensions },
  },
});

function markOf(body: unknown, place: string): EmbedderMark {
  const [index] = Object.values(body as Record<string, { mappings?: { _meta?: { embedder?: unknown; dimensions?: unknown } } }>);
  const { embedder, dimensions } = index?.mappings?._meta ?? {};
  if (typeof embedder === 'string' && typeof dimensions === 'number') return { name: embedder, dimensions };
  throw indexCorrupt(place, 'it does not name its embedder, so another program made it.');
}

/** Scores every entry that passes the filter. */
function queryOf(unit: ArrayLike<number>, filter: VectorMetadata): Record<string, unknown> {
  const facts = Object.entries(filter).map(([name, value]) => ({ term: { facts: factOf(name, value) } }));
  return {
    script_score: {
      query: { bool: { filter: [{ exists: { field: 'vector' } }, ...facts] } },
      script: {
        source: '1.0 + cosineSimilarity(params.query_value, doc[params.field])',
        params: { field: 'vector', query_value: Array.from(unit) },
      },
    },
  };
}

const toDocument = ({ text, metadata, unit }: StoredEntry): Record<string, unknown> => ({
  text,
  metadata: JSON.stringify(metadata),
  facts: Object.entries(metadata).map(([name, value]) => factOf(name, value)),
  ...(unit ? { vector: Array.from(unit) } : {}), // a script cannot compute the cosine of a zero vector
});

/** Encodes a name and its value as one term that distinguishes texts, numbers and booleans. A term has at most 32,766 bytes. */
function factOf(name: string, value: VectorMetadata[string]): string {
  const fact = `${name}=${JSON.stringify(value)}`;
  return fact.length <= 1_000 ? fact : `${name}#${hash(fact)}${fact.length}`;
}

const toEntry = ({ _id, _source }: Found): Omit<VectorEntry, 'vector'> => ({
  id: _id,
  text: _source.text,
  metadata: JSON.parse(_source.metadata) as VectorMetadata,
});

const retryableStatus: ReadonlySet<unknown> = new Set([429, 502, 503, 504]);

function isRetryable(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause.name === 'ResponseError') return 'statusCode' in cause && retryableStatus.has(cause.statusCode);
  return ['ConnectionError', 'TimeoutError', 'NoLivingConnectionsError'].includes(cause.name);
}
