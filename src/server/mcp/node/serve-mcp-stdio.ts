import type { Readable, Writable } from 'node:stream';
import { optionalPackage, type PackageOrLoader } from '../../../core/util/optional-package.ts';
import { sdkPackage } from '../../../tools/mcp/mcp-sdk.ts';
import type { McpSpace } from '../mcp-space.ts';
import { loadServerSdk, type McpServerSdk } from '../server-sdk.ts';
import { type WorkflowServerOptions, workflowServer } from '../workflow-server.ts';
import { checkWorkflows } from '../workflow-tools.ts';

/** From `@modelcontextprotocol/sdk/server/stdio.js`. */
export interface McpStdioServerSdk {
  readonly StdioServerTransport: new (input?: Readable, output?: Writable) => object;
}

export interface ServeMcpStdioOptions extends WorkflowServerOptions {
  /** @default process.stdin */
  readonly input?: Readable;
  /** Only the protocol may write to it. @default process.stdout */
  readonly output?: Writable;
  /** Stops the server. Default: the end of `input` stops it. */
  readonly signal?: AbortSignal;
  /** Default: imported. */
  readonly sdk?: PackageOrLoader<McpServerSdk>;
  /** Default: imported. */
  readonly stdioSdk?: PackageOrLoader<McpStdioServerSdk>;
}

/**
 * Serves the workflows as MCP tools to the single client on standard input and output. Settles when the client has left.
 *
 * @throws {WorkflowError} `ADAPTER_MISSING`, `OPTION_INVALID` for workflows that cannot be tools.
 */
export async function serveMcpStdio(space: McpSpace, options: ServeMcpStdioOptions = {}): Promise<void> {
  const { input = process.stdin, output = process.stdout, signal } = options;
  checkWorkflows(space);
  const sdk = await loadServerSdk(options.sdk);
  const { StdioServerTransport } = await optionalPackage(sdkPackage, importStdio, options.stdioSdk);
  const server = workflowServer(space, sdk, options);
  const left = new Promise<void>((resolve) => {
    const leave = (): void => resolve();
    input.once('end', leave).once('close', leave).once('error', leave);
    output.once('close', leave).once('error', leave); // the client no longer reads
    signal?.addEventListener('abort', leave, { once: true });
    if (signal?.aborted) leave();
  });
  await server.connect(new StdioServerTransport(input, output));
  await left;
  await server.close();
}

const importStdio = (): Promise<McpStdioServerSdk> => import('@modelcontextprotocol/sdk/server/stdio.js');
