import { existsSync, realpathSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { WorkflowError } from '../errors.ts';
import type { Awaitable } from '../ports/run-store.ts';
import type { SqliteConnection } from '../sqlite/sqlite-connection.ts';
import { storeUnavailable } from './store-errors.ts';

/** How long a look waits while another process locks the file, in milliseconds. */
const patienceMs = 5_000;

/**
 * Opens a file of SQLite for a look. Nothing of it is changed, and nothing is left beside it. Where others write meanwhile, `work` may be
 * called again.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE`; what `work` throws.
 */
export async function lookAtSqlite<T>(path: string, work: (connection: SqliteConnection) => Awaitable<T>): Promise<T> {
  for (;;) {
    const before = stampOf(path);
    // a log is there as long as somebody has the file open, and after one who was killed; without it the file has all
    const isAtRest = !before.endsWith('+');
    const looked = await look(path, isAtRest, work);
    if (isAtRest && stampOf(path) !== before) continue;
    if ('error' in looked) throw WorkflowError.isInstance(looked.error) ? looked.error : storeUnavailable(path, looked.error);
    return looked.result;
  }
}

type Looked<T> = { readonly result: T } | { readonly error: unknown };

async function look<T>(path: string, isAtRest: boolean, work: (connection: SqliteConnection) => Awaitable<T>): Promise<Looked<T>> {
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const address = pathToFileURL(path);
    // otherwise even who only reads makes a log
    address.search = isAtRest ? 'mode=ro&immutable=1' : 'mode=ro';
    const db = new DatabaseSync(address, { readOnly: true, timeout: patienceMs });
    try {
      return { result: await work(db) };
    } finally {
      db.close();
    }
  } catch (error) {
    return { error };
  }
}

/** Another one when the file was written to; it ends with `+` when there is a log. */
function stampOf(path: string): string {
  try {
    const file = realpathSync(path); // beside which the log is
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino}/${size}/${mtimeNs}${existsSync(`${file}-wal`) ? '+' : ''}`;
  } catch (cause) {
    throw storeUnavailable(path, cause);
  }
}
