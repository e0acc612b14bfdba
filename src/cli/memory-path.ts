import { fileBeside } from './database.ts';

/** Where memories of users are, beside the database of the runs: `agents.db` → `agents.memory.db`. */
export const memoryPathOf = (db: string): string => `${fileBeside(db).replace(/\.db$/, '')}.memory.db`;
