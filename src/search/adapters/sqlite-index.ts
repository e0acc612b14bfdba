import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { WorkflowError } from '../../errors.ts';
import type { Awaitable } from '../../ports/run-store.ts';
import type { VectorEntry, VectorHit, VectorIndex, VectorMetadata, VectorSearchOptions } from '../../ports/vector-index.ts';
import { searchTokens } from '../../text/search-tokens.ts';
import { checkInteger } from '../../util/check-integer.ts';
import { checkSqlitePath } from '../../util/sqlite-file.ts';
import { isLocked, whenUnlocked } from '../../util/when-unlocked.ts';
import { WriteQueue } from '../../util/write-queue.ts';
import { bestHits } from './best-hits.ts';
import { checkSearchable, guardedIndex, metadataIn, type StoredEntry } from './guarded-index.ts';
import { type EmbedderMark, indexCorrupt, indexUnavailable } from './index-errors.ts';
import { optionalPackage } from './optional-package.ts';
import { openSqliteIndexFile } from './sqlite-index-file.ts';
import { dot } from './vector-math.ts';

export interface SqliteIndexOptions {
  /** The database file; its folder is made when it is missing. `:memory:` = none. */
  readonly path: string;
  /** Whose vectors it holds. */
  readonly embedder: EmbedderMark;
  /**
   * What compares vectors: the extension of the package `sqlite-vec`, or this process. Both give the same answers.
   * `auto`: the extension, when it can be loaded.
   * @default 'auto'
   */
  readonly compare?: 'auto' | 'sqlite-vec' | 'js';
  /** What `searchWords` searches of an entry. @default its text */
  readonly wordsOf?: (entry: Pick<VectorEntry, 'text' | 'metadata'>) => string;
  /** How long a write waits for another process's, in milliseconds. @default 5_000 */
  readonly busyTimeoutMs?: number;
}

/** An index that finds words, too. */
export interface SqliteIndex extends VectorIndex {
  /** What compares vectors. */
  readonly compare: 'sqlite-vec' | 'js';
  /** Entries with words of the query (in Korean, pairs of letters), best first by BM25, ties by id. The score is above 0. */
  searchWords(query: string, options: VectorSearchOptions): Promise<readonly VectorHit[]>;
}

/**
 * Keeps entries, vectors and words in one SQLite file, by Node's own `node:sqlite`, and compares with every vector: exact. Any number
 * of processes on one machine may share the file.
 *
 * @throws {WorkflowError} `INDEX_UNAVAILABLE` when the file cannot be opened; `INDEX_OF_OTHER_EMBEDDER`; `STORE_VERSION` when a newer
 *   version, or another program, made it; `ADAPTER_MISSING` when `compare` is `sqlite-vec` and it cannot be loaded.
 * @example const index = await sqliteIndex({ path: 'contracts.db', embedder: hashedEmbedder() });
 */
