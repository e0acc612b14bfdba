import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { WorkflowError } from '../errors.ts';
import type { Awaitable } from '../ports/run-store.ts';
import { assertFileKind } from '../util/sqlite-file.ts';
import { isLocked, lockWaitMs, whenUnlocked } from '../util/when-unlocked.ts';
import { WriteQueue } from '../util/write-queue.ts';
import { OpenFile } from './open-file.ts';
import { migrate, storeFile } from './sqlite-schema.ts';
import { storeLost, storeUnavailable } from './store-errors.ts';

// Not imported: an old Node lacks it, and would say that before it is said which Node is needed.
const sqlite = process.getBuiltinModule('node:sqlite');

export interface SqliteDatabaseOptions {
  readonly path: string;
  readonly durability: 'full' | 'normal';
  readonly busyTimeoutMs: number;
}

/** What stands in the table `file`: the file's name, and how often runs were begun or taken over in it. */
interface FileRow {
  readonly id: string;
  readonly generation: number;
}

/** How far a run has come. */
interface RunPlace {
  readonly epoch: number;
  readonly seq: number;
}

/** One open database file: its statements, prepared once, and its transactions. */
export class SqliteDatabase {
  readonly #options: SqliteDatabaseOptions;
  readonly #writes: WriteQueue;
  readonly #statements = new Map<string, StatementSync>();
  #db: DatabaseSync | undefined;
  #file: OpenFile | undefined;
  #row: FileRow | undefined;
  #lost: WorkflowError | undefined;
  #isClosed = false;

  /** Opens the file now, or when it is used, should somebody lock it. @throws {WorkflowError} `STORE_UNAVAILABLE`, `STORE_VERSION`. */
  constructor(options: SqliteDatabaseOptions) {
    this.#options = options;
    this.#writes = new WriteQueue(options.busyTimeoutMs);
    try {
      this.#open();
    } catch (cause) {
      if (!isLocked(cause)) throw this.#toError(cause);
    }
  }

  /** For use within a transaction. */
  sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const made = this.#open().prepare(text);
    this.#statements.set(text, made);
    return made;
  }

  /** All of `work` is written, or nothing of it; `committed` is told when it is. While the file is locked, the process can go on. */
  write<T>(work: () => T, committed: (result: T) => void = () => {}): Awaitable<T> {
    return this.#guard(() =>
      this.#writes.write(() => {
        const result = this.#transaction('BEGIN IMMEDIATE', work);
        this.#assertThere();
        committed(result);
        return result;
      }),
    );
  }

  /** As `write`, for what an older copy of the file must not have: that is noticed before anything is written. */
  writeOnward<T>(work: () => T): Awaitable<T> {
    let row: FileRow | undefined;
    return this.write(
      () => {
        row = this.#goOn();
        return work();
      },
      () => {
        this.#row = row;
      },
    );
  }

  /** All that `work` reads is of one moment, whatever other processes write meanwhile. */
  read<T>(work: () => T): Awaitable<T> {
    return this.#guard(() => whenUnlocked(() => this.#transaction('BEGIN', work), this.#options.busyTimeoutMs));
  }

  /** Closes the file when what was asked for is written. */
  close(): Awaitable<void> {
    const close = (): void => {
      this.#isClosed = true;
      if (this.#db?.isOpen) this.#db.close();
    };
    const { idle } = this.#writes;
    return idle ? idle.then(close) : close();
  }

  #open(): DatabaseSync {
    if (this.#lost) throw this.#lost;
    if (this.#db) return this.#db;
    if (this.#isClosed) throw new Error('it is closed');
    const db = openFile(this.#options);
    this.#db = db;
    this.#file = OpenFile.of(db);
    return db;
  }

  #transaction<T>(begin: string, work: () => T): T {
    const db = this.#open();
    this.sql(begin).run();
    try {
      const result = work();
      this.sql('COMMIT').run();
      return result;
    } catch (cause) {
      if (db.isTransaction) this.sql('ROLLBACK').run();
      throw cause;
    }
  }

  /** Counts on in the file's row, within a transaction. @throws {WorkflowError} `STORE_LOST` when the row is an older one than before. */
  #goOn(): FileRow {
    const found = this.sql('UPDATE file SET generation = generation + 1 RETURNING id, generation').get();
    const row = found && { id: String(found.id), generation: Number(found.generation) };
    const before = this.#row;
    if (row && (!before || (row.id === before.id && row.generation > before.generation))) return row;
    throw this.#lose('holds older runs than before');
  }

  /** @throws {WorkflowError} `STORE_LOST` when a run is not as far any more as this process has brought it. */
  assertOnward(before: RunPlace | undefined, found: RunPlace | undefined): void {
    if (!before) return;
    const isOlder = found ? found.epoch < before.epoch || (found.epoch === before.epoch && found.seq < before.seq) : this.#isOlder();
    if (isOlder) throw this.#lose('holds older runs than before');
  }

  #isOlder(): boolean {
    const found = this.sql('SELECT id, generation FROM file').get();
    const before = this.#row;
    return before !== undefined && (found?.id !== before.id || Number(found.generation) < before.generation);
  }

  /** @throws {WorkflowError} `STORE_LOST` when what was just committed cannot be found under the file's name. */
  #assertThere(): void {
    const change = this.#file?.change();
    if (change !== undefined) throw this.#lose(change);
  }

  /** From now on nothing more is read or written. */
  #lose(what: string): WorkflowError {
    this.#lost ??= storeLost(this.#options.path, what);
    return this.#lost;
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
    return WorkflowError.isInstance(cause) ? cause : storeUnavailable(this.#options.path, cause);
  }
}

function openFile({ path, durability, busyTimeoutMs }: SqliteDatabaseOptions): DatabaseSync {
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const db = new sqlite.DatabaseSync(path, { timeout: Math.min(lockWaitMs, busyTimeoutMs) });
  try {
    assertFileKind(db, path, storeFile); // before the first write
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability.toUpperCase()}`);
    migrate(db);
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}
