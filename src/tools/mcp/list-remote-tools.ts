import { isObject } from '../../core/util/is-object.ts';
import { type LiveConnection, unavailable } from './mcp-connection.ts';
import type { McpRequestOptions } from './mcp-sdk.ts';
import type { McpServerAddress } from './mcp-transports.ts';

const maxPages = 100;
const maxTools = 1_000;

/**
 * Reads all pages of a server's tool list, without validation.
 *
 * @throws {WorkflowError} `MCP_UNAVAILABLE` for a list that does not end.
 */
export async function listRemoteTools(
  live: LiveConnection,
  options: McpRequestOptions,
  server: McpServerAddress,
): Promise<readonly unknown[]> {
  const items: unknown[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page++) {
    const { tools, nextCursor } = await live.request('tools/list', cursor === undefined ? {} : { cursor }, options);
    if (!Array.isArray(tools)) throw unavailable(server, 'its list of tools is not an array', { retryable: false });
    for (const tool of tools) items.push(isObject(tool) ? tool : {});
    if (items.length > maxTools) throw unavailable(server, `it lists more than ${maxTools} tools`, { retryable: false });
    if (typeof nextCursor !== 'string') return items;
    if (seen.has(nextCursor)) throw unavailable(server, 'its list of tools repeats a page', { retryable: false });
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  throw unavailable(server, `its list of tools has more than ${maxPages} pages`, { retryable: false });
}
