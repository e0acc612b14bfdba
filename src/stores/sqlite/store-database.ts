import { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import { assertFileKind } from '../../core/node/sqlite/sqlite-file-kind.ts';
import { checkSqlitePlace, type SqlitePlace } from '../../core/node/sqlite/sqlite-place.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import { storeLost, storeUnavailable, valueTooLarge } from '../../engine/store/store-errors.ts';
import { clearRemoved, finishScrub, scrubFile } from './file-scrub.ts';
import { migrate, storeFile } from './sqlite-schema.ts';
import { WatchedFile } from './watched-file.ts';

export interface StoreDatabaseOptions extends SqlitePlace {
  readonly durability?: 'full' | 'normal';
  readonly busyTimeoutMs?: number;
}

/** Row of the table `file`: the file's id, and the number of times that runs were created or taken over in it. */
interface FileRow {
  readonly id: string;
  readonly generation: number;
}

/** Progress of a run. */
interface RunPlace {
  readonly epoch: number;
  readonly seq: number;
}

/** Database of a store. Detects that its file was replaced, or is older than what this process has written. */
export class StoreDatabase {
  readonly db: SqliteDatabase;
  readonly #name: string;
  #file: WatchedFile | undefined;
  #row: FileRow | undefined;
  /** True if the connection overwrites the data that it deletes or replaces. */
  #clears = false;
  /** Row at the end of the work in progress. */
  #next: FileRow | undefined;

  /** @throws {WorkflowError} `OPTION_INVALID`, `STORE_UNAVAILABLE`, `STORE_VERSION`. */
  constructor(options: StoreDatabaseOptions) {
    this.#name = checkSqlitePlace(options); // checked first, because the options may be missing
    const { path, database, durability = 'full', busyTimeoutMs = 5_000 } = options;
    this.db = new SqliteDatabase({
      path,
      database,
      busyTimeoutMs,
      inGroups: durability === 'full' && path !== ':memory:',
      prepare: (connection) => {
        assertFileKind(connection, this.#name, storeFile); // before the first write
        this.#clears = clearRemoved(connection);
        connection.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability.toUpperCase()}`);
        migrate(connection);
        finishScrub(connection, this.#clears);
        this.#file = WatchedFile.of(connection);
      },
      committed: () => this.#assertFileUnchanged(),
      toError: (cause) => (isTooBig(cause) ? valueTooLarge(this.#name, cause) : storeUnavailable(this.#name, cause)),
    });
    this.db.tryOpen();
  }

  /** See `SqliteDatabase.write`. */
  write<T>(work: () => T, committed: (result: T) => void = () => {}, key?: string): Awaitable<T> {
    const written = this.db.write(
      () => {
        this.#next = undefined;
        const result = work();
        if (!this.#clears) this.db.run('UPDATE file SET scrubbed = 0 WHERE scrubbed <> 0');
        return { result, row: this.#next };
      },
      ({ result, row }) => {
        this.#row = row ?? this.#row;
        committed(result);
      },
      key,
    );
    return written instanceof Promise ? written.then(({ result }) => result) : written.result;
  }

  /** See `SqliteDatabase.writeAtOnce`. */
  writeAtOnce<T>(work: () => T, committed: (result: T) => void, key: string): Awaitable<T> {
    return this.#clears ? this.db.writeAtOnce(work, committed, key) : this.write(work, committed, key);
  }

  /** Records that removed text is still in the file or its log. Runs in the transaction that removes it. */
  scheduleScrub({ rewrite }: { readonly rewrite: boolean }): void {
    this.db.run(`UPDATE file SET pending_scrub = 1${rewrite ? ', scrubbed = 0' : ''}`);
  }

  /** Clears removed text: empties the log, or rewrites a file that may contain older removed text. */
  scrub(): Awaitable<void> {
    return this.db.maintain((connection) => scrubFile(connection, this.#clears));
  }

  /**
   * Increments the generation of the file, within a transaction.
   * @throws {WorkflowError} `STORE_LOST` if the row is older than before.
   */
  raiseGeneration(): void {
    const found = this.db.one<FileRow>('UPDATE file SET generation = generation + 1 RETURNING id, generation');
    if (!found || (this.#row && (found.id !== this.#row.id || found.generation <= this.#row.generation))) throw this.#older();
    this.#next = found;
  }

  /** @throws {WorkflowError} `STORE_LOST` if the stored run is behind the last write of this process. */
  assertNotBehind(before: RunPlace | undefined, found: RunPlace | undefined): void {
    if (!before) return;
    if (!found) this.assertNotOlder();
    else if (found.epoch < before.epoch || (found.epoch === before.epoch && found.seq < before.seq)) throw this.#older();
  }

  /** @throws {WorkflowError} `STORE_LOST` if the file is older than the last run that this process created or took over. */
  assertNotOlder(): void {
    if (!this.#row) return;
    const found = this.db.one<FileRow>('SELECT id, generation FROM file');
    if (found?.id !== this.#row.id || found.generation < this.#row.generation) throw this.#older();
  }

  /** @throws {WorkflowError} `STORE_LOST` if the last commit is not in the file of that name. */
  #assertFileUnchanged(): void {
    const change = this.#file?.change();
    if (change !== undefined) throw this.db.fail(storeLost(this.#name, change));
  }

  #older(): Error {
    return this.db.fail(storeLost(this.#name, 'holds older runs than before'));
  }
}

/** SQLITE_TOOBIG */
const isTooBig = (cause: unknown): boolean => (cause as { readonly errcode?: unknown } | undefined)?.errcode === 18;
