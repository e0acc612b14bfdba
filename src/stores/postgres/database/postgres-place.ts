import type { WorkflowError } from '../../../core/errors/errors.ts';
import { optionInvalid } from '../../../core/util/check-options.ts';
import { postgresAddressName } from '../../../core/util/postgres-address.ts';
import type { PostgresClient, PostgresPool } from './postgres-client.ts';

/** Place of a database: exactly one of the three fields. */
export interface PostgresPlace {
  readonly connectionString?: string | undefined;
  readonly pool?: PostgresPool | undefined;
  readonly client?: PostgresClient | undefined;
}

/**
 * Returns a name of the database for error messages, without secrets.
 *
 * @throws {WorkflowError} `OPTION_INVALID` unless exactly one place is given.
 */
export function checkPostgresPlace(place: PostgresPlace | undefined): string {
  const { connectionString, pool, client } = place ?? {};
  const given = [connectionString, pool, client].filter((one) => one !== undefined).length;
  if (given !== 1) throw invalid(given === 0 ? 'No database is given.' : 'More than one database is given.', 'connectionString');
  if (pool !== undefined) {
    if (!hasMethods(pool, 'connect', 'on')) throw invalid('The pool lacks the methods connect and on.', 'pool');
    return 'of the given pool';
  }
  if (client !== undefined) {
    if (!hasMethods(client, 'query', 'on')) throw invalid('The client lacks the methods query and on.', 'client');
    return 'of the given client';
  }
  const name = postgresAddressName(connectionString);
  // omits the address, because it may contain a password
  if (name === undefined) throw invalid('The connection string is not a PostgreSQL address.', 'connectionString');
  return name;
}

const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');

const invalid = (message: string, option: string): WorkflowError =>
  optionInvalid(
    message,
    'Pass { connectionString: "postgres://user@host/database" }, or a { pool } or { client } of the package pg.',
    option,
  );
