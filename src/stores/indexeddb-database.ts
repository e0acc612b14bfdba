import { WorkflowError } from '../errors.ts';
import { storeLost, storeUnavailable } from './store-errors.ts';

/** A run as it is kept: what is asked for, and all else as JSON, which keeps every text exactly. */
export interface KeptRun {
  /** In the order of their creation. */
  readonly n?: number;
  readonly id: string;
  readonly thread?: string;
  readonly status: string;
  readonly run: string;
}

/** Any other text under its key: an entry under run and number, a thread and a structure under their ids, a part of a thread's state under thread and name. */
export interface KeptText {
  readonly text: string;
}

export type ObjectStoreName = 'runs' | 'entries' | 'threads' | 'threadParts' | 'structures';

const version = 2;

/** An open database of a browser. */
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
   * All that `work` does is kept, or nothing of it; it is durable when the promise settles. `work` waits for nothing but requests of the
   * transaction.
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
        ended.catch(() => {}); // the cause is known
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
      this.#opened = undefined; // the next one may open it
      throw cause;
    }
  }

  async #openNow(): Promise<IDBDatabase> {
    const request = indexedDB.open(this.#name, version);
    request.onupgradeneeded = ({ oldVersion }) => makeStores(request.result, oldVersion);
    const db = await done(request);
    db.onclose = () => this.#lose('was deleted by its user');
    db.onversionchange = ({ newVersion }) => {
      this.#lose(newVersion === null ? 'is to be deleted' : 'is to be changed by a newer version');
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

/** What a request gives. */
export function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function endOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the transaction was given up'));
  });
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // it has ended already
  }
}

/** Adds what versions after `oldVersion` have; 0 is a database without any. */
function makeStores(db: IDBDatabase, oldVersion: number): void {
  db.createObjectStore('threadParts'); // 2
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
    hint: 'Load the page again, or give another name.',
    data: { known: version },
  });
