import type { RunStore } from '../index.ts';
import { openDatabase } from './database.ts';
import type { OpenResources } from './open-resources.ts';

/** Opens the database of `--db`. */
export async function openStore(db: string, opened: OpenResources): Promise<RunStore> {
  const store = await openDatabase(db);
  opened.add(() => store.close());
  return store;
}
