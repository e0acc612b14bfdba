/** A value for a `?` of a statement, or for its names in an object. */
export type SqliteValue = null | number | bigint | string | ArrayBufferView;

/** The used part of a prepared statement. */
export interface SqliteStatement {
  run(...values: readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[]): SqliteChanges;
  /** Returns the first row; `undefined` or `null` if there is none. */
  get(...values: readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[]): unknown;
  all(...values: readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[]): readonly unknown[];
  /** Reads whole numbers as `bigint` if enabled; `node:sqlite` otherwise throws for numbers above 2^53. */
  setReadBigInts?(enabled: boolean): unknown;
}

export interface SqliteChanges {
  readonly changes: number | bigint;
  readonly lastInsertRowid: number | bigint;
}

/**
 * The used part of an open SQLite database, all synchronous. A `DatabaseSync` of `node:sqlite` (Node, Deno, Bun) fits, and so does a
 * `Database` of `bun:sqlite` or `better-sqlite3`.
 */
export interface SqliteConnection {
  prepare(sql: string): SqliteStatement;
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Registers a function for statements, which an index without an extension needs to compare vectors. */
  function?(name: string, work: (value: unknown) => number): unknown;
  /** True while a transaction is open, in `node:sqlite`. */
  readonly isTransaction?: boolean;
  /** The same in `better-sqlite3` and `bun:sqlite`. */
  readonly inTransaction?: boolean;
}

/** Runs `work` in a transaction, all or nothing. */
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
    // a full disk has already ended the transaction
    if (db.isTransaction ?? db.inTransaction ?? true) run('ROLLBACK');
    throw cause;
  }
}

/**
 * Runs works in one transaction. An error of one undoes that one alone.
 *
 * @throws the error of the transaction itself, with nothing written.
 */
export function transactionOfMany(
  db: SqliteConnection,
  works: readonly (() => void)[],
  run: (sql: string) => unknown,
): readonly PromiseSettledResult<void>[] {
  const attempt = (work: () => void): PromiseSettledResult<void> => {
    run('SAVEPOINT one');
    try {
      work();
      run('RELEASE one');
      return { status: 'fulfilled', value: undefined };
    } catch (reason) {
      if (!(db.isTransaction ?? db.inTransaction ?? true)) throw reason; // a full disk has ended the transaction of all
      run('ROLLBACK TO one');
      run('RELEASE one');
      return { status: 'rejected', reason };
    }
  };
  return transaction(db, 'BEGIN IMMEDIATE', () => works.map(attempt), run);
}
