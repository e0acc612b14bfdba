/**
 * Reason why a path cannot name a database file, because SQLite would read it differently. `:memory:` is valid.
 * @returns the rest of a sentence that starts with the path; `undefined` for a valid one.
 */
export function sqlitePathIssue(path: unknown): string | undefined {
  if (typeof path !== 'string') return 'is no text';
  if (path.trim() === '') return 'is blank: SQLite would keep everything in a file without a name, and lose it';
  if (/^\s*file:/i.test(path)) return 'is an address: SQLite would read options from it';
  if (path !== ':memory:' && path.trim().toLowerCase() === ':memory:') return 'is nearly ":memory:"';
  if (path.includes('\0')) return 'has a zero character in it';
  return undefined;
}
