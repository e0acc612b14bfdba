import type { WorkflowError } from '../../core/errors/errors.ts';
import type { Tool } from '../../core/ports/tool.ts';
import { checkInteger } from '../../core/util/check-integer.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import type { PackageOrLoader } from '../../core/util/optional-package.ts';
import type { RefusedName } from './listed-tool.ts';
import { loadClientSdk, type McpClientSdk } from './mcp-sdk.ts';
import { httpServer, type McpServerAddress } from './mcp-transports.ts';
import { isServerName } from './remote-name.ts';
import { RemoteTools } from './remote-tools.ts';
import { type McpPins, type McpToolChange, memoryPins } from './tool-pins.ts';

/** Your declaration of a tool. The server's own claims are not used. */
export type McpDeclaration = Pick<
  Tool,
  'effect' | 'capabilities' | 'risk' | 'needsApproval' | 'maxOutputBytes' | 'maxFileBytes' | 'primaryInput'
>;

/** Progress of a call, as the server reports it. */
export interface McpProgress {
  readonly tool: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Address and options of the server. Set exactly one of `url` and `server`. */
export interface McpToolsOptions extends McpDeclaration {
  /** URL of the streamable HTTP endpoint. */
  readonly url?: string | URL;
  /** Headers for each request to `url`, for example a token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** @default globalThis.fetch */
  readonly fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** A server with another transport: `stdioServer({ command })` of `agent-machines/mcp/node`. */
  readonly server?: McpServerAddress;
  /** Prefix of the tools' names, followed by a dot: `[a-zA-Z0-9_-]{1,32}`. @default 'mcp' */
  readonly name?: string;
  /**
   * Declarations of single tools, by the server's names for them. Others use the declaration for all; its defaults are `effect` once and
   * all three capabilities.
   */
  readonly declare?: Readonly<Record<string, McpDeclaration>>;
  /** Tools to use, by the server's names for them. Default: all. */
  readonly only?: readonly string[];
  /** Store of the accepted descriptions and schemas of tools. @default memoryPins() */
  readonly pins?: McpPins;
  /** Maximum time without an answer or progress during a call, in milliseconds. @default 60_000 */
  readonly timeoutMs?: number;
  /** Time limit of a call, in milliseconds. @default 600_000 */
  readonly totalMs?: number;
  /** Time limit of connecting, and of each page of the tool list, in milliseconds. @default 30_000 */
  readonly connectTimeoutMs?: number;
  /** Maximum size of one message of the server. @default 8 MiB */
  readonly maxMessageBytes?: number;
  readonly onProgress?: (progress: McpProgress) => void;
  /** Called when tools were disabled because they differ from the accepted version. */
  readonly onChange?: (changes: readonly McpToolChange[]) => void;
  /** `@modelcontextprotocol/sdk`, for bundlers or another copy. Default: imported. */
  readonly sdk?: PackageOrLoader<McpClientSdk>;
}

/** The tools of an MCP server. */
export interface McpTools {
  /**
   * All tools; an unavailable one has the reason in `unavailable`. Each tool checks at every call that it still matches the accepted
   * version.
   */
  readonly tools: readonly Tool[];
  /** Tools whose names are rejected. */
  readonly refused: readonly RefusedName[];
  /** Tools that differ from the accepted version. */
  readonly changes: readonly McpToolChange[];
  /** The server's claims about its tools, by their names here. They have no effect. */
  readonly hints: Readonly<Record<string, { readonly readOnly?: boolean; readonly idempotent?: boolean; readonly destructive?: boolean }>>;
  /** Name and version that the server reports. */
  readonly serverInfo: { readonly name: string; readonly version: string };
  /** Reads the list of tools again. @throws {WorkflowError} `MCP_UNAVAILABLE`. */
  refresh(): Promise<void>;
  /** Accepts tools in their current form. @param names Names from `changes`. Default: all. */
  accept(names?: readonly string[]): Promise<void>;
  /** Closes the connection, and ends the process of a started server. */
  close(): Promise<void>;
}

/**
 * Imports the tools of an MCP server. They are untrusted. Unless declared otherwise, a call runs `once` and has all three capabilities, and
 * a changed description or schema disables its tool until it is accepted. After a server dies, the next call reconnects; a `once` call that
 * was in progress is in doubt.
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
      'mcpTools needs exactly one of `url` and `server`.',
      "Write mcpTools({ url: 'http://…/mcp' }) or mcpTools({ server: stdioServer({ command }) }).",
    );
  }
  return server ?? httpServer(url ?? '', headers, fetch, sdk);
}

const invalid = (message: string, hint: string): WorkflowError => optionInvalid(message, hint);
