import { optionalPackage, type PackageOrLoader } from '../../../core/util/optional-package.ts';
import { PostgresCheckouts } from './postgres-checkouts.ts';
import type { PooledPostgresClient, PostgresClient, PostgresPackage, PostgresPool } from './postgres-client.ts';
import type { PostgresPlace } from './postgres-place.ts';

export interface PostgresConnectionsOptions extends PostgresPlace {
  /** Maximum number of connections of the store's own pool. */
  readonly poolSize: number;
  readonly pg: PackageOrLoader<PostgresPackage> | undefined;
}

/**
 * Time limits of the store's own pool, in milliseconds: `connectMs` for a connection, `answerMs` for an answer. A server that exceeds them
 * counts as unreachable.
 */
const connectMs = 10_000;
const answerMs = 60_000;

const importPg = (): Promise<PostgresPackage> => import(/* @vite-ignore */ packageName);
const packageName: string = 'pg';

/** Number of connections of a pool that are held permanently, by all stores on it. */
const reservedCounts = new WeakMap<PostgresPool, number>();
/** Assumed size of a pool that does not report it. */
const defaultPoolSize = 10;

/** Connection in exclusive use. */
export interface HeldConnection {
  readonly client: PostgresClient;
  /** True when the connection was lost while it was held. */
  readonly isBroken: boolean;
  /** Releases the connection. With `broken`, it is closed instead of reused. */
  release(broken?: boolean): void;
}

/** Provides the connections of a pool, or serializes access to a single client. */
export class PostgresConnections {
  readonly #options: PostgresConnectionsOptions;
  #pool: Promise<PostgresPool> | undefined;
  /** Settles when the single client becomes free. */
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: PostgresConnectionsOptions) {
    this.#options = options;
    // without a listener, losing an idle connection would end the process
    if (options.pool) PostgresCheckouts.of(options.pool).join();
    options.client?.on('error', ignore);
  }

  /**
   * Returns a connection to hold permanently. `undefined` if none would remain for statements, counting the held ones of all stores on the
   * pool.
   */
  async reserve(): Promise<HeldConnection | undefined> {
    if (this.#options.client) return undefined;
    const pool = await this.#open();
    const kept = reservedCounts.get(pool) ?? 0;
    if ((pool.options?.max ?? defaultPoolSize) - kept < 2) return undefined;
    reservedCounts.set(pool, kept + 1);
    const release = (): void => void reservedCounts.set(pool, (reservedCounts.get(pool) ?? 1) - 1);
    try {
      return await PostgresCheckouts.of(pool).next((client) => held(client, release));
    } catch (cause) {
      release();
      throw cause;
    }
  }

  /** @throws errors of `pg`; `ADAPTER_MISSING`. */
  async hold(): Promise<HeldConnection> {
    if (this.#isClosed) throw new Error('it is closed');
    const { client } = this.#options;
    return client ? this.#takeTurn(client) : PostgresCheckouts.of(await this.#open()).next((pooled) => held(pooled));
  }

  /** Closes the pool if the store created it. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#turn;
    const { pool, client } = this.#options;
    client?.removeListener('error', ignore);
    if (pool) PostgresCheckouts.of(pool).leave();
    else await (await this.#pool?.catch(() => undefined))?.end();
  }

  #open(): Promise<PostgresPool> {
    this.#pool ??= this.#options.pool ? Promise.resolve(this.#options.pool) : this.#create();
    return this.#pool;
  }

  async #create(): Promise<PostgresPool> {
    const { connectionString = '', poolSize: max, pg } = this.#options;
    const module = await optionalPackage<PostgresPackage>('pg', importPg, pg);
    const Pool = module.Pool ?? module.default?.Pool;
    if (!Pool) throw new Error('the package pg has no Pool');
    const pool = new Pool({
      connectionString,
      max,
      application_name: 'agent-machines',
      connectionTimeoutMillis: connectMs,
      query_timeout: answerMs,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    PostgresCheckouts.of(pool).join();
    return pool;
  }

  async #takeTurn(client: PostgresClient): Promise<HeldConnection> {
    const before = this.#turn;
    let release = (): void => {};
    this.#turn = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    return { client, isBroken: false, release };
  }
}

/** Listens for the end of a pooled connection while it is held. */
function held(client: PooledPostgresClient, released: () => void = () => {}): HeldConnection {
  let isBroken = false;
  const note = (): void => {
    isBroken = true;
  };
  client.on('error', note);
  client.on('end', note);
  return {
    client,
    get isBroken() {
      return isBroken;
    },
    release(broken = false) {
      client.removeListener('error', note);
      client.removeListener('end', note);
      client.release(broken || isBroken);
      released();
    },
  };
}

const ignore = (): void => {};
