import { emptyLog } from './empty-log.ts';
import { type SqliteConnection, transaction } from './sqlite-connection.ts';
import { readPragma } from './sqlite-file-kind.ts';

/** Rewrites one of our databases without removed data and empties its log. Time grows with the file's size. */
export function rewriteFile(db: SqliteConnection): void {
  try {
    db.exec('VACUUM');
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.includes('too many attached databases'))) throw cause;
    // VACUUM attaches a database, which Deno forbids without all permissions
    rewriteRows(db);
  }
  emptyLog(db);
}

/** Writes every row to a cleared page and clears every unused page. */
function rewriteRows(db: SqliteConnection): void {
  db.exec('PRAGMA secure_delete = ON');
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as readonly { readonly name: string }[];
  transaction(db, 'BEGIN IMMEDIATE', () => {
    // free pages hold removed data; filling and emptying them clears it
    const [free, size] = [readPragma(db, 'freelist_count'), readPragma(db, 'page_size') - 100];
    db.exec('CREATE TABLE rewritten (bytes)');
    db.exec(
      `WITH RECURSIVE page(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM page WHERE n < ${free}) INSERT INTO rewritten SELECT zeroblob(${size}) FROM page`,
    );
    db.exec('DROP TABLE rewritten');
    for (const { name } of tables) rewriteTable((sql) => db.exec(sql), name);
  });
}

/** Writes all rows of a table to cleared pages, within a transaction of a connection that clears what it removes. */
export function rewriteTable(run: (sql: string) => unknown, name: string): void {
  run(`CREATE TABLE rewritten AS SELECT * FROM "${name}"`);
  run(`DELETE FROM "${name}"`);
  run(`INSERT INTO "${name}" SELECT * FROM rewritten`);
  run('DROP TABLE rewritten');
}
