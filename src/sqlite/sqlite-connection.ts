/** What a statement takes for a `?`, or in an object for its names. */
export type SqliteValue = null | number | bigint | string | ArrayBufferView;

/** The part of a prepared statement that is used. */
export interface SqliteStatement {
  run(...values: readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[]): SqliteChanges;
  /** The first row; `undefined` or `null` when there is none. */
  get(...values: readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[]): unknown;
  all(...values: readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[]): readonly unknown[];
  /** Whether whole numbers are read as `bigint`; Node's own throws for one that is too wide for a number. */
  setReadBigInts?(enabled: boolean): unknown;
}

export interface SqliteChanges {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}

/**
 * The part of an open SQLite database that is used, all of it synchronous. A `DatabaseSync` of `node:sqlite` (Node, Deno, Bun)
 * fits, and a `Database` of `bun:sqlite` or `better-sqlite3`.
 */
export interface SqliteConnection {
  prepare(sql: string): SqliteStatement;
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Makes a function that statements can call; an index that compares vectors itself needs it. */
  function?(name: string, work: (value: unknown) => number): unknown;
  /** Whether a transaction is open, as `node:sqlite` calls it. */
  readonly isTransaction?: boolean;
  /** The same, as `better-sqlite3` and `bun:sqlite` call it. */
  readonly inTransaction?: boolean;
}

/** All that `work` does is kept, or nothing of it. */
export function transaction<T>(
  db: SqliteConnection,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE',
  work: () => T,
  run: (sql: string) => unknown = (sql) => db.exec(sql),
): T {
  run(begin);
  try {
    const result = work();
    run('COMMIT');
    return result;
  } catch (cause) {
    // a full disk has ended the transaction already
    if (db.isTransaction ?? db.inTransaction ?? true) run('ROLLBACK');
    throw cause;
  }
}
