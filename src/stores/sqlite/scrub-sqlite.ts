import { StoreDatabase } from './store-database.ts';

/**
 * Clears the text that earlier versions removed or overwrote in a SQLite file. Rewrites the whole file if an earlier version wrote to it.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE` while other processes use the file; `STORE_VERSION`.
 */
export async function scrubSqlite(path: string): Promise<void> {
  const file = new StoreDatabase({ path });
  try {
    await file.scrub();
  } finally {
    await file.db.close();
  }
}
