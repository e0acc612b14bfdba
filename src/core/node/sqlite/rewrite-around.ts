import type { SqliteValue } from './sqlite-connection.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

/** The tree of a table or index, and how much of it stands next to a removed row. */
export interface RewrittenTree {
  readonly table: string;
  /** Columns that name a row, in the order of the tree. */
  readonly keys: readonly [string, ...string[]];
  /** SQL of a row's bytes. */
  readonly size: string;
  /** Columns that may hold U+0000: Node 22 reads a text only as far as that. */
  readonly texts?: readonly string[];
  /** Rows on one side of a removed one. */
  readonly maxRows: number;
  /** Bytes on one side that stand in the tree itself. */
  readonly maxTreeBytes: number;
  /** Bytes of a row in the page of the tree; the rest is elsewhere. */
  readonly maxTreeBytesOfRow: number;
}

/** Fewer for long rows, because each is written again. */
const maxBytes = 2_000_000;

type Row = Readonly<Record<string, SqliteValue>>;

/**
 * Writes the rows next to removed ones again, within the transaction that removes them. SQLite moves rows between neighbouring pages and
 * leaves a copy in the gap of the old page, which `secure_delete` does not clear. A page that has lost all of its rows is cleared.
 */
export function rewriteAround(db: SqliteDatabase, tree: RewrittenTree, at: SqliteValue): void {
  const { table, keys, size, texts = [] } = tree;
  const [first] = keys;
  const side = (compared: string, order: string): readonly Row[] => {
    const columns = keys.map((key) => `${key} ${order}`).join(', ');
    const sql = `SELECT ${keys.join(', ')}, ${size} AS size FROM ${table} WHERE ${first} ${compared} ? ORDER BY ${columns} LIMIT ${tree.maxRows}`;
    return nearest(db.all<Row>(sql, at), tree);
  };
  const near = [...side('<', 'DESC').toReversed(), ...side('>', 'ASC')].map((row) => keys.map((key) => row[key] ?? null));
  const isIt = keys.map((key) => `${key} = ?`).join(' AND ');
  const asBytes = texts.map((name) => `, CAST(${name} AS BLOB) AS ${name}`).join('');
  const rows = near.flatMap((key) => db.all<Row>(`SELECT *${asBytes} FROM ${table} WHERE ${isIt}`, ...key));
  for (const key of near) db.run(`DELETE FROM ${table} WHERE ${isIt}`, ...key);
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((column) => (texts.includes(column) ? 'CAST(? AS TEXT)' : '?'));
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`;
  for (const row of rows) db.run(insert, ...columns.map((column) => row[column] ?? null));
}

function nearest(rows: readonly Row[], { maxTreeBytes, maxTreeBytesOfRow }: RewrittenTree): readonly Row[] {
  let [treeBytes, bytes] = [0, 0];
  return rows.filter(({ size }) => {
    treeBytes += Math.min(Number(size), maxTreeBytesOfRow);
    bytes += Number(size);
    return treeBytes <= maxTreeBytes && bytes <= maxBytes;
  });
}
