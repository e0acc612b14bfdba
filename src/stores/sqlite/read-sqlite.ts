import { existsSync, realpathSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { SqliteConnection } from '../../core/node/sqlite/sqlite-connection.ts';
import type { Awaitable } from '../../core/ports/run-store.ts';
import { storeUnavailable } from '../../engine/store/store-errors.ts';

/** Time limit of the wait for a file lock, in milliseconds. */
const patienceMs = 5_000;

/**
 * Opens a SQLite file read-only. It changes nothing and leaves no files next to it. `work` runs again if other processes write meanwhile.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE`; errors of `work`.
 */
export async function readSqlite<T>(path: string, work: (connection: SqliteConnection) => Awaitable<T>): Promise<T> {
  for (;;) {
    const before = stampOf(path);
    // a log exists while a process has the file open, or after a process was killed; without a log the file is complete
    const isAtRest = !before.endsWith('+');
    const outcome = await attemptRead(path, isAtRest, work);
    if (isAtRest && stampOf(path) !== before) continue;
    if ('error' in outcome) throw WorkflowError.isInstance(outcome.error) ? outcome.error : storeUnavailable(path, outcome.error);
    return outcome.result;
  }
}

type ReadOutcome<T> = { readonly result: T } | { readonly error: unknown };

async function attemptRead<T>(
  path: string,
  isAtRest: boolean,
  work: (connection: SqliteConnection) => Awaitable<T>,
): Promise<ReadOutcome<T>> {
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const address = pathToFileURL(path);
    // without `immutable`, even a reader creates a log
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

/** Changes when the file is written; ends with `+` if there is a log. */
function stampOf(path: string): string {
  try {
    const file = realpathSync(path); // SQLite puts the log next to the resolved path
    const { ino, size, mtimeNs } = statSync(file, { bigint: true });
    return `${ino}/${size}/${mtimeNs}${existsSync(`${file}-wal`) ? '+' : ''}`;
  } catch (cause) {
    throw storeUnavailable(path, cause);
  }
}
