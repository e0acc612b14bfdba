import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertFileKind, readPragma } from '../core/node/sqlite/sqlite-file-kind.ts';
import { isPostgresAddress } from '../core/util/postgres-address.ts';
import type { RunStore } from '../index.ts';
import { storeFile } from '../stores/sqlite/sqlite-schema.ts';
import { openDatabase } from './database.ts';

/** A database that is opened read-only. */
export interface ReadOnlyDatabase {
  readonly store: RunStore;
  close(): Promise<void>;
}

/** Opens a database without changing it. If a file has an older schema, a temporary copy is migrated instead, and removed afterwards. */
export async function openReadOnly(db: string): Promise<ReadOnlyDatabase> {
  if (isPostgresAddress(db)) return opened(db);
  const { DatabaseSync } = await import('node:sqlite');
  const file = new DatabaseSync(db, { readOnly: true });
  try {
    assertFileKind(file, db, storeFile); // names this file, not the copy
    if (readPragma(file, 'user_version') === storeFile.version) return await opened(db);
    const folder = await mkdtemp(join(tmpdir(), 'agent-machines-'));
    const copy = join(folder, 'runs.db');
    file.prepare('VACUUM INTO ?').run(copy);
    const { store, close } = await opened(copy);
    return {
      store,
      async close() {
        await close();
        await rm(folder, { recursive: true });
      },
    };
  } finally {
    file.close();
  }
}

async function opened(db: string): Promise<ReadOnlyDatabase> {
  const store = await openDatabase(db);
  return { store, close: async () => store.close() };
}
