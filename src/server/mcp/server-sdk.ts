import { optionalPackage, type PackageOrLoader } from '../../core/util/optional-package.ts';
import { sdkPackage } from '../../tools/mcp/mcp-sdk.ts';
import type { LogLevel } from './run-log.ts';

export interface McpHandlerContext {
  readonly signal: AbortSignal;
  readonly _meta?: { readonly progressToken?: string | number };
  sendNotification(
    notification:
      | { readonly method: 'notifications/progress'; readonly params: McpProgressParams }
      | { readonly method: 'notifications/message'; readonly params: McpLogParams },
  ): Promise<void>;
  sendRequest(
    request: object,
    resultSchema: unknown,
    options?: { readonly timeout?: number; readonly signal?: AbortSignal },
  ): Promise<unknown>;
}

interface McpProgressParams extends Record<string, unknown> {
  readonly progressToken: string | number;
  readonly progress: number;
  readonly message?: string;
}

interface McpLogParams extends Record<string, unknown> {
  readonly level: LogLevel;
  readonly logger: string;
  readonly data: unknown;
}

export interface McpRequest {
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The part of the SDK's `Server` that this package uses. */
export interface McpSdkServer {
  readonly transport?: object | undefined;
  onclose?: () => void;
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  getClientCapabilities(): { readonly elicitation?: { readonly form?: object; readonly url?: object } } | undefined;
  setRequestHandler(schema: unknown, handler: (request: McpRequest, context: McpHandlerContext) => Promise<Record<string, unknown>>): void;
}

/** The part of `@modelcontextprotocol/sdk` that a server needs. */
export interface McpServerSdk {
  /** From `@modelcontextprotocol/sdk/server/index.js`. */
  readonly Server: new (
    info: { name: string; version: string; title?: string },
    options?: object,
  ) => McpSdkServer;
  /** From `@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js`. */
  readonly WebStandardStreamableHTTPServerTransport: new (options?: {
    sessionIdGenerator?: () => string;
    onsessioninitialized?: (sessionId: string) => void;
    onsessionclosed?: (sessionId: string) => void;
    maxRequestBodySize?: number;
  }) => McpHttpTransport;
  /** From `@modelcontextprotocol/sdk/types.js`. */
  readonly schemas: {
    readonly CallToolRequestSchema: unknown;
    readonly ListToolsRequestSchema: unknown;
    readonly ListResourcesRequestSchema: unknown;
    readonly ListResourceTemplatesRequestSchema: unknown;
    readonly ReadResourceRequestSchema: unknown;
    readonly ListPromptsRequestSchema: unknown;
    readonly GetPromptRequestSchema: unknown;
    readonly CompleteRequestSchema: unknown;
    readonly SetLevelRequestSchema: unknown;
    readonly ResultSchema: unknown;
    readonly McpError: new (code: number, message: string) => Error;
  };
}

export interface McpHttpTransport {
  handleRequest(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** @throws {WorkflowError} `ADAPTER_MISSING`. */
export const loadServerSdk = (handedIn: PackageOrLoader<McpServerSdk> | undefined): Promise<McpServerSdk> =>
  optionalPackage(sdkPackage, importServerSdk, handedIn);

async function importServerSdk(): Promise<McpServerSdk> {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, schemas] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { Server, WebStandardStreamableHTTPServerTransport, schemas };
}