export async function sqliteIndex(options: SqliteIndexOptions): Promise<SqliteIndex> {
  const { path, embedder, compare = 'auto', wordsOf = ({ text }) => text, busyTimeoutMs = 5_000 } = options;
  const dimensions = checkInteger('embedder.dimensions', embedder.dimensions, { min: 1 });
  checkSqlitePath(path);
  const guard = async <T>(work: () => Awaitable<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      throw WorkflowError.isInstance(cause) ? cause : indexUnavailable(path, cause, isLocked(cause));
    }
  };
  const extension = await findExtension(compare);
  const db = await guard(() => whenUnlocked(() => openSqliteIndexFile({ path, embedder, extension, busyTimeoutMs }), busyTimeoutMs));
  const writes = new WriteQueue(busyTimeoutMs);
  const read = <T>(work: () => T): Promise<T> => guard(() => whenUnlocked(work, busyTimeoutMs));
  /** The vector that is searched for; statements are synchronous. */
  let sought = new Float64Array(dimensions);
  const unitOf = (blob: unknown): Float32Array => {
    const bytes = blob instanceof Uint8Array ? blob : new Uint8Array();
    if (bytes.byteLength !== dimensions * 4) throw indexCorrupt(path, 'a vector has another length.');
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
    return new Float32Array(aligned.buffer, aligned.byteOffset, dimensions);
  };
  db.function('cosine_of_sought', (unit) => dot(sought, unitOf(unit)));
  // numbers of the extension are 32 bits wide: it finds, and what it has found is scored as without it
  const cosine = extension === undefined ? 'cosine_of_sought(unit)' : '1 - vec_distance_cosine(unit, :unit)';
  const parameter = (unit: Float32Array): Record<string, SQLInputValue> => (extension === undefined ? {} : { unit: bytesOf(unit) });

  const statements = new Map<string, StatementSync>();
  const sql = (text: string): StatementSync => {
    const statement = statements.get(text) ?? db.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  const transaction = (work: () => void): void => {
    sql('BEGIN IMMEDIATE').run();
    try {
      work();
      sql('COMMIT').run();
    } catch (cause) {
      if (db.isTransaction) sql('ROLLBACK').run();
      throw cause;
    }
  };
  const write = (work: () => void): Promise<void> => guard(() => writes.write(() => transaction(work)));
  const drop = (id: string): void => {
    const n = sql('DELETE FROM entries WHERE id = ? RETURNING n').get(id)?.n; // and what refers to it
    if (n !== undefined) sql('DELETE FROM words WHERE rowid = ?').run(n);
  };
  const keep = ({ id, text, metadata, unit }: StoredEntry): void => {
    drop(id);
    const n = sql('INSERT INTO entries (id, text, metadata) VALUES (?, ?, ?)').run(id, text, JSON.stringify(metadata)).lastInsertRowid;
    if (unit) sql('INSERT INTO vectors (n, unit) VALUES (?, ?)').run(n, bytesOf(unit));
    for (const [name, value] of Object.entries(metadata)) {
      sql('INSERT INTO facts (name, value, n) VALUES (?, ?, ?)').run(name, JSON.stringify(value), n);
    }
    sql('INSERT INTO words (rowid, tokens) VALUES (?, ?)').run(n, searchTokens(wordsOf({ text, metadata })).join(' '));
  };

  const index = guardedIndex('sqlite', dimensions, {
    async upsert(entries) {
      await write(() => entries.forEach(keep));
    },
    async remove(ids) {
      await write(() => ids.forEach(drop));
    },
    async search({ unit, limit, filter }) {
      const { where, values } = conditionOf(filter);
      const rows = await read(() => {
        sought = Float64Array.from(unit);
        return sql(
          `WITH scored AS MATERIALIZED (SELECT n, ${cosine} AS score FROM vectors ${where}),
             worst AS (SELECT score - 1e-5 AS score FROM scored ORDER BY score DESC LIMIT 1 OFFSET :offset)
           SELECT id, text, metadata, unit FROM scored JOIN vectors USING (n) JOIN entries USING (n)
           WHERE scored.score >= coalesce((SELECT score FROM worst), -2)`,
        ).all({ ...parameter(unit), ...values, offset: limit - 1 });
      });
      const exact = Float64Array.from(unit);
      return bestHits(
        rows.map((row) => ({ ...toEntry(row, path), score: dot(exact, unitOf(row.unit)) })),
        limit,
      );
    },
    async get(ids) {
      return read(() =>
        ids.flatMap((id) =>
          sql('SELECT id, text, metadata FROM entries WHERE id = ?')
            .all(id)
            .map((row) => toEntry(row, path)),
        ),
      );
    },
    async count() {
      return read(() => Number(sql('SELECT count(*) AS count FROM entries').get()?.count));
    },
    async close() {
      await writes.idle;
      db.close();
    },
  });
  return {
    ...index,
    compare: extension === undefined ? 'js' : 'sqlite-vec',
    async searchWords(query, { limit, filter = {}, signal }) {
      await index.get([], { signal }); // refuses after `close`, and after an abort
      checkSearchable(limit, filter);
      const tokens = new Set(searchTokens(query));
      if (tokens.size === 0) return [];
      const { where, values } = conditionOf(filter);
      const rows = await read(() =>
        sql(
          `WITH best AS (
             SELECT n, id, -bm25(words) AS score FROM words JOIN entries ON n = words.rowid
             ${where === '' ? 'WHERE' : `${where} AND`} words MATCH :words ORDER BY score DESC, id LIMIT :limit
           ) SELECT best.id, text, metadata, score FROM best JOIN entries USING (n) ORDER BY score DESC, best.id`,
        ).all({ ...values, words: Array.from(tokens, (token) => `"${token}"`).join(' OR '), limit }),
      );
      return rows.map((row) => ({ ...toEntry(row, path), score: Number(row.score) }));
    },
  };
}

async function findExtension(compare: 'auto' | 'sqlite-vec' | 'js'): Promise<string | undefined> {
  if (compare === 'js') return undefined;
  try {
    return await optionalPackage('sqlite-vec', async () => (await import('sqlite-vec')).getLoadablePath());
  } catch (cause) {
    if (compare === 'auto') return undefined; // by design: `compare` of the index says so, and the answers are the same
    throw cause;
  }
}

/** A condition on `n`: every name has its value. */
function conditionOf(filter: VectorMetadata): { readonly where: string; readonly values: Record<string, string> } {
  const facts = Object.entries(filter);
  const conditions = facts.map((_, i) => `n IN (SELECT n FROM facts WHERE name = :name${i} AND value = :value${i})`);
  const values = facts.flatMap(([name, value], i) => [[`name${i}`, name] as const, [`value${i}`, JSON.stringify(value)] as const]);
  return { where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '', values: Object.fromEntries(values) };
}

/** @throws {WorkflowError} `INDEX_CORRUPT`. */
function toEntry({ id, text, metadata }: Record<string, SQLOutputValue>, path: string): Omit<VectorEntry, 'vector'> {
  try {
    return { id: String(id), text: String(text), metadata: metadataIn(JSON.parse(String(metadata))) };
  } catch (cause) {
    throw indexCorrupt(path, `the metadata of ${JSON.stringify(id)} cannot be read.`, cause);
  }
}

const bytesOf = (unit: Float32Array): Uint8Array => new Uint8Array(unit.buffer, unit.byteOffset, unit.byteLength);
