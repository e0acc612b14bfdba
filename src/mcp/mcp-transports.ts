import { WorkflowError } from '../errors.ts';
import { boundedFetch, type Fetch } from './bounded-fetch.ts';
import type { McpClientSdk, McpTransport } from './mcp-sdk.ts';

/** A server that is reached in another way than by a URL: what `stdioServer` of `agent-machines/mcp/node` makes. */
export interface McpServerAddress {
  /** What its pins are kept under, and what errors call it. */
  readonly address: string;
  /** Makes a transport that is not started, for each connection a new one. @throws {WorkflowError} `ADAPTER_MISSING`. */
  open(options: { readonly maxMessageBytes: number }): Promise<McpTransport>;
  /** What a server that is gone has said last, for the message of an error. */
  lastWords?(): string;
}

/** Codes of our own in the place of an answer that cannot come. A server that says one of them says the worst of itself. */
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
      // an answer of ours goes the way of the server's, once what has arrived before it has been read
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
  new WorkflowError({
    code: 'OPTION_INVALID',
    message: `The url of the MCP server ${what}.`,
    hint: "Write: mcpTools({ url: 'https://…/mcp' }).",
  });
