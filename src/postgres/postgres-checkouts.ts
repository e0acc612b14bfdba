import type { PooledPostgresClient, PostgresClient, PostgresPool } from './postgres-client.ts';

/** A `Pool` of `pg` says at once whom it gives a connection to; one that only looks like it need not. */
type AcquiringPool = PostgresPool & {
  on(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
  removeListener(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
};

const ofPools = new WeakMap<PostgresPool, PostgresCheckouts>();

/**
 * Takes connections out of a pool, for all stores on it, so that none of them is ever unheard: a connection that is lost while nobody hears
 * it ends the process. The pool stops to hear it before it gives it away, and whoever gets it hears it when a promise has told so: what the
 * server has said in the same packet comes between them.
 */
export class PostgresCheckouts {
  readonly #pool: AcquiringPool;
  readonly #unheard = new Set<PostgresClient>();
  #stores = 0;
  #asked = 0;

  /** The one of a pool: each of its connections is heard once, however many stores there are. */
  static of(pool: PostgresPool): PostgresCheckouts {
    const known = ofPools.get(pool);
    if (known) return known;
    const made = new PostgresCheckouts(pool);
    ofPools.set(pool, made);
    return made;
  }

  private constructor(pool: PostgresPool) {
    this.#pool = pool as AcquiringPool;
  }

  /** Hears of connections that are lost while they are idle, until as many have left as have come. */
  join(): void {
    if (this.#stores++ === 0) this.#pool.on('error', ignore);
  }

  leave(): void {
    if (--this.#stores === 0) this.#pool.removeListener('error', ignore);
  }

  /**
   * @param take hears the connection from then on.
   * @throws what the pool throws.
   */
  async next<T>(take: (client: PooledPostgresClient) => T): Promise<T> {
    if (this.#asked++ === 0) this.#pool.on('acquire', this.#hear);
    try {
      return take(await this.#pool.connect());
    } finally {
      if (--this.#asked === 0) this.#rest();
    }
  }

  /** Nobody says whose a connection becomes, or when the promise of it is heard: all of them are held until nobody waits. */
  readonly #hear = (client: PostgresClient): void => {
    // a pool that takes every event for 'error' tells of those
    if (client instanceof Error || this.#unheard.has(client)) return;
    this.#unheard.add(client);
    client.on('error', ignore);
  };

  #rest(): void {
    this.#pool.removeListener('acquire', this.#hear);
    for (const client of this.#unheard) client.removeListener('error', ignore);
    this.#unheard.clear();
  }
}

const ignore = (): void => {};
