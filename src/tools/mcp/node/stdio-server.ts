import type { PassThrough } from 'node:stream';
import { optionalPackage, type PackageOrLoader } from '../../../core/util/optional-package.ts';
import { type McpTransport, sdkPackage } from '../mcp-sdk.ts';
import type { McpServerAddress } from '../mcp-transports.ts';
import { visibleText } from '../visible-text.ts';

/** From `@modelcontextprotocol/sdk/client/stdio.js`. */
export interface McpStdioSdk {
  readonly StdioClientTransport: new (options: {
    command: string;
    args?: string[];
    env?: Record<string, string>;
    cwd?: string;
    stderr?: 'pipe';
    maxBufferSize?: number;
  }) => McpTransport & { readonly stderr: object | null };
}

export interface StdioServerOptions {
  readonly command: string;
  /** @default [] */
  readonly args?: readonly string[];
  /**
   * Environment variables of the process, in addition to HOME, LOGNAME, PATH, SHELL, TERM and USER. No other variables are passed. @default
   * {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /** @default the current folder */
  readonly cwd?: string;
  /** Default: imported. */
  readonly sdk?: PackageOrLoader<McpStdioSdk>;
}

/** Number of characters kept of the server's standard error. */
const keptChars = 2_000;
const shownChars = 300;

/**
 * Describes an MCP server that runs as a process. It is started on connecting, and again after it has died. Closing the connection asks it
 * to exit, then kills it if it does not. Its standard error is used in error messages only.
 *
 * @example await mcpTools({ name: 'files', server: stdioServer({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem',
 * '.'] }) });
 */
export function stdioServer({ command, args = [], env = {}, cwd, sdk }: StdioServerOptions): McpServerAddress {
  let stderrTail = '';
  return {
    address: [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' '),
    lastWords: () => visibleText(stderrTail).replace(/\s+/g, ' ').trim().slice(-shownChars),
    async open({ maxMessageBytes }) {
      const { StdioClientTransport } = await optionalPackage(sdkPackage, importStdio, sdk);
      const transport = new StdioClientTransport({
        command,
        args: [...args],
        env: { ...env },
        ...(cwd === undefined ? {} : { cwd }),
        stderr: 'pipe',
        maxBufferSize: maxMessageBytes,
      });
      stderrTail = '';
      const stderr = transport.stderr as PassThrough | null; // documented by the SDK for `pipe`
      stderr?.on('data', (bytes: Buffer) => {
        stderrTail = (stderrTail + bytes.toString('utf8')).slice(-keptChars);
      });
      return transport;
    },
  };
}

const importStdio = (): Promise<McpStdioSdk> => import('@modelcontextprotocol/sdk/client/stdio.js');
