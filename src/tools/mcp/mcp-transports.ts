import type { WorkflowError } from '../../core/errors/errors.ts';
import { optionInvalid } from '../../core/util/check-options.ts';
import { boundedFetch, type Fetch } from './bounded-fetch.ts';
import type { McpClientSdk, McpTransport } from './mcp-sdk.ts';

/** A server with a transport other than HTTP, such as `stdioServer` of `agent-machines/mcp/node`. */
export interface McpServerAddress {
  /** Key of the server's pins, and its name in errors. */
  readonly address: string;
  /** Creates a new, unstarted transport for each connection. @throws {WorkflowError} `ADAPTER_MISSING`. */
  open(options: { readonly maxMessageBytes: number }): Promise<McpTransport>;
  /** Last output of a server that has ended, for error messages. */
  lastWords?(): string;
}

/** Own error codes for answers that cannot arrive. A server that sends one of them only fails its own calls. */
export const lostCode = -1_795_383_001;
export const tooLargeCode = -1_795_383_002;

/** A server at a URL, over streamable HTTP. */
export function httpServer(
  url: string | URL,
  headers: Readonly<Record<string, string>>,
  fetch: Fetch,
  sdk: () => Promise<McpClientSdk>,
): McpServerAddress {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (!target || !/^https?:$/.test(target.protocol)) throw invalidUrl('is not an http address');
  if (target.username || target.password) throw invalidUrl('holds a password; send it as a header');
  return {
    address: target.href,
    async open({ maxMessageBytes }) {
      const { StreamableHTTPClientTransport } = await sdk();
      // delivers our error like an answer of the server, after the messages that have already arrived
      const answer = (id: string | number, code: number, message: string): void =>
        void setTimeout(() => setTimeout(() => transport.onmessage?.({ jsonrpc: '2.0', id, error: { code, message } })));
      const bounded = boundedFetch({
        fetch,
        maxBytes: maxMessageBytes,
        onEnded: (id) => answer(id, lostCode, 'The connection ended before the answer'),
        onTooLarge: (id) => answer(id, tooLargeCode, `The answer has more than ${maxMessageBytes} bytes`),
      });
      const transport: McpTransport = new StreamableHTTPClientTransport(target, {
        fetch: bounded,
        requestInit: { headers: { ...headers } },
      });
      return transport;
    },
  };
}

const invalidUrl = (what: string): WorkflowError =>
  optionInvalid(`The url of the MCP server ${what}.`, "Pass an http address, such as mcpTools({ url: 'https://…/mcp' }).");
