import { WorkflowError } from '../../errors/errors.ts';
import { type StoreVersions, storeTooOld } from '../../errors/store-too-old.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** Identifies a kind of our SQLite files, with the versions of its tables. Version 0 has no tables yet. */
export interface SqliteFileKind extends StoreVersions {
  readonly applicationId: number;
}

/** @throws {WorkflowError} `STORE_VERSION` for a newer database, for one that is too old, or for one of another kind. */
export function assertFileKind(db: SqliteConnection, name: string, kind: SqliteFileKind): void {
  const { applicationId, oldest, version } = kind;
  const found = readPragma(db, 'user_version');
  const tables = readNumber(db, 'SELECT count(*) AS count FROM sqlite_schema', 'count');
  const foreign = tables > 0 && readPragma(db, 'application_id') !== applicationId;
  if (!foreign && found > 0 && found < oldest) throw storeTooOld(name, found, kind);
  if (!foreign && found <= version) return;
  throw new WorkflowError({
    code: 'STORE_VERSION',
    message: foreign ? `The database ${name} belongs to another program.` : `The database ${name} was written by a newer version.`,
    hint: 'Pass another file, or update agent-machines.',
    data: { version: found, known: version },
  });
}

export const readPragma = (db: SqliteConnection, pragma: string): number => readNumber(db, `PRAGMA ${pragma}`, pragma);

const readNumber = (db: SqliteConnection, sql: string, column: string): number =>
  Number((db.prepare(sql).get() as Readonly<Record<string, unknown>> | undefined)?.[column]);
