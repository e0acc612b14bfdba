import { optionalPackage, type PackageOrLoader } from '../../core/util/optional-package.ts';
import type { Fetch } from './bounded-fetch.ts';

/** A transport of the SDK, which carries messages to a server. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: object, options?: object): Promise<void>;
  close(): Promise<void>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: McpErrorMessage) => void;
}

/** A JSON-RPC error response. */
export interface McpErrorMessage {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/** Request options of the SDK. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly maxTotalTimeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly onprogress?: (progress: { readonly progress: number; readonly total?: number; readonly message?: string }) => void;
}

/** The part of the SDK's `Client` that this package uses. */
export interface McpSdkClient {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  fallbackNotificationHandler?: (notification: { readonly method: string }) => Promise<void>;
  connect(transport: McpTransport, options?: McpRequestOptions): Promise<void>;
  request(
    request: { readonly method: string; readonly params?: object },
    resultSchema: unknown,
    options?: McpRequestOptions,
  ): Promise<unknown>;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  close(): Promise<void>;
}

/** The part of `@modelcontextprotocol/sdk` that a client needs. */
export interface McpClientSdk {
  /** From `@modelcontextprotocol/sdk/client/index.js`. */
  readonly Client: new (
    info: { name: string; version: string },
    options?: object,
  ) => McpSdkClient;
  /** From `@modelcontextprotocol/sdk/client/streamableHttp.js`. */
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options?: { fetch: Fetch; requestInit: { headers: Record<string, string> } },
  ) => McpTransport;
  /** From `@modelcontextprotocol/sdk/types.js`. */
  readonly ResultSchema: unknown;
}

export const sdkPackage = '@modelcontextprotocol/sdk';

/** @throws {WorkflowError} `ADAPTER_MISSING`. */
export const loadClientSdk = (handedIn: PackageOrLoader<McpClientSdk> | undefined): Promise<McpClientSdk> =>
  optionalPackage(sdkPackage, importClientSdk, handedIn);

async function importClientSdk(): Promise<McpClientSdk> {
  const [{ Client }, { StreamableHTTPClientTransport }, { ResultSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { Client, StreamableHTTPClientTransport, ResultSchema };
}
