import { WorkflowError } from '../../errors/errors.ts';
import type { Awaitable } from '../../ports/run-store.ts';
import { optionInvalid } from '../../util/check-options.ts';
import { makePrivateFile } from '../files/make-private-file.ts';
import { emptyLog } from './empty-log.ts';
import {
  type SqliteChanges,
  type SqliteConnection,
  type SqliteStatement,
  type SqliteValue,
  transaction,
  transactionOfMany,
} from './sqlite-connection.ts';
import type { SqlitePlace } from './sqlite-place.ts';
import { isLocked, lockWaitMs, whenUnlocked } from './when-unlocked.ts';
import { WriteQueue } from './write-queue.ts';

// Decision 76: not imported statically. On an old Node the import would fail before the check of its version.
const sqlite = process.getBuiltinModule('node:sqlite');

export interface SqliteDatabaseOptions extends SqlitePlace {
  /** Maximum wait of an operation while another process locks the file, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** A loadable extension, for a file opened by `path`. */
  readonly extension?: string | undefined;
  /** Called first with the open database, to check its kind and create its tables. */
  readonly prepare: (connection: SqliteConnection) => void;
  /** Commits the writes of one turn of the event loop together, for a file whose commits wait for the disk. @default false */
  readonly inGroups?: boolean;
  /** Called after each commit; its error becomes that of its writes. */
  readonly committed?: () => void;
  /** Converts an SQLite error. */
  readonly toError: (cause: unknown) => WorkflowError;
}

/**
 * Maximum size of a value in bytes. Our own values are far smaller; a larger one is damage or foreign and is not read. Node 22 ignores the
 * option and reads up to SQLite's own limit.
 */
const maxValueBytes = 67_108_864;

type Values = readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[];

interface DatabaseWrite<T> {
  readonly alone: () => T;
  readonly within?: () => T;
  readonly committed: (result: T) => void;
  readonly key?: string | undefined;
}

/** One open database with its prepared statements and transactions. A caller that hands in a connection closes it. */
export class SqliteDatabase {
  readonly #options: SqliteDatabaseOptions;
  readonly #writes: WriteQueue;
  readonly #statements = new Map<string, SqliteStatement>();
  #connection: SqliteConnection | undefined;
  /** Closes a file opened by `path`. */
  #closeFile: () => void = () => {};
  #failed: WorkflowError | undefined;
  #isClosed = false;

