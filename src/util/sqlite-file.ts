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
