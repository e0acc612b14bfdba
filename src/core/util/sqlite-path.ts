/**
 * Reason why a path cannot name a database file, because SQLite would read it differently. `:memory:` is valid.
 * @returns the rest of a sentence that starts with the path; `undefined` for a valid one.
 */
export function sqlitePathIssue(path: unknown): string | undefined {
  if (typeof path !== 'string') return 'is not a string';
  if (path.trim() === '') return 'is blank, so SQLite would use a temporary file and lose the data';
  if (/^\s*file:/i.test(path)) return 'is a URI, so SQLite would read options from it';
  if (path !== ':memory:' && path.trim().toLowerCase() === ':memory:') return 'differs from ":memory:" in spaces or letter case';
  if (path.includes('\0')) return 'has a NUL character';
  return undefined;
}
