import { WorkflowError } from '../../errors/errors.ts';
import { optionInvalid } from '../../util/check-options.ts';
import { sqlitePathIssue } from '../../util/sqlite-path.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** Place of a database: exactly one of the two. */
export interface SqlitePlace {
  readonly path?: string | undefined;
  readonly database?: SqliteConnection | undefined;
}

/**
 * Name of a database in errors.
 * @throws {WorkflowError} `OPTION_INVALID` unless either a path or a database is given.
 */
export function checkSqlitePlace(place: SqlitePlace | undefined): string {
  const { path, database } = place ?? {};
  if (path !== undefined && database === undefined) {
    checkSqlitePath(path);
    return path;
  }
  if (path === undefined && isConnection(database)) return 'passed by the caller';
  throw new WorkflowError({
    code: 'OPTION_INVALID',
    message:
      path !== undefined
        ? 'The options have both a path and a database.'
        : database === undefined
          ? 'The options have neither a path nor a database.'
          : 'The database has no methods prepare and exec.',
    hint: 'Pass the path of a file, such as { path: "agents.db" }, or { database } with an open one.',
    data: { option: path === undefined && database !== undefined ? 'database' : 'path' },
  });
}

const isConnection = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  ['prepare', 'exec'].every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');

/** @throws {WorkflowError} `OPTION_INVALID`. */
function checkSqlitePath(path: string): void {
  const issue = sqlitePathIssue(path);
  if (issue === undefined) return;
  throw optionInvalid(
    `The path ${typeof path === 'string' ? JSON.stringify(path) : 'that was given'} ${issue}.`,
    'Pass the path of a file, such as "agents.db", or ":memory:" for a database without a file.',
    'path',
  );
}
