/** Where memories of users are, beside the database of the runs: `agents.db` → `agents.memory.db`. */
export const memoryPathOf = (db: string): string => `${db.replace(/\.db$/, '')}.memory.db`;
