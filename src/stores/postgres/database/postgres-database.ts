import { WorkflowError } from '../../../core/errors/errors.ts';
import { hash } from '../../../core/util/hash.ts';
import { growingDelay, retryWith } from '../../../core/util/retryer.ts';
import { systemClock } from '../../../core/util/system-clock.ts';
import type { PostgresClient } from './postgres-client.ts';
import { type HeldConnection, PostgresConnections, type PostgresConnectionsOptions } from './postgres-connections.ts';
import { troubleOf } from './postgres-trouble.ts';

export interface PostgresDatabaseOptions extends PostgresConnectionsOptions {
  /** Time limit of the retries while the server is unreachable, in milliseconds. */
  readonly patienceMs: number;
  /** True behind a pooler that reassigns connections after each transaction, so that they keep no session state. */
  readonly pooler: boolean;
  /** Called in a transaction before the first use, to check and create the tables. */
  readonly prepare: (session: PostgresSession) => Promise<void>;
  /** Converts an error of the server or of `pg`. */
  readonly toError: (cause: unknown) => WorkflowError;
}

/** Value of a parameter such as `$1`. */
export type PostgresValue = null | number | string | readonly (number | string | null)[];

/** Row with each column as the text that the server sent. The caller parses numbers, because it knows their range. */
export type TextRow = Readonly<Record<string, string | null>>;

/** Statements on one connection. */
export interface PostgresSession {
  all(sql: string, ...values: readonly PostgresValue[]): Promise<readonly TextRow[]>;
  one(sql: string, ...values: readonly PostgresValue[]): Promise<TextRow | undefined>;
}

/** Delays between attempts, in milliseconds: `gonePolicy` for an unreachable server, `againPolicy` for conflicts. */
const gonePolicy = { firstDelayMs: 50, longestDelayMs: 1_000 };
const againPolicy = { firstDelayMs: 4, longestDelayMs: 250 };

const asText = { getTypeParser: () => (value: string) => value };

/** Database on a server. Each transaction holds a connection, and retries conflicts and connection losses. */
export class PostgresDatabase {
  readonly #options: PostgresDatabaseOptions;
  readonly #connections: PostgresConnections;
  readonly #names = new Map<string, string>();
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();
  #prepared: Promise<void> | undefined;

  constructor(options: PostgresDatabaseOptions) {
    this.#options = options;
    this.#connections = new PostgresConnections(options);
  }

