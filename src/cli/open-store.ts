import type { RunStore } from '../index.ts';
import { sqliteStore } from '../stores/sqlite-store.ts';
import type { Opened } from './opened.ts';

/** The database of `--db`. */
export function openStore(db: string, opened: Opened): RunStore {
  const store = sqliteStore({ path: db });
  opened.add(() => store.close());
  return store;
}
