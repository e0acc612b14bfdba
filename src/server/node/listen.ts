import { once } from 'node:events';
import { createServer, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { WorkflowError } from '../../core/errors/errors.ts';
import type { AgentServer } from '../create-server.ts';
import { frameStreamOf } from '../http/frame-stream.ts';
import { writeFrames } from './write-frames.ts';

export interface ListenOptions {
  /** Creates the server for its host names, with the actual port. */
  readonly server: (hosts: readonly string[]) => AgentServer;
  /** @default 0, a free port */
  readonly port?: number | undefined;
  /** Address to listen on. Any address other than loopback accepts other machines. @default 127.0.0.1, and ::1 if available */
  readonly host?: string | undefined;
  /** Additional host names, each with its port. @default [] */
  readonly names?: readonly string[] | undefined;
  /**
   * Address of the client that sent the request, for the limit on wrong tokens. Behind a proxy, read the header that the proxy sets; the
   * proxy must not forward the client's own header. @default the peer's address
   */
  readonly addressOf?: ((request: Request, peer: string) => string) | undefined;
  /** Maximum time that `close` waits for requests in progress, in milliseconds. @default 10_000 */
  readonly drainMs?: number | undefined;
}

/** A listening server. */
export interface Listener {
  /** For example `http://127.0.0.1:4680`. */
  readonly url: string;
  readonly port: number;
  readonly server: AgentServer;
  /** Stops accepting requests, ends the streams and waits for requests in progress. */
  close(): Promise<void>;
}

const headersMs = 10_000;
const requestMs = 30_000;
const idleMs = 5_000;
const maxHeaderBytes = 16_384;
const maxConnections = 1_000;

/**
 * Starts a Node HTTP server.
 *
 * @throws the error of listening, such as `EADDRINUSE`.
 * @example const { url, close } = await listen({ port: 4680, server: (hosts) => createServer({ hosts, tokens, store, workflows }) });
 */
export async function listen({
  server: make,
  port = 0,
  host,
  names = [],
  addressOf = (_request, peer) => peer,
  drainMs = 10_000,
}: ListenOptions): Promise<Listener> {
  const holder: { server?: AgentServer } = {};
  const answer = getRequestListener(
    async (request, { incoming, outgoing }) => {
      const address = addressOf(request, incoming.socket.remoteAddress ?? '');
      const response = (await holder.server?.fetch(request, { address })) ?? new Response(null, { status: 503 });
      const frames = frameStreamOf(response);
      if (!frames || !(outgoing instanceof ServerResponse)) return response;
      writeFrames(frames, response, outgoing);
      throw written;
    },
    { overrideGlobalObjects: false, errorHandler: (cause) => (cause === written ? undefined : new Response(null, { status: 500 })) },
  );
  const sockets: Server[] = [];
  const open = async (at: string, on: number): Promise<number> => {
    const http = createServer(
      {
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        keepAliveTimeout: idleMs,
        connectionsCheckingInterval: 1_000,
      },
      (request, response) => void answer(request, response),
    );
    http.maxConnections = maxConnections;
    http.listen(on, at);
    await once(http, 'listening'); // rejects with the error that `listen` emits
    sockets.push(http);
    return (http.address() as AddressInfo).port;
  };
  const bound = await open(host ?? '127.0.0.1', port);
  if (host === undefined) await open('::1', bound).catch(ignoreNoIpv6);
  const shown = host === undefined || isLoopback(host) ? '127.0.0.1' : host;
  const hosts = [...['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${bound}`), ...names];
  holder.server = make(hosts);
  const { server } = holder;
  return {
    url: `http://${shown.includes(':') ? `[${shown}]` : shown}:${bound}`,
    port: bound,
    server,
    close: async () => {
      const closed = sockets.map((one) => once(one, 'close'));
      for (const one of sockets) one.close();
      await server.close();
      for (const one of sockets) one.closeIdleConnections();
      const late = setTimeout(() => {
        for (const one of sockets) one.closeAllConnections();
      }, drainMs);
      await Promise.all(closed);
      clearTimeout(late);
    },
  };
}

/**
 * Thrown in place of a response that is written already. The adapter then sends nothing. Its own sign for that is a response, which it
 * mistakes for another one after a program has called its `serve`.
 */
const written = new Error('The response is written.');

/** True when only this machine can reach the address. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);

/** Some machines have no IPv6, or another program uses the same port there. */
function ignoreNoIpv6(cause: unknown): void {
  const { code } = cause as { readonly code?: unknown };
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EADDRINUSE') return;
  throw new WorkflowError({ code: 'UNKNOWN', message: 'The server cannot listen on ::1.', cause });
}
