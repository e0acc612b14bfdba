// Types of the part of the package `pg` that is used, so that our types do not depend on it.

/** SQL statement. Rows arrive as text through our own parser, so type parsers that were registered with `pg` have no effect. */
export interface PostgresStatement {
  readonly text: string;
  readonly values?: unknown[];
  /** Name under which the connection caches the prepared statement. */
  readonly name?: string;
  readonly types?: { getTypeParser(): (value: string) => string };
}

export interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** Open connection: a `Client` of `pg`. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresResult>;
  on(event: 'notification', listener: (message: PostgresNotification) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  removeListener(event: 'notification', listener: (message: PostgresNotification) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'end', listener: () => void): unknown;
  /** Allows the process to exit while the connection is open. */
  unref?(): void;
}

export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** Connection of a pool. Releasing it with an error closes it. */
export interface PooledPostgresClient extends PostgresClient {
  release(error?: Error | boolean): void;
}

/** A `Pool` of `pg`. */
export interface PostgresPool {
  readonly options?: { readonly max?: number | undefined };
  connect(): Promise<PooledPostgresClient>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

/** Module of `import('pg')`. */
export interface PostgresPackage {
  readonly Pool?: PostgresPoolClass;
  readonly default?: { readonly Pool: PostgresPoolClass };
}

type PostgresPoolClass = new (options: PostgresPoolOptions) => PostgresPool;

interface PostgresPoolOptions {
  readonly connectionString: string;
  readonly max: number;
  readonly application_name: string;
  readonly connectionTimeoutMillis: number;
  readonly query_timeout: number;
  readonly keepAlive: boolean;
  readonly allowExitOnIdle: boolean;
}