  /**
   * Writes all of `work`, or nothing. Retries after a conflict or a connection loss.
   *
   * @param work `mayBeWritten` is true if the connection was lost during an earlier commit, so that its result is unknown. An attempt that
   * gets the locks of the earlier one knows that the earlier one has ended.
   */
  transaction<T>(work: (session: PostgresSession, mayBeWritten: boolean) => Promise<T>): Promise<T> {
    // Decision 346: after a lost commit, the row's checksum under its lock shows whether it was written.
    let mayBeWritten = false;
    return this.#retryStore(async () => {
      const connection = await this.#hold();
      return inTransaction(
        connection,
        this.#sessionOf(connection.client),
        (session) => work(session, mayBeWritten),
        () => {
          mayBeWritten = true;
        },
      );
    });
  }

  /** Runs a statement that is safe to repeat. */
  all(sql: string, ...values: readonly PostgresValue[]): Promise<readonly TextRow[]> {
    return this.#retryStore(async () => this.#once(await this.#hold(), sql, values));
  }

  /** Returns the first row of a statement that is safe to repeat. */
  async one(sql: string, ...values: readonly PostgresValue[]): Promise<TextRow | undefined> {
    const [row] = await this.all(sql, ...values);
    return row;
  }

  /**
   * Runs a statement that must not be repeated. Returns no rows if a conflict rolled it back, and `undefined` if the connection was lost
   * and the result is unknown.
   */
  runOnce(sql: string, ...values: readonly PostgresValue[]): Promise<readonly TextRow[] | undefined> {
    return this.#retryStore(async () => {
      const connection = await this.#hold();
      try {
        return await this.#once(connection, sql, values);
      } catch (cause) {
        const trouble = troubleOf(cause);
        if (trouble === 'other') throw cause;
        return trouble === 'again' ? [] : undefined;
      }
    });
  }

  /** Returns a connection to hold permanently; `undefined` if none can be spared. */
  async reserve(): Promise<HeldConnection | undefined> {
    if (this.#options.pooler || this.#closing.signal.aborted) return undefined;
    await this.#ready();
    return this.#connections.reserve();
  }

  /** Aborted when the database is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Waits for running operations, then closes the pool if the store created it. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('it is closed'));
    await Promise.allSettled(this.#underWay);
    await this.#connections.close();
  }

  async #hold(): Promise<HeldConnection> {
    await this.#ready();
    return this.#connections.hold();
  }

  async #ready(): Promise<void> {
    this.#closing.signal.throwIfAborted();
    this.#prepared ??= this.#prepare().catch((cause: unknown) => {
      this.#prepared = undefined;
      throw cause;
    });
    await this.#prepared;
  }

  async #prepare(): Promise<void> {
    const connection = await this.#connections.hold();
    await inTransaction(connection, this.#sessionOf(connection.client), this.#options.prepare, () => {});
  }

  async #once(connection: HeldConnection, sql: string, values: readonly PostgresValue[]): Promise<readonly TextRow[]> {
    try {
      const rows = await this.#sessionOf(connection.client).all(sql, ...values);
      connection.release();
      return rows;
    } catch (cause) {
      connection.release(troubleOf(cause) === 'gone');
      throw cause;
    }
  }

  #sessionOf(client: PostgresClient): PostgresSession {
    const all: PostgresSession['all'] = async (text, ...values) => {
      const statement = { text, values: values as unknown[], types: asText };
      // statements without values run once, such as BEGIN and CREATE TABLE, and are not prepared
      const isKept = values.length > 0 && !this.#options.pooler;
      const { rows } = await client.query(isKept ? { ...statement, name: this.#nameOf(text) } : statement);
      return rows as readonly TextRow[];
    };
    return {
      all,
      async one(sql, ...values) {
        const [row] = await all(sql, ...values);
        return row;
      },
    };
  }

  /** The name is a hash of the statement's text, because other stores may use the same pool. */
  #nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const name = `am_${hash(sql).slice(0, 24)}`;
    this.#names.set(sql, name);
    return name;
  }

  /** Retries while the server is unreachable, and after conflicts. */
  #retryStore<T>(work: () => Promise<T>): Promise<T> {
    const giveUpAt = systemClock.monotonic() + this.#options.patienceMs;
    const delayOf = (attempt: number, cause: unknown): number | undefined => {
      const trouble = WorkflowError.isInstance(cause) ? 'other' : troubleOf(cause);
      if (trouble === 'other' || this.#closing.signal.aborted || systemClock.monotonic() >= giveUpAt) return undefined;
      return trouble === 'gone' ? growingDelay(attempt, gonePolicy) : Math.random() * growingDelay(attempt, againPolicy);
    };
    const done = retryWith(delayOf, work, systemClock, this.#closing.signal).catch((cause: unknown) => {
      throw WorkflowError.isInstance(cause) ? cause : this.#options.toError(cause);
    });
    const ended: Promise<unknown> = done.catch(() => {}).then(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return done;
  }
}

/**
 * Overrides defaults of the server, role and pool. The timeout releases the locks of a stopped process, so that another process can take
 * over its runs.
 */
const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL idle_in_transaction_session_timeout = 5000';

/** @param unsure called when the connection is lost during the commit. */
async function inTransaction<T>(
  connection: HeldConnection,
  session: PostgresSession,
  work: (session: PostgresSession) => Promise<T>,
  unsure: () => void,
): Promise<T> {
  let isCommitting = false;
  try {
    await session.all(begin);
    const result = await work(session);
    isCommitting = true;
    await session.all('COMMIT');
    connection.release();
    return result;
  } catch (cause) {
    const isGone = connection.isBroken || (!WorkflowError.isInstance(cause) && troubleOf(cause) === 'gone');
    if (isCommitting && isGone) unsure();
    connection.release(isGone || !(await isUndone(session)));
    throw cause;
  }
}

const isUndone = (session: PostgresSession): Promise<boolean> =>
  session.all('ROLLBACK').then(
    () => true,
    () => false,
  );
