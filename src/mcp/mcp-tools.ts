import { WorkflowError } from '../errors.ts';
import type { Tool } from '../ports/tool.ts';
import { checkInteger } from '../util/check-integer.ts';
import type { HandedIn } from '../util/optional-package.ts';
import type { RefusedName } from './listed-tool.ts';
import { loadClientSdk, type McpClientSdk } from './mcp-sdk.ts';
import { httpServer, type McpServerAddress } from './mcp-transports.ts';
import { isServerName } from './remote-name.ts';
import { RemoteTools } from './remote-tools.ts';
import { type McpPins, type McpToolChange, memoryPins } from './tool-pins.ts';

/** What its user says of a tool. What a server says of itself is not gone by. */
export type McpDeclaration = Pick<Tool, 'effect' | 'capabilities' | 'risk' | 'needsApproval' | 'maxOutputBytes' | 'primaryInput'>;

/** What was done of a call, as its server says. */
export interface McpProgress {
  readonly tool: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Where the server is: exactly one of `url` and `server`. */
export interface McpToolsOptions extends McpDeclaration {
  /** Of streamable HTTP. */
  readonly url?: string | URL;
  /** Sent with each request to `url`, for example a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default globalThis.fetch */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** A server that is reached in another way: `stdioServer({ command })` of `agent-machines/mcp/node`. */
  readonly server?: McpServerAddress;
  /** Stands before the names of its tools, and a dot: `[a-zA-Z0-9_-]{1,32}`. @default 'mcp' */
  readonly name?: string;
  /** What is said of single tools, by the server's names for them; the rest as for all: `effect` once, all three capabilities. */
  readonly declare?: Readonly<Record<string, McpDeclaration>>;
  /** The server's names of the tools that are wanted. Default: all. */
  readonly only?: readonly string[];
  /** Which tools were accepted, in which words. @default memoryPins() */
  readonly pins?: McpPins;
  /** How long a call may say nothing, neither an answer nor of progress, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
  /** How long a call may take, in milliseconds. @default 600_000 */
  readonly totalMs?: number;
  /** How long connecting, and each page of the list of tools, may take, in milliseconds. @default 30_000 */
  readonly connectTimeoutMs?: number;
  /** Of one message of the server. @default 8 MiB */
  readonly maxMessageBytes?: number;
  readonly onProgress?: (progress: McpProgress) => void;
  /** Told when tools have been disabled because they are not what was accepted. */
  readonly onChange?: (changes: readonly McpToolChange[]) => void;
  /** `@modelcontextprotocol/sdk`, for a bundler or another copy. Default: imported. */
  readonly sdk?: HandedIn<McpClientSdk>;
}

/** The tools of an MCP server. */
export interface McpTools {
  /** All of them; those that cannot be used say why in `unavailable`. Each looks up itself whether it still is what was accepted. */
  readonly tools: readonly Tool[];
  /** Those that have no name that could be used. */
  readonly refused: readonly RefusedName[];
  /** Those that are not what was accepted. */
  readonly changes: readonly McpToolChange[];
  /** What the server says that its tools do, by their names here. Nothing goes by it. */
  readonly hints: Readonly<Record<string, { readonly readOnly?: boolean; readonly idempotent?: boolean; readonly destructive?: boolean }>>;
  /** As the server calls itself. */
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** Asks for the list of tools again. @throws {WorkflowError} `MCP_UNAVAILABLE`. */
  refresh(): Promise<void>;
  /** Accepts tools as they are now. @param names those of `changes`. Default: all. */
  accept(names?: readonly string[]): Promise<void>;
  /** Ends the connection, and the process of a server that was started. */
  close(): Promise<void>;
}

/**
 * Makes the tools of an MCP server ours. They are a stranger's: unless they are declared otherwise, a call is made `once`, touches all three
 * capabilities, and a changed description or schema disables its tool until it is accepted. A server that dies is connected to again at the
 * next call; a `once` call that it took with it is in doubt.
 *
 * @throws {WorkflowError} `MCP_UNAVAILABLE`, `ADAPTER_MISSING` without `@modelcontextprotocol/sdk`, `OPTION_INVALID`.
 * @example
 * const files = await mcpTools({ name: 'files', url: 'http://127.0.0.1:3001/mcp', declare: { read_file: { effect: 'pure' } } });
 * const agent = toolAgent({ model, tools: files.tools });
 * await files.close();
 */
export async function mcpTools(options: McpToolsOptions): Promise<McpTools> {
  const { name = 'mcp', pins = memoryPins(), connectTimeoutMs = 30_000, timeoutMs = 60_000, totalMs = 600_000 } = options;
  if (!isServerName(name))
    throw invalid(`The name of an MCP server is ${JSON.stringify(name)}.`, 'Use 1 to 32 letters, digits, "_" and "-".');
  const sdk = (): Promise<McpClientSdk> => loadClientSdk(options.sdk);
  const tools = new RemoteTools({
    ...options,
    name,
    pins,
    sdk,
    server: serverOf(options, sdk),
    connectTimeoutMs: checkInteger('connectTimeoutMs', connectTimeoutMs, { min: 1 }),
    timeoutMs: checkInteger('timeoutMs', timeoutMs, { min: 1 }),
    totalMs: checkInteger('totalMs', totalMs, { min: 1 }),
    maxMessageBytes: checkInteger('maxMessageBytes', options.maxMessageBytes ?? 8 * 1024 * 1024, { min: 1 }),
  });
  try {
    await tools.connect();
    return tools;
  } catch (error) {
    await tools.close();
    throw error;
  }
}

function serverOf(
  { url, server, headers = {}, fetch = globalThis.fetch }: McpToolsOptions,
  sdk: () => Promise<McpClientSdk>,
): McpServerAddress {
  if ((url === undefined) === (server === undefined)) {
    throw invalid(
      'mcpTools takes exactly one of `url` and `server`.',
      "Write mcpTools({ url: 'http://…/mcp' }) or mcpTools({ server: stdioServer({ command }) }).",
    );
  }
  return server ?? httpServer(url ?? '', headers, fetch, sdk);
}

const invalid = (message: string, hint: string): WorkflowError => new WorkflowError({ code: 'OPTION_INVALID', message, hint });
