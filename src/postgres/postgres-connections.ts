import { type HandedIn, optionalPackage } from '../util/optional-package.ts';
import { PostgresCheckouts } from './postgres-checkouts.ts';
import type { PooledPostgresClient, PostgresClient, PostgresPackage, PostgresPool } from './postgres-client.ts';
import type { PostgresPlace } from './postgres-place.ts';

export interface PostgresConnectionsOptions extends PostgresPlace {
  /** The most connections of a pool of our own. */
  readonly poolSize: number;
  readonly pg: HandedIn<PostgresPackage> | undefined;
}

/** How long a pool of our own waits for a connection, and a connection for an answer, in milliseconds: behind them is a server that is gone. */
const connectMs = 10_000;
const answerMs = 60_000;

const importPg = (): Promise<PostgresPackage> => import(/* @vite-ignore */ packageName);
const packageName: string = 'pg';

/** How many connections of a pool are kept for long, by all stores on it. */
const spared = new WeakMap<PostgresPool, number>();
/** Of a pool that does not say how large it is. */
const usualPoolSize = 10;

/** A connection as long as somebody uses it alone. */
export interface HeldConnection {
  readonly client: PostgresClient;
  /** True when the connection was lost while it was held. */
  readonly isBroken: boolean;
  /** With `broken`, nobody else gets the connection. */
  release(broken?: boolean): void;
}

/** Gives out the connections of a pool, one at a time those of one client. */
export class PostgresConnections {
  readonly #options: PostgresConnectionsOptions;
  #pool: Promise<PostgresPool> | undefined;
  /** Settles when the one client that there is becomes free. */
  #turn: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: PostgresConnectionsOptions) {
    this.#options = options;
    // without anybody who hears it, a connection that is lost while it is idle would end the process
    if (options.pool) PostgresCheckouts.of(options.pool).join();
    options.client?.on('error', ignore);
  }

  /** A connection that is kept for long; `undefined` where none would be left for statements, whoever else keeps some of the same pool. */
  async spare(): Promise<HeldConnection | undefined> {
    if (this.#options.client) return undefined;
    const pool = await this.#open();
    const kept = spared.get(pool) ?? 0;
    if ((pool.options?.max ?? usualPoolSize) - kept < 2) return undefined;
    spared.set(pool, kept + 1);
    const giveBack = (): void => void spared.set(pool, (spared.get(pool) ?? 1) - 1);
    try {
      return await PostgresCheckouts.of(pool).next((client) => held(client, giveBack));
    } catch (cause) {
      giveBack();
      throw cause;
    }
  }

  /** @throws what `pg` throws; `ADAPTER_MISSING`. */
  async hold(): Promise<HeldConnection> {
    if (this.#isClosed) throw new Error('it is closed');
    const { client } = this.#options;
    return client ? this.#takeTurn(client) : PostgresCheckouts.of(await this.#open()).next((pooled) => held(pooled));
  }

  /** Closes what was opened here. */
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

/** Whoever has a connection of a pool has to hear of its end. */
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
