import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';

export interface WebSocketOptions {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** Bytes received with the request. */
  readonly head: Buffer;
  /** Maximum size of a message. */
  readonly maxBytes: number;
  readonly onMessage: (text: string) => void;
}

/** Connection that the client or `close` ends. */
export interface WebSocketConnection {
  close(): void;
}

/** Time for the client to answer a close, in milliseconds. */
const closeMs = 1_000;

/** Close codes of RFC 6455. */
const reasons = { goingAway: 1001, unacceptable: 1003 } as const;

/**
 * Server side of a WebSocket that receives text.
 *
 * @returns `undefined` if the request does not ask for a WebSocket; it has been rejected.
 */
export function acceptWebSocket({ request, socket, head, maxBytes, onMessage }: WebSocketOptions): WebSocketConnection | undefined {
  const server = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: maxBytes });
  let connection: WebSocketConnection | undefined;
  server.handleUpgrade(request, socket, head, (client) => {
    const cutOff = (): void => void setTimeout(() => client.terminate(), closeMs).unref();
    const close = (reason: number): void => {
      client.close(reason);
      cutOff();
    };
    client.on('message', (data, isBinary) => {
      if (isBinary) close(reasons.unacceptable);
      else onMessage(data.toString());
    });
    client.on('error', cutOff); // the connection was lost, or is being closed for a wrong frame
    connection = { close: () => close(reasons.goingAway) };
  });
  return connection;
}
