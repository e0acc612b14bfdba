import { WorkflowError } from '../../core/errors/errors.ts';
import { storeLost, storeUnavailable } from '../../engine/store/store-errors.ts';

/** Stored run. Queried values are fields; the rest is JSON, which preserves every text exactly. */
export interface RunItem {
  /** Creation order. */
  readonly n?: number;
  readonly id: string;
  readonly thread?: string;
  readonly status: string;
  readonly run: string;
}

/** Other stored text. Keys: run and number for an entry, id for a thread or structure, thread and name for a part of a thread's state, name for a note. */
export interface TextItem {
  readonly text: string;
}

export type ObjectStoreName = 'runs' | 'entries' | 'threads' | 'threadParts' | 'structures' | 'notes';

const version = 3;

/** Open IndexedDB database. */
export class IndexedDbDatabase {
  readonly #name: string;
  readonly #durability: IDBTransactionDurability;
  #opened: Promise<IDBDatabase> | undefined;
  #failed: WorkflowError | undefined;

  constructor(name: string, durability: IDBTransactionDurability) {
    this.#name = name;
    this.#durability = durability;
  }

  /**
   * Runs `work` in one transaction: all of its changes are stored, or none. They are durable when the promise settles. `work` may await
   * only requests of the transaction.
   */
  async transact<T>(
    stores: readonly ObjectStoreName[],
    mode: 'readonly' | 'readwrite',
    work: (transaction: IDBTransaction) => Promise<T>,
  ): Promise<T> {
    try {
      const db = await this.#open();
      const transaction = db.transaction([...stores], mode, { durability: this.#durability });
      const ended = endOf(transaction);
      try {
        const result = await work(transaction);
        transaction.commit();
        await ended;
        return result;
      } catch (cause) {
        ended.catch(() => {}); // the error is already handled
        abort(transaction);
        throw cause;
      }
    } catch (cause) {
      throw this.#toError(cause);
    }
  }

  async close(): Promise<void> {
    const db = await this.#opened?.catch(() => undefined);
    this.#failed ??= storeUnavailable(this.#name, new Error('it is closed'));
    db?.close();
  }

  async #open(): Promise<IDBDatabase> {
    if (this.#failed) throw this.#failed;
    this.#opened ??= this.#openNow();
    try {
      return await this.#opened;
    } catch (cause) {
      this.#opened = undefined; // the next call may reopen the database
      throw cause;
    }
  }

  async #openNow(): Promise<IDBDatabase> {
    const request = indexedDB.open(this.#name, version);
    request.onupgradeneeded = ({ oldVersion }) => makeStores(request.result, oldVersion);
    const db = await done(request);
    db.onclose = () => this.#lose('was deleted by the user');
    db.onversionchange = ({ newVersion }) => {
      this.#lose(newVersion === null ? 'is being deleted' : 'is being upgraded by a newer version');
      db.close();
    };
    return db;
  }

  #lose(what: string): void {
    this.#failed ??= storeLost(this.#name, what);
  }

  #toError(cause: unknown): unknown {
    if (WorkflowError.isInstance(cause)) return cause;
    if (cause instanceof DOMException && cause.name === 'VersionError') return newer(this.#name);
    return this.#failed ?? storeUnavailable(this.#name, cause);
  }
}

/** Resolves with the result of a request. */
export function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was aborted'));
  });
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // the transaction has already ended
  }
}

/** Adds the object stores of versions after `oldVersion`. 0 means a new database. */
function makeStores(db: IDBDatabase, oldVersion: number): void {
  db.createObjectStore('notes'); // version 3
  if (oldVersion < 2) db.createObjectStore('threadParts');
  if (oldVersion > 0) return;
  const runs = db.createObjectStore('runs', { keyPath: 'n', autoIncrement: true });
  runs.createIndex('id', 'id', { unique: true });
  runs.createIndex('queue', ['thread', 'status']);
  for (const name of ['entries', 'threads', 'structures']) db.createObjectStore(name);
}

const newer = (name: string): WorkflowError =>
  new WorkflowError({
    code: 'STORE_VERSION',
    message: `The database ${name} was made by a newer version.`,
    hint: 'Reload the page, or use another name.',
    data: { known: version },
  });
