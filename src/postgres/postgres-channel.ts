import { pause } from '../util/pause.ts';
import { growingDelay } from '../util/retryer.ts';
import { systemClock } from '../util/system-clock.ts';
import type { PostgresNotification } from './postgres-client.ts';
import type { HeldConnection } from './postgres-connections.ts';
import type { PostgresDatabase } from './postgres-database.ts';

export interface PostgresChannelOptions {
  readonly database: PostgresDatabase;
  /** As `LISTEN` takes it, without quotes. */
  readonly name: string;
  /** Is given what others have sent; `undefined`: from now on all is heard, or not any more, so that something may have been missed. */
  readonly heard: (text: string | undefined) => void;
}

/** Between two statements that send, in milliseconds: what is to be sent meanwhile goes together, for each of them costs as much as a read. */
const quietMs = 20;
/** How long it is waited for one's own word, in milliseconds: behind a pooler, it never comes. */
const echoMs = 5_000;
const lookPolicy = { firstDelayMs: 100, longestDelayMs: 10_000 };

/**
 * Tells other processes on the same database something, and hears them. Nothing that is said is kept: who misses it has to look. It is sent
 * apart from what it is about, because a commit that also notifies waits for every other one on the server.
 */
export class PostgresChannel {
  readonly #options: PostgresChannelOptions;
  readonly #name = crypto.randomUUID();
  readonly #unsent = new Set<string>();
  #sending: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  #isLive = false;

  constructor(options: PostgresChannelOptions) {
    this.#options = options;
  }

  /** True while everything that others send is heard. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Sends a text to all others: soon, and not surely. */
  send(text: string): void {
    this.#unsent.add(text);
    this.#sending ??= this.#sendAll();
  }

  /** Hears others from now on, if a connection can be spared. */
  listen(): void {
    this.#listening ??= this.#listen();
  }

  /** Sends what is left, before the database is closed. */
  async close(): Promise<void> {
    if (this.#unsent.size > 0) await this.#sendOnce();
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    const { closing } = this.#options.database;
    while (this.#unsent.size > 0 && !closing.aborted) {
      await this.#sendOnce();
      await pause(quietMs, background, closing).catch(() => {});
    }
    this.#sending = undefined;
  }

  async #sendOnce(): Promise<void> {
    const { database, name } = this.#options;
    const texts = [...this.#unsent].map((text) => `${this.#name} ${text}`);
    this.#unsent.clear();
    await database.atOnce('SELECT pg_notify($1, said) FROM unnest($2::text[]) AS said', name, texts).catch(() => {}); // they look themselves
  }

  /** Never rejects. */
  async #listen(): Promise<void> {
    const { database } = this.#options;
    for (let attempt = 1; !database.closing.aborted; attempt++) {
      try {
        const connection = await database.spare();
        if (!connection || !(await this.#hear(connection))) return;
        attempt = 0;
      } catch {
        // the server is gone for now
      }
      await pause(growingDelay(attempt, lookPolicy), background, database.closing).catch(() => {});
    }
  }

  /** Hears until the connection ends. False when nothing is ever heard on it. */
  async #hear(connection: HeldConnection): Promise<boolean> {
    const { database, name, heard } = this.#options;
    const { client } = connection;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    const echo = Promise.withResolvers<void>();
    const listener = ({ channel, payload = '' }: PostgresNotification): void => {
      if (channel !== name) return;
      const [sender = ''] = payload.split(' ', 1);
      if (sender !== this.#name) heard(payload.slice(sender.length + 1));
      else if (payload === `${sender} ${name}`) echo.resolve();
    };
    client.on('notification', listener);
    client.on('end', end);
    client.on('error', end);
    client.unref?.();
    const over = AbortSignal.any([ended.signal, database.closing]);
    try {
      await client.query({ text: `LISTEN "${name}"` });
      await database.atOnce('SELECT pg_notify($1, $2)', name, `${this.#name} ${name}`);
      const isHeard = await Promise.race([
        echo.promise.then(() => true),
        pause(echoMs, background, over).then(
          () => false,
          () => true,
        ),
      ]);
      if (!isHeard) return false;
      this.#isLive = !over.aborted;
      heard(undefined);
      await new Promise<void>((resolve) => (over.aborted ? resolve() : over.addEventListener('abort', () => resolve(), { once: true })));
      return true;
    } finally {
      this.#isLive = false;
      client.removeListener('notification', listener);
      client.removeListener('end', end);
      client.removeListener('error', end);
      connection.release(true); // it would hear on
      if (!database.closing.aborted) heard(undefined);
    }
  }
}

/** Its timers keep no process alive. */
const background: Parameters<typeof pause>[1] = {
  schedule: (delayMs, callback) => systemClock.schedule(delayMs, callback, { background: true }),
};