  constructor(options: SqliteDatabaseOptions) {
    this.#options = options;
    this.#writes = new WriteQueue({
      timeoutMs: options.busyTimeoutMs,
      inGroups: options.inGroups ?? false,
      together: (works) => transactionOfMany(this.#open(), works, (sql) => this.run(sql)),
      afterCommit: () => options.committed?.(),
    });
  }

  /** Opens the file, or leaves that to the first use if it is locked. */
  tryOpen(): void {
    try {
      this.#open();
    } catch (cause) {
      if (!isLocked(cause)) throw this.#toError(cause);
    }
  }

  /** Opens the file and waits for its lock. */
  open(): Awaitable<void> {
    return this.#guard(() => whenUnlocked(() => void this.#open(), this.#options.busyTimeoutMs));
  }

  /** Runs a statement, within a transaction. */
  run(sql: string, ...values: Values): SqliteChanges {
    // FTS5 produces row ids above 2^53, and every later statement returns the last one
    return this.#statement(sql, (made) => made.setReadBigInts?.(true)).run(...values);
  }

  /** Returns the first row of a statement, within a transaction. */
  one<TRow>(sql: string, ...values: Values): TRow | undefined {
    return (this.#statement(sql).get(...values) ?? undefined) as TRow | undefined; // Bun returns null
  }

  /** Returns all rows of a statement, within a transaction. */
  all<TRow>(sql: string, ...values: Values): readonly TRow[] {
    return this.#statement(sql).all(...values) as readonly TRow[];
  }

  /**
   * Runs `work` in a transaction, all or nothing, and calls `committed` after the commit. Waits for a lock without blocking the process.
   *
   * @param key Two writes of one key never share a transaction: `work` may rely on what `committed` of the one before has noted.
   */
  write<T>(work: () => T, committed: (result: T) => void = () => {}, key?: string): Awaitable<T> {
    return this.#write({ alone: () => this.#transaction('BEGIN IMMEDIATE', work), within: work, committed, key });
  }

  /** Like `write`, for `work` with at most one statement, which is a transaction of its own. */
  writeAtOnce<T>(work: () => T, committed: (result: T) => void, key?: string): Awaitable<T> {
    const alone = (): T => {
      const { isTransaction, inTransaction } = this.#open();
      // inside the caller's open transaction the statement would not be committed yet
      return (isTransaction ?? inTransaction) ? this.#transaction('BEGIN IMMEDIATE', work) : work();
    };
    return this.#write({ alone, within: work, committed, key });
  }

  /** Runs `work` on one snapshot, whatever other processes write meanwhile. */
  read<T>(work: () => T): Awaitable<T> {
    return this.#guard(() => whenUnlocked(() => this.#transaction('BEGIN', work), this.#options.busyTimeoutMs));
  }

  /** Runs `work` on the connection outside of any transaction, in the order of the writes. */
  maintain(work: (connection: SqliteConnection) => void): Awaitable<void> {
    return this.#write({ alone: () => work(this.#open()), committed: () => {} });
  }

  /** Empties the log, so that no overwritten page remains in it; other calls wait. */
  emptyLog(): Awaitable<void> {
    return this.maintain((db) => {
      if (!(db.isTransaction ?? db.inTransaction)) emptyLog(db); // the caller's own transaction stays open
    });
  }

  /** Makes every later call throw this error, or the first one passed. */
  fail(error: WorkflowError): WorkflowError {
    this.#failed ??= error;
    return this.#failed;
  }

  /** Closes the file after all pending writes. */
  close(): Awaitable<void> {
    const close = (): void => {
      this.#isClosed = true;
      this.#statements.clear();
      this.#closeFile();
    };
    const { idle } = this.#writes;
    return idle ? idle.then(close) : close();
  }

  #write<T>({ alone, within, committed, key }: DatabaseWrite<T>): Awaitable<T> {
    return this.#guard(() => {
      let result = (): T => {
        throw new Error('The write has not run.');
      };
      const keep = (work: () => T) => (): void => {
        const made = work();
        result = () => made;
      };
      const waits = this.#writes.write({
        alone: keep(alone),
        ...(within ? { within: keep(within) } : {}),
        committed: () => committed(result()),
        key,
      });
      return waits ? waits.then(() => result()) : result();
    });
  }

  #statement(sql: string, prepare: (made: SqliteStatement) => unknown = () => {}): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#open().prepare(sql);
    prepare(made);
    this.#statements.set(sql, made);
    return made;
  }

  #open(): SqliteConnection {
    if (this.#failed) throw this.#failed;
    if (this.#isClosed) throw new Error('it is closed');
    this.#connection ??= this.#options.database ? this.#prepared(this.#options.database) : this.#openFile();
    return this.#connection;
  }

  #prepared(connection: SqliteConnection): SqliteConnection {
    assertPlainRows(connection);
    // otherwise a connection of Node's does not wait at all, and others block the process for their own timeout
    connection.exec(`PRAGMA busy_timeout = ${this.#lockWaitMs}`);
    this.#options.prepare(connection);
    return connection;
  }

  #openFile(): SqliteConnection {
    const { path = '', extension, prepare } = this.#options;
    if (path !== ':memory:') makePrivateFile(path); // the log inherits the file's mode
    const limits = { length: maxValueBytes };
    const db = new sqlite.DatabaseSync(path, { timeout: this.#lockWaitMs, allowExtension: extension !== undefined, limits });
    try {
      if (extension !== undefined) {
        db.loadExtension(extension);
        db.enableLoadExtension(false);
      }
      prepare(db);
    } catch (cause) {
      db.close();
      throw cause;
    }
    this.#closeFile = () => {
      if (db.isOpen) db.close();
    };
    return db;
  }

  get #lockWaitMs(): number {
    return Math.min(lockWaitMs, this.#options.busyTimeoutMs);
  }

  #transaction<T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
    return transaction(this.#open(), begin, work, (sql) => this.run(sql));
  }

  #guard<T>(work: () => Awaitable<T>): Awaitable<T> {
    try {
      const result = work();
      if (!(result instanceof Promise)) return result;
      return result.catch((cause: unknown) => {
        throw this.#toError(cause);
      });
    } catch (cause) {
      throw this.#toError(cause);
    }
  }

  #toError(cause: unknown): WorkflowError {
    return WorkflowError.isInstance(cause) ? cause : this.#options.toError(cause);
  }
}

/**
 * Checks the row format of a database handed in by the caller: rows must be objects and whole numbers must be numbers.
 * @throws {WorkflowError} `OPTION_INVALID`.
 */
function assertPlainRows(db: SqliteConnection): void {
  const row = db.prepare('SELECT 1 AS one').get();
  const isList = Array.isArray(row);
  if (!isList && (row as { readonly one?: unknown } | undefined)?.one === 1) return;
  throw optionInvalid(
    isList ? 'The database returns rows as arrays.' : 'The database returns integers as bigints.',
    isList
      ? 'Open it without returnArrays. Rows are read by column name.'
      : 'Open it without readBigInts (node:sqlite) or safeIntegers (bun:sqlite, better-sqlite3).',
    'database',
  );
}
