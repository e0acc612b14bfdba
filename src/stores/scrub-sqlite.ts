import { StoreDatabase } from './store-database.ts';

/**
 * Clears from a SQLite file what was removed or overwritten in it by earlier versions. Rewrites the whole file if one of them wrote to it.
 *
 * @throws {WorkflowError} `STORE_UNAVAILABLE` while others use the file; `STORE_VERSION`.
 */
export async function scrubSqlite(path: string): Promise<void> {
  const file = new StoreDatabase({ path });
  try {
    await file.scrub();
  } finally {
    await file.db.close();
  }
}
