import { WorkflowError } from '../../core/errors/errors.ts';
import type { SqliteConnection } from '../../core/node/sqlite/sqlite-connection.ts';
import { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import { checkSqlitePlace } from '../../core/node/sqlite/sqlite-place.ts';
import { isLocked } from '../../core/node/sqlite/when-unlocked.ts';
import type { VectorEntry, VectorHit, VectorIndex, VectorMetadata, VectorSearchOptions } from '../../core/ports/vector-index.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionalPackage } from '../../core/util/optional-package.ts';
import { bestHits } from './best-hits.ts';
import { checkSearchable, guardedIndex, metadataIn } from './guarded-index.ts';
import { type EmbedderMark, indexCorrupt, indexUnavailable } from './index-errors.ts';
import { sqliteIndexEntries } from './sqlite-index-entries.ts';
import { prepareSqliteIndex } from './sqlite-index-schema.ts';
import { dot } from './vector-math.ts';

export interface SqliteIndexOptions {
  /** The database file; its folder is created if missing. `:memory:` uses no file. */
  readonly path?: string;
  /**
   * An open database instead of a path, empty or created by an index. Any extension must already be loaded. The caller closes it after the
   * index.
   */
  readonly database?: SqliteConnection & Required<Pick<SqliteConnection, 'function'>>;
  /** The embedder of the vectors. */
  readonly embedder: EmbedderMark;
  /**
   * Engine for comparing vectors: the extension of the package `sqlite-vec`, or this process. Both return the same results. `auto` uses the
   * extension if it can be loaded.
   * @default 'auto'
   */
  readonly compare?: 'auto' | 'sqlite-vec' | 'js';
  /** The text of an entry for `searchWords`. @default its text */
  readonly wordsOf?: (entry: Pick<VectorEntry, 'text' | 'metadata'>) => string;
  /** Time limit of a write that waits for another process's, in milliseconds. @default 5_000 */
  readonly busyTimeoutMs?: number;
}

/** An index that also searches by words. */
export interface SqliteIndex extends VectorIndex {
  /** The engine for comparing vectors. */
  readonly compare: 'sqlite-vec' | 'js';
  /** Returns entries that contain words of the query (in Korean, pairs of letters), best first by BM25, ties by id. Scores are above 0. */
  searchWords(query: string, options: VectorSearchOptions): Promise<readonly VectorHit[]>;
}

/**
 * Stores entries, vectors and words in one SQLite file, with Node's own `node:sqlite`, and compares every vector: exact. Any number of
 * processes on one machine may share the file.
 *
 * @throws {WorkflowError} `OPTION_INVALID` unless there is either a path or a database; `INDEX_UNAVAILABLE` if the file cannot be opened;
 * `INDEX_OF_OTHER_EMBEDDER`; `STORE_VERSION` for a file of a newer version, or of another program; `ADAPTER_MISSING` if `compare` is
 * `sqlite-vec` and it cannot be loaded.
 * @example const index = await sqliteIndex({ path: 'contracts.db', embedder: hashedEmbedder() });
 */
export async function sqliteIndex(options: SqliteIndexOptions): Promise<SqliteIndex> {
  const name = checkSqlitePlace(options);
  const { path, database, embedder, compare = 'auto', wordsOf = ({ text }) => text, busyTimeoutMs = 5_000 } = options;
  const dimensions = checkInteger('embedder.dimensions', embedder.dimensions, { min: 1 });
  const extension = database ? undefined : await findExtension(compare);
  let isExtended = extension !== undefined;
  /** Vector of the current search; statements are synchronous. */
  let target = new Float64Array(dimensions);
  const unitOf = (blob: unknown): Float32Array => toUnit(blob, dimensions, name);
  const db = new SqliteDatabase({
    path,
    database,
    busyTimeoutMs,
    extension,
    prepare(connection) {
      prepareSqliteIndex(connection, name, embedder);
      if (connection === database) isExtended = hasExtension(connection, compare);
      if (!isExtended) connection.function?.('cosine_of_sought', (unit) => dot(target, unitOf(unit)));
    },
    toError: (cause) => indexUnavailable(name, cause, isLocked(cause)),
  });
  await db.open();
  // the extension computes with 32 bits, so it only finds entries; their scores are computed as without it
  const cosine = isExtended ? '1 - vec_distance_cosine(unit, :unit)' : 'cosine_of_sought(unit)';
  const parameter = (unit: Float32Array): Record<string, Uint8Array> => (isExtended ? { unit: bytesOf(unit) } : {});

  const stored = sqliteIndexEntries(db, wordsOf);
  const index = guardedIndex('sqlite', dimensions, {
    async upsert(entries) {
      await db.write(() => stored.keep(entries));
    },
    async remove(ids) {
      await db.write(() => stored.drop(ids));
      await db.emptyLog(); // the file is overwritten, but its log would keep the text until it is full
    },
    async search({ unit, limit, filter }) {
      const { where, values } = conditionOf(filter);
      const rows = await db.read(() => {
        target = Float64Array.from(unit);
        const parameters = { ...parameter(unit), ...values, offset: limit - 1 };
        return db.all<EntryRow & { readonly unit: unknown }>(nearestSql(cosine, where), parameters);
      });
      const exact = Float64Array.from(unit);
      const hits = rows.map((row) => ({ ...toEntry(row, name), score: dot(exact, unitOf(row.unit)) }));
      return bestHits(hits, limit);
    },
    async get(ids) {
      return db.read(() =>
        ids.flatMap((id) => {
          const row = db.one<EntryRow>(`SELECT ${entryColumns} FROM entries WHERE id = ?`, id);
          return row ? [toEntry(row, name)] : [];
        }),
      );
    },
    async count() {
      return db.read(() => db.one<{ readonly count: number }>('SELECT count(*) AS count FROM entries')?.count ?? 0);
    },
    async close() {
      await db.close();
    },
  });
  return {
    ...index,
    compare: isExtended ? 'sqlite-vec' : 'js',
    async searchWords(query, { limit, filter = {}, signal }) {
      await index.get([], { signal }); // rejects calls after `close` and after an abort
      checkSearchable(limit, filter);
      const tokens = new Set(searchTokens(query));
      if (tokens.size === 0) return [];
      const { where, values } = conditionOf(filter);
      const parameters = { ...values, words: Array.from(tokens, (token) => `"${token}"`).join(' OR '), limit };
      const rows = await db.read(() => db.all<EntryRow & { readonly score: number }>(wordsSql(where), parameters));
      return rows.map((row) => ({ ...toEntry(row, name), score: row.score }));
    },
  };
}

/** Reads texts as bytes: Node 22 cuts a text at its first U+0000. */
const entryColumns = 'CAST(entries.id AS BLOB) AS id, CAST(text AS BLOB) AS text, metadata';
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

interface EntryRow {
  readonly id: Uint8Array;
  readonly text: Uint8Array;
  readonly metadata: string;
}

function hasExtension(database: SqliteConnection, compare: 'auto' | 'sqlite-vec' | 'js'): boolean {
  if (compare === 'js') return false;
  const found = database.prepare("SELECT 1 FROM pragma_function_list WHERE name = 'vec_distance_cosine'").get() !== undefined;
  if (found || compare === 'auto') return found;
  throw new WorkflowError({
    code: 'ADAPTER_MISSING',
    message: 'The extension sqlite-vec is not loaded in the given database.',
    hint: "Load it, or pass compare: 'js'.",
    data: { package: 'sqlite-vec' },
  });
}

async function findExtension(compare: 'auto' | 'sqlite-vec' | 'js'): Promise<string | undefined> {
  if (compare === 'js') return undefined;
  try {
    return await optionalPackage('sqlite-vec', async () => (await import('sqlite-vec')).getLoadablePath());
  } catch (cause) {
    if (compare === 'auto') return undefined; // by design: the index reports its `compare`, and the results are the same
    throw cause;
  }
}

/** Selects the nearest entries, and those so close to the last one that rounding may have put them behind it. */
const nearestSql = (cosine: string, where: string): string =>
  `WITH scored AS MATERIALIZED (SELECT n, ${cosine} AS score FROM vectors ${where}),
     worst AS (SELECT score - 1e-5 AS score FROM scored ORDER BY score DESC LIMIT 1 OFFSET :offset)
   SELECT ${entryColumns}, unit FROM scored JOIN vectors USING (n) JOIN entries USING (n)
   WHERE scored.score >= coalesce((SELECT score FROM worst), -2)`;

const wordsSql = (where: string): string =>
  `WITH best AS (
     SELECT n, id, -bm25(words) AS score FROM words JOIN entries ON n = words.rowid
     ${where === '' ? 'WHERE' : `${where} AND`} words MATCH :words ORDER BY score DESC, id LIMIT :limit
   ) SELECT ${entryColumns}, score FROM best JOIN entries USING (n) ORDER BY score DESC, entries.id`;

/** Returns a condition on `n`: every name must have its value. */
function conditionOf(filter: VectorMetadata): { readonly where: string; readonly values: Record<string, string> } {
  const facts = Object.entries(filter);
  const conditions = facts.map((_, i) => `n IN (SELECT n FROM facts WHERE name = :name${i} AND value = :value${i})`);
  const values = facts.flatMap(([name, value], i) => [[`name${i}`, name] as const, [`value${i}`, JSON.stringify(value)] as const]);
  return { where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '', values: Object.fromEntries(values) };
}

/** @throws {WorkflowError} `INDEX_CORRUPT`. */
function toEntry({ id, text, metadata }: EntryRow, name: string): Omit<VectorEntry, 'vector'> {
  try {
    return { id: decoder.decode(id), text: decoder.decode(text), metadata: metadataIn(JSON.parse(String(metadata))) };
  } catch (cause) {
    throw indexCorrupt(name, `the metadata of ${JSON.stringify(decoder.decode(id))} cannot be read.`, cause);
  }
}

/** @throws {WorkflowError} `INDEX_CORRUPT`. */
function toUnit(blob: unknown, dimensions: number, name: string): Float32Array {
  const bytes = blob instanceof Uint8Array ? blob : new Uint8Array();
  if (bytes.byteLength !== dimensions * 4) throw indexCorrupt(name, 'a vector has the wrong length.');
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : Uint8Array.from(bytes); // `slice` of a Buffer does not copy
  return new Float32Array(aligned.buffer, aligned.byteOffset, dimensions);
}

const bytesOf = (unit: Float32Array): Uint8Array => new Uint8Array(unit.buffer, unit.byteOffset, unit.byteLength);
