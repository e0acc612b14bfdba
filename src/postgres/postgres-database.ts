import { WorkflowError } from '../errors.ts';
import { hash } from '../util/hash.ts';
import { growingDelay, retryWith } from '../util/retryer.ts';
import { systemClock } from '../util/system-clock.ts';
import type { PostgresClient } from './postgres-client.ts';
import { type HeldConnection, PostgresConnections, type PostgresConnectionsOptions } from './postgres-connections.ts';
import { troubleOf } from './postgres-trouble.ts';

export interface PostgresDatabaseOptions extends PostgresConnectionsOptions {
  /** How long an operation is tried again while the server is not there, in milliseconds. */
  readonly patienceMs: number;
  /** Connections are shared behind a pooler that gives them away after each transaction: they remember nothing. */
  readonly pooler: boolean;
  /** Is called in a transaction before anything else: to look whose the tables are, and to make them. */
  readonly prepare: (session: PostgresSession) => Promise<void>;
  /** What is thrown for an error of the server's, or of the package's. */
  readonly toError: (cause: unknown) => WorkflowError;
}

/** What a `$1` takes. */
export type PostgresValue = null | number | string | readonly (number | string | null)[];

/** A row, each column as the text that the server has sent: numbers are read by whoever knows how large they can be. */
export type TextRow = Readonly<Record<string, string | null>>;

/** Statements of one connection. */
export interface PostgresSession {
  all(sql: string, ...values: readonly PostgresValue[]): Promise<readonly TextRow[]>;
  one(sql: string, ...values: readonly PostgresValue[]): Promise<TextRow | undefined>;
}

/** The pauses before another attempt: where the server is gone, and where others were faster. In milliseconds. */
const gonePolicy = { firstDelayMs: 50, longestDelayMs: 1_000 };
const againPolicy = { firstDelayMs: 4, longestDelayMs: 250 };

const asText = { getTypeParser: () => (value: string) => value };

/** A database of a server: its transactions, each with a connection for as long as it lasts, and what is done when the server goes. */
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
   * All of `work` is written, or nothing of it. It is called again when others were faster, or the server was gone.
   *
   * @param work `mayBeWritten`: an attempt before this one has ended while it was committed, so that nobody knows whether it was. What it
   *   has locked is free by the time that this one can lock it.
   */
  transaction<T>(work: (session: PostgresSession, mayBeWritten: boolean) => Promise<T>): Promise<T> {
    let mayBeWritten = false;
    return this.#patiently(async () => {
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

  /** Runs a statement that may be run twice. */
  all(sql: string, ...values: readonly PostgresValue[]): Promise<readonly TextRow[]> {
    return this.#patiently(async () => this.#once(await this.#hold(), sql, values));
  }

  /** The first row of a statement that may be run twice. */
  async one(sql: string, ...values: readonly PostgresValue[]): Promise<TextRow | undefined> {
    const [row] = await this.all(sql, ...values);
    return row;
  }

  /**
   * Runs a statement that must not be run twice. No rows, too, when the server has undone it because others were faster; `undefined`: the
   * server was gone meanwhile, and nobody knows whether it was run.
   */
  atOnce(sql: string, ...values: readonly PostgresValue[]): Promise<readonly TextRow[] | undefined> {
    return this.#patiently(async () => {
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

  /** A connection to be kept, for as long as it lives: `undefined` when none can be spared. */
  async spare(): Promise<HeldConnection | undefined> {
    if (this.#options.pooler || this.#closing.signal.aborted) return undefined;
    await this.#ready();
    return this.#connections.spare();
  }

  /** Aborted when the database is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Waits for what is under way, and closes what was opened here. */
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
      // without values, it is one of those that no connection keeps: BEGIN, or what makes tables
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

  /** Other stores may use the same pool: a name is that of its text, wherever it comes from. */
  #nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const name = `am_${hash(sql).slice(0, 24)}`;
    this.#names.set(sql, name);
    return name;
  }

  /** Does something again while the server is not there, or others are faster. */
  #patiently<T>(work: () => Promise<T>): Promise<T> {
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
 * Whatever the server, the role or the pool have for a default. A process that is stopped in the middle must not keep its locks from those who
 * would take over from it.
 */
const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL idle_in_transaction_session_timeout = 5000';

/** @param unsure told when the connection is lost while it is committed. */
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
