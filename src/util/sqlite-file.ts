import { WorkflowError } from '../errors.ts';

/** What tells a kind of our SQLite files from other databases, and the newest version that is known of it. */
export interface SqliteFileKind {
  readonly applicationId: number;
  readonly version: number;
}

/** What this file needs of a `DatabaseSync` of `node:sqlite`. */
interface Database {
  prepare(sql: string): { get(): Readonly<Record<string, unknown>> | undefined };
}

/** @throws {WorkflowError} `STORE_VERSION` for a newer database, or for one that is not of this kind. */
export function assertFileKind(db: Database, path: string, { applicationId, version }: SqliteFileKind): void {
  const found = readPragma(db, 'user_version');
  const tables = Number(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count);
  const foreign = tables > 0 && readPragma(db, 'application_id') !== applicationId;
  if (!foreign && found <= version) return;
  throw new WorkflowError({
    code: 'STORE_VERSION',
    message: foreign ? `${path} is a database of another program.` : `${path} was made by a newer version.`,
    hint: 'Give another file, or update agent-machines.',
    data: { version: found, known: version },
  });
}

export const readPragma = (db: Database, pragma: string): number => Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);

/**
 * Why a path is none of a database file: SQLite reads it in another way. `:memory:` is meant by who writes it so.
 * @returns the rest of a sentence that begins with the path; `undefined` for a good one.
 */
export function sqlitePathIssue(path: unknown): string | undefined {
  if (typeof path !== 'string') return 'is no text';
  if (path.trim() === '') return 'is blank: SQLite would keep everything in a file without a name, and lose it';
  if (/^\s*file:/i.test(path)) return 'is an address: SQLite would read options from it';
  if (path !== ':memory:' && path.trim().toLowerCase() === ':memory:') return 'is nearly ":memory:"';
  if (path.includes('\0')) return 'has a zero character in it';
  return undefined;
}

/** @throws {WorkflowError} `OPTION_INVALID`. */
export function checkSqlitePath(path: string): void {
  const issue = sqlitePathIssue(path);
  if (issue === undefined) return;
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The path ${JSON.stringify(path)} ${issue}.`,
    hint: 'Give the path of a file, such as "agents.db", or ":memory:" for none.',
    data: { option: 'path' },
  });
}
