import { checkInteger } from '../../core/util/check-integer.ts';
import type { PackageOrLoader } from '../../core/util/optional-package.ts';
import type { McpSpace } from './mcp-space.ts';
import { loadServerSdk, type McpHttpTransport, type McpServerSdk } from './server-sdk.ts';
import { type WorkflowServerOptions, workflowServer } from './workflow-server.ts';
import { checkWorkflows } from './workflow-tools.ts';

export interface McpRoutesOptions extends WorkflowServerOptions {
  /** Maximum number of concurrent clients. One more replaces the client that was idle longest. @default 100 */
  readonly maxSessions?: number;
  /** Mount path; other paths return 404. @default '/mcp' */
  readonly path?: string;
  /**
   * Accepted host names, with their ports. Others are rejected, which prevents DNS rebinding. Default: the mounting server checks the host.
   */
  readonly hosts?: readonly string[];
  /** `@modelcontextprotocol/sdk`, for bundlers or another copy. Default: imported. */
  readonly sdk?: PackageOrLoader<McpServerSdk>;
}

/** An app that answers requests, like a Hono app. */
export interface McpRoutes {
  fetch(request: Request): Promise<Response>;
  /** Ends all sessions; the runs continue. */
  close(): Promise<void>;
}

interface Session {
  readonly transport: McpHttpTransport;
  readonly close: () => Promise<void>;
}

/**
 * Serves the workflows as MCP tools over streamable HTTP. There is no authentication here: the mounting server checks tokens, Host and
 * Origin.
 *
 * @throws {WorkflowError} `OPTION_INVALID` for workflows that cannot be tools.
 * @example
 * const routes = mcpRoutes({ runtime, workflows: [{ id: 'research', workflow, description: 'Finds out about a subject.' }] });
 * app.all('/mcp', (context) => routes.fetch(context.req.raw));
 */
export function mcpRoutes(given: McpSpace & { readonly tenant?: string }, options: McpRoutesOptions = {}): McpRoutes {
  const space = given.as?.({ via: 'mcp', ...(given.tenant === undefined ? {} : { tenant: given.tenant }) }) ?? given;
  checkWorkflows(space);
  const { path = '/mcp' } = options;
  const maxSessions = checkInteger('maxSessions', options.maxSessions ?? 100, { min: 1 });
  /** Sessions, least recently used first. */
  const sessions = new Map<string, Session>();
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  };

  const begin = async (request: Request): Promise<Response> => {
    const sdk = await loadServerSdk(options.sdk);
    const server = workflowServer(space, sdk, options);
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, close: () => server.close() });
        const [oldest] = sessions.keys();
        if (sessions.size > maxSessions && oldest !== undefined) void end(oldest).catch(() => {});
      },
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    return response;
  };

  return {
    async fetch(request) {
      if (new URL(request.url).pathname !== path) return new Response('Not found', { status: 404 });
      const refusal = refuseHost(request, options.hosts);
      if (refusal) return refusal;
      const id = request.headers.get('mcp-session-id');
      if (id === null) return begin(request);
      const session = sessions.get(id);
      if (!session) return errorResponse(404, -32_001, 'Session not found');
      sessions.delete(id);
      sessions.set(id, session);
      return session.transport.handleRequest(request);
    },
    async close() {
      for (const id of [...sessions.keys()]) await end(id);
    },
  };
}

function refuseHost(request: Request, hosts: readonly string[] | undefined): Response | undefined {
  if (!hosts) return undefined;
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const origin = request.headers.get('origin');
  if (!hosts.includes(host)) return errorResponse(403, -32_000, 'This host is not served');
  const isOwn = origin === null || (URL.canParse(origin) && hosts.includes(new URL(origin).host));
  return isOwn ? undefined : errorResponse(403, -32_000, 'This origin is not served');
}

const errorResponse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
