import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AnyWorkflow } from '../../../engine/define/define-workflow.ts';
import { createCensor } from '../../../inspect/censor.ts';
import { inspectorPage } from '../page/inspector-page.ts';
import { AppActors } from './app-actors.ts';
import { DatabaseWatch, type Found } from './database-watch.ts';
import { FeedClient } from './feed-client.ts';
import { mayConnect, requestedResource, type ServerAccess } from './requested-resource.ts';
import { acceptWebSocket, type WebSocketConnection } from './web-socket.ts';

/** Place of this module in the build, also when it runs from source. */
const built = import.meta.url.endsWith('.ts') ? import.meta.url.replace(/(.*)\/src\//, '$1/dist/src/') : import.meta.url;

/** Reads the built script of the page. @throws `ENOENT` in a clone without a build. */
const pageScript = (): Promise<string> => readFile(new URL('../page/page-script.js', built), 'utf8');

export interface InspectorServerOptions {
  /** Database whose runs are shown. It may be created later. Absent: no database. */
  readonly db?: string | undefined;
  /** @default 0, which selects a free port */
  readonly port?: number | undefined;
  /** Returns the workflow of an id if this program has it. Default: none. */
  readonly workflowOf?: ((id: string) => Promise<AnyWorkflow | undefined>) | undefined;
  /** Pause between two reads of the database while a page is connected, in milliseconds. @default 300 */
  readonly pauseMs?: number | undefined;
}

/** Inspector served on this machine. */
export interface InspectorServer {
  /** URL of the page. It contains the token. */
  readonly url: string;
  /** URL for `createWebSocketInspector({ url })` of `@statelyai/inspect`. */
  readonly webSocketUrl: string;
  close(): Promise<void>;
}

/** Maximum numbers of simultaneous connections: `maxConnections` in total, `maxClients` each for pages and apps. */
const maxConnections = 50;
const maxClients = 20;

const maxMessageBytes = 4 * 1024 * 1024;

const beatMs = 15_000;

/** Interval in which messages of apps are collected before sending, in milliseconds. */
const togetherMs = 30;

/** Minimum pause after a read, as a multiple of its duration. Limits the load of a large database. */
const politeness = 5;

/**
 * Serves the inspector on the loopback interface, at a URL with a token.
 *
 * @throws errors of listening, such as `EADDRINUSE`; `ENOENT` in a clone without a build.
 */
export async function createInspectorServer(options: InspectorServerOptions = {}): Promise<InspectorServer> {
  const inspector = new Inspector(options, await pageScript());
  return inspector.listen(options.port ?? 0);
}

class Inspector {
  readonly #token = randomBytes(24).toString('base64url');
  readonly #server = createServer({ maxHeaderSize: 16_384 }, (request, response) => this.#answer(request, response));
  readonly #clients = new Set<FeedClient>();
  readonly #sockets = new Set<WebSocketConnection>();
  readonly #actors: AppActors;
  readonly #database: DatabaseWatch | undefined;
  readonly #options: InspectorServerOptions;
  readonly #script: string;
  #port = 0;
  #found: Found = { runs: [], contents: new Map() };
  #timer: NodeJS.Timeout | undefined;
  #telling: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #again = false;
  #closed = false;

  constructor(options: InspectorServerOptions, script: string) {
    const { db, workflowOf = async () => undefined } = options;
    const censor = createCensor({});
    this.#options = options;
    this.#script = script;
    this.#actors = new AppActors(censor, () => Date.now());
    this.#database = db === undefined ? undefined : new DatabaseWatch({ path: db, workflowOf, censor });
    this.#server.maxConnections = maxConnections;
    this.#server.on('upgrade', (request, socket, head) => {
      if (!mayConnect(request, this.#access) || this.#sockets.size >= maxClients) {
        socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      const take = this.#actors.connect();
      const onMessage = (text: string): void => {
        take(text);
        this.#tellSoon();
      };
      const connection = acceptWebSocket({ request, socket, head, maxBytes: maxMessageBytes, onMessage });
      if (!connection) return;
      this.#sockets.add(connection);
      socket.on('close', () => this.#sockets.delete(connection));
    });
    this.#server.on('clientError', (_error, socket) => void socket.destroy());
  }

  async listen(port: number): Promise<InspectorServer> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening'); // rejects with the error of `listen`
    this.#port = (this.#server.address() as AddressInfo).port;
    const place = `127.0.0.1:${this.#port}/${this.#token}/`;
    const beat = setInterval(() => {
      for (const client of this.#clients) client.beat();
    }, beatMs);
    return {
      url: `http://${place}`,
      webSocketUrl: `ws://${place}`,
      close: async () => {
        clearInterval(beat);
        await this.#close();
      },
    };
  }

  get #access(): ServerAccess {
    return { token: this.#token, port: this.#port };
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const nonce = randomBytes(16).toString('base64url');
    for (const [name, value] of Object.entries(headersWith(nonce))) response.setHeader(name, value);
    request.resume();
    const requested = requestedResource(request, this.#access);
    if ('refused' in requested) {
      response.writeHead(requested.refused, requested.refused === 405 ? { allow: 'GET' } : {}).end();
    } else if (requested.for === 'page') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(inspectorPage({ nonce, script: this.#script }));
    } else if (this.#clients.size >= maxClients) {
      response.writeHead(503).end();
    } else {
      const client = new FeedClient(response, this.#options.db, requested.run);
      this.#clients.add(client);
      response.on('close', () => this.#clients.delete(client));
      if (this.#database) this.#look();
      else this.#tell();
    }
  }

  /** Reads the database, and repeats while a page is connected. */
  #look(): void {
    if (this.#looking) {
      this.#again = true; // a page has connected during the read
      return;
    }
    if (this.#closed || !this.#database) return;
    clearTimeout(this.#timer);
    this.#again = false;
    const started = performance.now();
    this.#looking = this.#database.look(this.#wanted()).then((found) => {
      this.#looking = undefined;
      this.#found = found;
      this.#tell();
      if (this.#again) this.#look();
      else if (this.#clients.size > 0 && !this.#closed) {
        const pauseMs = Math.max(this.#options.pauseMs ?? 300, politeness * (performance.now() - started));
        this.#timer = setTimeout(() => this.#look(), pauseMs);
      }
    });
  }

  #wanted(): ReadonlySet<string> {
    return new Set([...this.#clients].flatMap(({ run }) => run ?? []));
  }

  /** Delays sending, because apps may send hundreds of messages at once. */
  #tellSoon(): void {
    if (this.#closed) return;
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      this.#tell();
    }, togetherMs);
  }

  #tell(): void {
    const actors = this.#actors.runs();
    const runs = [...actors, ...this.#found.runs].sort((a, b) => b.startedAt - a.startedAt);
    for (const client of this.#clients) {
      const { run } = client;
      const contents = run === undefined ? undefined : (this.#actors.contents(run) ?? this.#found.contents.get(run));
      client.update({ runs, contents, trouble: this.#found.trouble });
    }
  }

  async #close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#telling);
    for (const client of this.#clients) client.end();
    for (const socket of this.#sockets) socket.close();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#looking;
    await this.#database?.close();
    await closed;
  }
}

/** Headers of every response. The URL contains the token, so it must not be sent as a referrer. */
const headersWith = (nonce: string): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});
