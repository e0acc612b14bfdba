import type { PooledPostgresClient, PostgresClient, PostgresPool } from './postgres-client.ts';

/** A `Pool` of `pg` emits `acquire` as soon as it assigns a connection. A look-alike pool may not. */
type AcquiringPool = PostgresPool & {
  on(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
  removeListener(event: 'acquire', listener: (client: PostgresClient) => void): unknown;
};

const ofPools = new WeakMap<PostgresPool, PostgresCheckouts>();

/**
 * Checks connections out of a pool, for all stores on it. A lost connection without an `error` listener ends the process. The pool removes
 * its listener before the promise with the connection settles, and an error in the same packet can fall into that gap. This class keeps a
 * listener attached throughout.
 */
export class PostgresCheckouts {
  readonly #pool: AcquiringPool;
  readonly #unheard = new Set<PostgresClient>();
  #stores = 0;
  #asked = 0;

  /** Returns the instance of a pool. One instance serves all stores, so each connection gets one listener. */
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

  /** Handles errors of idle connections until `leave` has been called as often as `join`. */
  join(): void {
    if (this.#stores++ === 0) this.#pool.on('error', ignore);
  }

  leave(): void {
    if (--this.#stores === 0) this.#pool.removeListener('error', ignore);
  }

  /**
   * @param take attaches the caller's own error listener.
   * @throws errors of the pool.
   */
  async next<T>(take: (client: PooledPostgresClient) => T): Promise<T> {
    // Decision 418: an error between checkout and the caller's listener ended the process.
    if (this.#asked++ === 0) this.#pool.on('acquire', this.#hear);
    try {
      return take(await this.#pool.connect());
    } finally {
      if (--this.#asked === 0) this.#rest();
    }
  }

  /**
   * The event does not identify the caller of a connection, nor when its promise is handled. All connections keep a listener until no
   * caller waits.
   */
  readonly #hear = (client: PostgresClient): void => {
    // a pool that treats every event as 'error' passes its errors here
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
