import type { SqliteValue } from '../sqlite/sqlite-connection.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import { rowsPerRun } from './sqlite-rows.ts';

/** Removed rows, by what they were found by. */
export interface RemovedRows {
  readonly runs: readonly { readonly n: number; readonly id: string }[];
  readonly threadId?: string;
}

/** Rows on one side of a removed one: at most this many, with about ten pages of what stands in the tree itself. */
const maxRows = 100;
const maxTreeBytes = 40_000;
/** Of long rows, fewer: they are written again. */
const maxBytes = 2_000_000;
/** A row keeps at most this much in the page of the tree, the rest elsewhere. */
const maxTreeBytesOfRow = 4_000;

type Row = Readonly<Record<string, SqliteValue>>;

/**
 * Writes the rows next to removed ones again, within the transaction that removes them. SQLite moves rows between neighbouring pages and
 * leaves a copy in the gap of the old page, which `secure_delete` does not clear. A page that has lost all of its rows is cleared.
 */
export function rewriteNeighbours(db: SqliteDatabase, { runs, threadId }: RemovedRows): void {
  for (const { n, id } of runs) {
    rewriteAround(db, 'journal', ['id'], n * rowsPerRun, 'octet_length(outcome) + octet_length(events)');
    rewriteAround(db, 'runs', ['n'], n, '400');
    rewriteAround(db, 'runs', ['id'], id, '400');
  }
  if (threadId === undefined) return;
  rewriteAround(db, 'threads', ['id'], threadId, 'octet_length(state)');
  rewriteAround(db, 'thread_parts', ['thread', 'name'], threadId, 'octet_length(items)');
}

function rewriteAround(db: SqliteDatabase, table: string, keys: readonly [string, ...string[]], at: SqliteValue, size: string): void {
  const [first] = keys;
  const side = (compared: string, order: string): readonly Row[] => {
    const columns = keys.map((key) => `${key} ${order}`).join(', ');
    const sql = `SELECT ${keys.join(', ')}, ${size} AS size FROM ${table} WHERE ${first} ${compared} ? ORDER BY ${columns} LIMIT ${maxRows}`;
    return nearest(db.all<Row>(sql, at));
  };
  const near = [...side('<', 'DESC'), ...side('>', 'ASC')].map((row) => keys.map((key) => row[key] ?? null));
  const isIt = keys.map((key) => `${key} = ?`).join(' AND ');
  const rows = near.flatMap((key) => db.all<Row>(`SELECT * FROM ${table} WHERE ${isIt}`, ...key));
  for (const key of near) db.run(`DELETE FROM ${table} WHERE ${isIt}`, ...key);
  const columns = Object.keys(rows[0] ?? {});
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
  for (const row of rows) db.run(insert, ...columns.map((column) => row[column] ?? null));
}

function nearest(rows: readonly Row[]): readonly Row[] {
  let [treeBytes, bytes] = [0, 0];
  return rows.filter(({ size }) => {
    treeBytes += Math.min(Number(size), maxTreeBytesOfRow);
    bytes += Number(size);
    return treeBytes <= maxTreeBytes && bytes <= maxBytes;
  });
}
