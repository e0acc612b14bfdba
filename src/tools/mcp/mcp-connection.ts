import { toErrorInfo, WorkflowError } from '../../core/errors/errors.ts';
import { shorten } from '../../core/errors/shorten.ts';
import { isObject } from '../../core/util/is-object.ts';
import { untilAborted } from '../../core/util/until-aborted.ts';
import { implementation } from './implementation.ts';
import type { McpClientSdk, McpRequestOptions, McpSdkClient } from './mcp-sdk.ts';
import type { McpServerAddress } from './mcp-transports.ts';
import { visibleText } from './visible-text.ts';

export interface McpConnectionOptions {
  readonly server: McpServerAddress;
  readonly sdk: () => Promise<McpClientSdk>;
  readonly connectTimeoutMs: number;
  readonly maxMessageBytes: number;
  /** Runs on each new connection, before any other request. */
  readonly onConnected: (live: LiveConnection) => Promise<void>;
  /** Called when the server reports that its tools have changed. */
  readonly onListChanged: (live: LiveConnection) => void;
}

/** A single connection, until it is lost. */
export interface LiveConnection {
  /** True once the connection is lost; pending requests get no answer. */
  readonly isLost: boolean;
  readonly serverInfo: { readonly name: string; readonly version: string };
  request(method: string, params: object, options: McpRequestOptions): Promise<Readonly<Record<string, unknown>>>;
}

/** Connects to a server on the first request, and reconnects after the connection is lost. */
export class McpConnection {
  readonly #options: McpConnectionOptions;
  #opening: Promise<LiveConnection> | undefined;
  #client: McpSdkClient | undefined;
  #isClosed = false;

  constructor(options: McpConnectionOptions) {
    this.#options = options;
  }

  /** @throws {WorkflowError} `MCP_UNAVAILABLE`, and the errors of `onConnected`. */
  live(signal?: AbortSignal): Promise<LiveConnection> {
    if (this.#isClosed)
      return Promise.reject(unavailable(this.#options.server, 'The connection was closed by this client', { retryable: false }));
    this.#opening ??= this.#open();
    return untilAborted(this.#opening, signal);
  }

  /** Closes a connection that is no longer usable. */
  async drop(): Promise<void> {
    const client = this.#client;
    this.#forget(client);
    await client?.close().catch(() => {});
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opening = this.#opening;
    await this.drop();
    await opening?.then(
      () => this.drop(),
      () => {},
    );
  }

  #forget(client: McpSdkClient | undefined): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#opening = undefined;
  }

  async #open(): Promise<LiveConnection> {
    const { server, connectTimeoutMs, maxMessageBytes, onConnected, onListChanged } = this.#options;
    let client: McpSdkClient | undefined;
    try {
      const { Client, ResultSchema } = await this.#options.sdk();
      const transport = await server.open({ maxMessageBytes });
      const opened = new Client({ ...implementation }, { capabilities: {} });
      client = opened;
      this.#client = client;
      let isLost = false;
      const live: LiveConnection = {
        get isLost() {
          return isLost;
        },
        get serverInfo() {
          const { name = '', version = '' } = opened.getServerVersion() ?? {};
          return { name: shorten(visibleText(name), 100), version: shorten(visibleText(version), 100) };
        },
        async request(method, params, options) {
          const result = await opened.request({ method, params }, ResultSchema, options);
          return isObject(result) ? result : {};
        },
      };
      client.onclose = () => {
        isLost = true;
        this.#forget(opened);
      };
      client.onerror = ({ message }) => {
        // the server is gone, so no further request would get an answer
        if (/^Maximum reconnection attempts/.test(message)) void opened.close().catch(() => {});
      };
      client.fallbackNotificationHandler = async ({ method }) => {
        if (method === 'notifications/tools/list_changed') onListChanged(live);
      };
      await client.connect(transport, { timeout: connectTimeoutMs, maxTotalTimeout: connectTimeoutMs });
      await onConnected(live);
      if (this.#isClosed) throw unavailable(server, 'The connection was closed by this client', { retryable: false });
      return live;
    } catch (cause) {
      this.#opening = undefined;
      this.#forget(client);
      void client?.close().catch(() => {});
      if (WorkflowError.isInstance(cause)) throw cause;
      throw unavailable(server, ...(spawnFault(cause) ?? [reasonOf(cause), { cause }]));
    }
  }
}

type Fault = readonly [why: string, details: Parameters<typeof unavailable>[2]];

/** Error for a server program that did not start; `undefined` when it started. */
function spawnFault(cause: unknown): Fault | undefined {
  const { code, syscall = '' } = cause as Partial<NodeJS.ErrnoException>;
  if (!/^spawn /.test(syscall)) return undefined;
  const program = visibleText(shorten(syscall.slice('spawn '.length), 200));
  const why = code === 'ENOENT' ? `the program "${program}" does not exist` : `the program "${program}" does not start (${code})`;
  return [why, { cause, retryable: false, hint: 'Check its spelling and the PATH, or pass its full path.' }];
}

/** Message of an error with its causes: `fetch failed` alone says nothing. */
export function reasonOf(thrown: unknown): string {
  const { message } = toErrorInfo(thrown);
  const cause = thrown instanceof Error && thrown.cause !== undefined ? toErrorInfo(thrown.cause).message : '';
  return shorten(visibleText(cause === '' ? message : `${message} (${cause})`), 500);
}

export function unavailable(
  server: McpServerAddress,
  why: string,
  {
    retryable = true,
    hint = 'Check that it runs, and whether it needs a token.',
    cause,
  }: { readonly retryable?: boolean; readonly hint?: string; readonly cause?: unknown } = {},
): WorkflowError {
  const words = server.lastWords?.() ?? '';
  return new WorkflowError({
    code: 'MCP_UNAVAILABLE',
    message: `The MCP server ${shorten(server.address, 200)} cannot be used: ${why.replace(/\.$/, '')}.${words === '' ? '' : ` Its last output: ${words}`}`,
    hint,
    retryable,
    data: { server: shorten(server.address, 1_000) },
    cause,
  });
}
