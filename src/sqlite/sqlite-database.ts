import { WorkflowError } from '../errors.ts';
import { makePrivateFile } from '../files/make-private-file.ts';
import type { Awaitable } from '../ports/run-store.ts';
import { assertPlainRows } from './assert-plain-rows.ts';
import { emptyLog } from './empty-log.ts';
import { type SqliteChanges, type SqliteConnection, type SqliteStatement, type SqliteValue, transaction } from './sqlite-connection.ts';
import type { SqlitePlace } from './sqlite-place.ts';
import { isLocked, lockWaitMs, whenUnlocked } from './when-unlocked.ts';
import { WriteQueue } from './write-queue.ts';

// Not imported: an old Node lacks it, and would say that before it is said which Node is needed.
const sqlite = process.getBuiltinModule('node:sqlite');

export interface SqliteDatabaseOptions extends SqlitePlace {
  /** How long an operation waits while another process locks the file, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** A loadable extension, for a file that is opened here. */
  readonly extension?: string | undefined;
  /** Is given the open database before anything else: to look whose it is, and to make its tables. */
  readonly prepare: (connection: SqliteConnection) => void;
  /** Is called after each commit; what it throws is the write's error. */
  readonly committed?: () => void;
  /** What is thrown for an error of SQLite's. */
  readonly toError: (cause: unknown) => WorkflowError;
}

/**
 * No value that is written here comes near it, in bytes: a larger one is damage, or was put there, and is not even read. Node 22 does not
 * know the option, and reads up to SQLite's own bound.
 */
const maxValueBytes = 67_108_864;

type Values = readonly (SqliteValue | Readonly<Record<string, SqliteValue>>)[];

/** One open database: its statements, prepared once, and its transactions. Whoever handed it in closes it. */
export class SqliteDatabase {
  readonly #options: SqliteDatabaseOptions;
  readonly #writes: WriteQueue;
  readonly #statements = new Map<string, SqliteStatement>();
  #connection: SqliteConnection | undefined;
  /** Closes the file that was opened here. */
  #closeFile: () => void = () => {};
  #failed: WorkflowError | undefined;
  #isClosed = false;

  constructor(options: SqliteDatabaseOptions) {
    this.#options = options;
    this.#writes = new WriteQueue(options.busyTimeoutMs);
  }

  /** Opens the file now, or, should somebody lock it, when it is used. */
  tryOpen(): void {
    try {
      this.#open();
    } catch (cause) {
      if (!isLocked(cause)) throw this.#toError(cause);
    }
  }

  /** Opens the file as soon as nobody locks it. */
  open(): Awaitable<void> {
    return this.#guard(() => whenUnlocked(() => void this.#open(), this.#options.busyTimeoutMs));
  }

  /** Runs a statement, within a transaction. */
  run(sql: string, ...values: Values): SqliteChanges {
    // FTS5 leaves row ids behind that are wider than a number, and every statement after it says the last one
    return this.#statement(sql, (made) => made.setReadBigInts?.(true)).run(...values);
  }

  /** The first row of a statement, within a transaction. */
  one<TRow>(sql: string, ...values: Values): TRow | undefined {
    return (this.#statement(sql).get(...values) ?? undefined) as TRow | undefined; // Bun says null
  }

  /** All rows of a statement, within a transaction. */
  all<TRow>(sql: string, ...values: Values): readonly TRow[] {
    return this.#statement(sql).all(...values) as readonly TRow[];
  }

  /** All of `work` is written, or nothing of it; `committed` is told when it is. While the file is locked, the process can go on. */
  write<T>(work: () => T, committed: (result: T) => void = () => {}): Awaitable<T> {
    return this.#write(() => this.#transaction('BEGIN IMMEDIATE', work), committed);
  }

  /** As `write`, where `work` runs one statement at most: that is a transaction by itself. */
  writeAtOnce<T>(work: () => T, committed: (result: T) => void): Awaitable<T> {
    return this.#write(() => {
      const { isTransaction, inTransaction } = this.#open();
      // in a transaction of whoever has handed the database in, nothing would be written yet
      return (isTransaction ?? inTransaction) ? this.#transaction('BEGIN IMMEDIATE', work) : work();
    }, committed);
  }

  /** All that `work` reads is of one moment, whatever other processes write meanwhile. */
  read<T>(work: () => T): Awaitable<T> {
    return this.#guard(() => whenUnlocked(() => this.#transaction('BEGIN', work), this.#options.busyTimeoutMs));
  }

  /** Runs `work` on the connection outside of any transaction, in the order of the writes. */
  maintain(work: (connection: SqliteConnection) => void): Awaitable<void> {
    return this.#write(
      () => work(this.#open()),
      () => {},
    );
  }

  /** Empties the log, so that nothing of a page that was overwritten is left in it; others wait. */
  emptyLog(): Awaitable<void> {
    return this.maintain((db) => {
      if (!(db.isTransaction ?? db.inTransaction)) emptyLog(db); // it is for whoever has begun it to end it
    });
  }

  /** From now on every call throws this error, or the one that was given first. */
  fail(error: WorkflowError): WorkflowError {
    this.#failed ??= error;
    return this.#failed;
  }

  /** Closes the file when what was asked for is written. */
  close(): Awaitable<void> {
    const close = (): void => {
      this.#isClosed = true;
      this.#statements.clear();
      this.#closeFile();
    };
    const { idle } = this.#writes;
    return idle ? idle.then(close) : close();
  }

  #write<T>(work: () => T, committed: (result: T) => void): Awaitable<T> {
    return this.#guard(() =>
      this.#writes.write(() => {
        const result = work();
        this.#options.committed?.();
        committed(result);
        return result;
      }),
    );
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
    // otherwise one of Node's waits for a lock as little as it can, and others for as long as they were told, and the process with them
    connection.exec(`PRAGMA busy_timeout = ${this.#lockWaitMs}`);
    this.#options.prepare(connection);
    return connection;
  }

  #openFile(): SqliteConnection {
    const { path = '', extension, prepare } = this.#options;
    if (path !== ':memory:') makePrivateFile(path); // its log gets the same rights
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
