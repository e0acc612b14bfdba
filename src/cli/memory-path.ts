import { localPathOf } from './database.ts';

/** File of the user memories, next to the run database: `agents.db` → `agents.memory.db`. */
export const memoryPathOf = (db: string): string => `${localPathOf(db).replace(/\.db$/, '')}.memory.db`;
