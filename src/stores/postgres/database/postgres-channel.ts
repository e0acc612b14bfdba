import { pause } from '../../../core/util/pause.ts';
import { growingDelay } from '../../../core/util/retryer.ts';
import { systemClock } from '../../../core/util/system-clock.ts';
import type { PostgresNotification } from './postgres-client.ts';
import type { HeldConnection } from './postgres-connections.ts';
import type { PostgresDatabase } from './postgres-database.ts';

export interface PostgresChannelOptions {
  readonly database: PostgresDatabase;
  /** Channel name for `LISTEN`, without quotes. */
  readonly name: string;
  /** Called with each text of another process. `undefined` means that listening has started or ended, so texts may have been missed. */
  readonly onText: (text: string | undefined) => void;
}

/**
 * Pause between two `pg_notify` statements, in milliseconds. Texts of the pause are sent together, because each statement costs as much as
 * a read.
 */
const sendPauseMs = 20;
/** Time limit of the wait for the channel's own test message, in milliseconds. Behind a pooler it never arrives. */
const echoMs = 5_000;
const reconnectPolicy = { firstDelayMs: 100, longestDelayMs: 10_000 };

/**
 * Exchanges texts with other processes on the same database. Texts are not stored, so a process that misses one has to poll. They are sent
 * outside the transaction they report, because commits that notify are serialized across the server.
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

  /** True while all texts of other processes arrive. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Queues a text for all other processes. Delivery is not guaranteed. */
  send(text: string): void {
    this.#unsent.add(text);
    this.#sending ??= this.#sendAll();
  }

  /** Starts listening if the pool can spare a connection. */
  listen(): void {
    this.#listening ??= this.#listen();
  }

  /** Sends the queued texts. Call it before closing the database. */
  async close(): Promise<void> {
    if (this.#unsent.size > 0) await this.#sendOnce();
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    const { closing } = this.#options.database;
    while (this.#unsent.size > 0 && !closing.aborted) {
      await this.#sendOnce();
      await pause(sendPauseMs, background, closing).catch(() => {});
    }
    this.#sending = undefined;
  }

  async #sendOnce(): Promise<void> {
    const { database, name } = this.#options;
    const texts = [...this.#unsent].map((text) => `${this.#name} ${text}`);
    this.#unsent.clear();
    // Decision 348: not in the commit; notifying commits are serialized across the server.
    await database.runOnce('SELECT pg_notify($1, said) FROM unnest($2::text[]) AS said', name, texts).catch(() => {}); // receivers also poll
  }

  /** Never rejects. */
  async #listen(): Promise<void> {
    const { database } = this.#options;
    for (let attempt = 1; !database.closing.aborted; attempt++) {
      try {
        const connection = await database.reserve();
        if (!connection || !(await this.#receive(connection))) return;
        attempt = 0;
      } catch {
        // the server is unreachable for now
      }
      await pause(growingDelay(attempt, reconnectPolicy), background, database.closing).catch(() => {});
    }
  }

  /** Listens until the connection ends. Returns false if the connection does not deliver notifications. */
  async #receive(connection: HeldConnection): Promise<boolean> {
    const { database, name, onText } = this.#options;
    const { client } = connection;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    const echo = Promise.withResolvers<void>();
    const listener = ({ channel, payload = '' }: PostgresNotification): void => {
      if (channel !== name) return;
      const [sender = ''] = payload.split(' ', 1);
      if (sender !== this.#name) onText(payload.slice(sender.length + 1));
      else if (payload === `${sender} ${name}`) echo.resolve();
    };
    client.on('notification', listener);
    client.on('end', end);
    client.on('error', end);
    client.unref?.();
    const over = AbortSignal.any([ended.signal, database.closing]);
    try {
      await client.query({ text: `LISTEN "${name}"` });
      await database.runOnce('SELECT pg_notify($1, $2)', name, `${this.#name} ${name}`);
      const isEchoed = await Promise.race([
        echo.promise.then(() => true),
        pause(echoMs, background, over).then(
          () => false,
          () => true,
        ),
      ]);
      if (!isEchoed) return false;
      this.#isLive = !over.aborted;
      onText(undefined);
      await new Promise<void>((resolve) => (over.aborted ? resolve() : over.addEventListener('abort', () => resolve(), { once: true })));
      return true;
    } finally {
      this.#isLive = false;
      client.removeListener('notification', listener);
      client.removeListener('end', end);
      client.removeListener('error', end);
      connection.release(true); // the connection would keep listening
      if (!database.closing.aborted) onText(undefined);
    }
  }
}

/** Timers that do not keep the process alive. */
const background: Parameters<typeof pause>[1] = {
  schedule: (delayMs, callback) => systemClock.schedule(delayMs, callback, { background: true }),
};
