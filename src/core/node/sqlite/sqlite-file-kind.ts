import { WorkflowError } from '../../errors/errors.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** Identifies a kind of our SQLite files, with its newest known version. */
export interface SqliteFileKind {
  readonly applicationId: number;
  readonly version: number;
}

/** @throws {WorkflowError} `STORE_VERSION` for a newer database, or for one of another kind. */
export function assertFileKind(db: SqliteConnection, name: string, { applicationId, version }: SqliteFileKind): void {
  const found = readPragma(db, 'user_version');
  const tables = readNumber(db, 'SELECT count(*) AS count FROM sqlite_schema', 'count');
  const foreign = tables > 0 && readPragma(db, 'application_id') !== applicationId;
  if (!foreign && found <= version) return;
  throw new WorkflowError({
    code: 'STORE_VERSION',
    message: foreign ? `The database ${name} is one of another program.` : `The database ${name} was made by a newer version.`,
    hint: 'Give another file, or update agent-machines.',
    data: { version: found, known: version },
  });
}

export const readPragma = (db: SqliteConnection, pragma: string): number => readNumber(db, `PRAGMA ${pragma}`, pragma);

const readNumber = (db: SqliteConnection, sql: string, column: string): number =>
  Number((db.prepare(sql).get() as Readonly<Record<string, unknown>> | undefined)?.[column]);
