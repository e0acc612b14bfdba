// The part of the package `pg` that is used, so that it is not in our types.

/** A statement. Rows come as text, by a parser of ours: what others have told `pg` of types is not asked. */
export interface PostgresStatement {
  readonly text: string;
  readonly values?: unknown[];
  /** A name under which a connection keeps the statement prepared. */
  readonly name?: string;
  readonly types?: { getTypeParser(): (value: string) => string };
}

export interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** One open connection: a `Client` of `pg`. */
export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresResult>;
  on(event: 'notification', listener: (message: PostgresNotification) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  removeListener(event: 'notification', listener: (message: PostgresNotification) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'end', listener: () => void): unknown;
  /** Lets the process end though the connection is open. */
  unref?(): void;
}

export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A connection of a pool, to be given back: with an error, it is closed. */
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

/** What `import('pg')` gives. */
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
