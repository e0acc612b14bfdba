import { type RewrittenTree, rewriteAround } from '../../core/node/sqlite/rewrite-around.ts';
import { rewriteTable } from '../../core/node/sqlite/rewrite-file.ts';
import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import { searchTokens } from '../../core/text/search-tokens.ts';
import type { StoredEntry } from './guarded-index.ts';
import type { SqliteIndexOptions } from './sqlite-index.ts';
import { pageBytes } from './sqlite-index-schema.ts';

export interface SqliteIndexEntries {
  /** Replaces entries with the same ids. */
  keep(entries: readonly StoredEntry[]): void;
  /** Removes entries, and the copies of their texts and vectors that SQLite leaves in other pages. */
  drop(ids: readonly string[]): void;
}

/** Three pages on each side; in all trials the copies were on the adjacent page. */
const bounds = { maxRows: 1_000, maxTreeBytes: 3 * pageBytes, maxTreeBytesOfRow: pageBytes };
const trees: readonly RewrittenTree[] = [
  {
    table: 'entries',
    keys: ['n'],
    texts: ['id', 'text'],
    size: 'octet_length(id) + octet_length(text) + octet_length(metadata)',
    ...bounds,
  },
  { table: 'vectors', keys: ['n'], size: 'octet_length(unit)', ...bounds },
];

/** Maximum number of gaps to rewrite around; with more, the whole tables are rewritten. */
const maxGaps = 20;

/** Writes entries and their search data within a transaction. */
export function sqliteIndexEntries(db: SqliteDatabase, wordsOf: NonNullable<SqliteIndexOptions['wordsOf']>): SqliteIndexEntries {
  const remove = (id: string): readonly number[] => {
    const removed = db.one<{ readonly n: number }>('DELETE FROM entries WHERE id = ? RETURNING n', id);
    if (!removed) return [];
    for (const sql of removals) db.run(sql, removed.n);
    return [removed.n];
  };
  const insert = ({ id, text, metadata, unit }: StoredEntry): void => {
    const { lastInsertRowid: n } = db.run('INSERT INTO entries (id, text, metadata) VALUES (?, ?, ?)', id, text, JSON.stringify(metadata));
    if (unit) db.run('INSERT INTO vectors (n, unit) VALUES (?, ?)', n, new Uint8Array(unit.buffer, unit.byteOffset, unit.byteLength));
    for (const [name, value] of Object.entries(metadata)) {
      db.run('INSERT INTO facts (name, value, n) VALUES (?, ?, ?)', name, JSON.stringify(value), n);
    }
    db.run('INSERT INTO words (rowid, tokens) VALUES (?, ?)', n, searchTokens(wordsOf({ text, metadata })).join(' '));
  };

  return {
    keep(entries) {
      const gaps = gapsOf(
        db,
        entries.flatMap(({ id }) => remove(id)),
      );
      if (gaps.length <= maxGaps) rewriteNeighbours(db, gaps);
      entries.forEach(insert);
    },
    drop(ids) {
      const gaps = gapsOf(db, ids.flatMap(remove));
      if (gaps.length <= maxGaps) rewriteNeighbours(db, gaps);
      else for (const { table } of trees) rewriteTable((sql) => db.run(sql), table);
    },
  };
}

/** Explicit instead of foreign keys: a rewrite of neighbouring entries must not cascade. */
const removals = ['DELETE FROM vectors WHERE n = ?', 'DELETE FROM facts WHERE n = ?', 'DELETE FROM words WHERE rowid = ?'];

/** Returns one removed number per gap between the remaining entries. */
function gapsOf(db: SqliteDatabase, removed: readonly number[]): readonly number[] {
  const before = 'SELECT max(n) AS n FROM entries WHERE n < ?';
  return [...new Map(removed.map((n) => [db.one<{ readonly n: number | null }>(before, n)?.n, n])).values()];
}

function rewriteNeighbours(db: SqliteDatabase, gaps: readonly number[]): void {
  for (const n of gaps) {
    for (const tree of trees) rewriteAround(db, tree, n);
  }
}
