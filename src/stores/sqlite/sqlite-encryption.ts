import type { SqliteDatabase } from '../../core/node/sqlite/sqlite-database.ts';
import type { RunStorage } from '../../core/ports/run-storage.ts';
import { isSamePlace } from '../../engine/store/matches-query.ts';
import { assertWriter, encryptionNote } from '../../engine/store/store-key.ts';
import { toRecord } from '../rows/run-rows.ts';
import type { SqliteRuns } from './sqlite-runs.ts';
import type { StoreDatabase } from './store-database.ts';

/** See `assertWriter`. Runs in the transaction of the write. */
export function assertSqliteKey(db: SqliteDatabase, keyId: string | undefined): void {
  if (keyId === undefined) return;
  assertWriter(db.one<{ readonly note: string }>('SELECT note FROM notes WHERE name = ?', encryptionNote)?.note, keyId);
}

/** Replaces the rows of a run, and remembers that the file still holds the old ones. */
export const sqliteRewrite =
  (file: StoreDatabase, runs: SqliteRuns): Required<RunStorage>['rewrite'] =>
  (record, entries, keyId) =>
    file.write(() => {
      assertSqliteKey(file.db, keyId);
      const row = runs.find(record.id);
      if (!row || !isSamePlace(toRecord(row), record)) return false;
      runs.rewrite(row, entries);
      file.scheduleScrub({ rewrite: true });
      return true;
    });
