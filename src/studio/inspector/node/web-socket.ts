import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

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

/** Close codes of RFC 6455. */
const reasons = { goingAway: 1001, protocol: 1002, unacceptable: 1003, notText: 1007, tooBig: 1009 } as const;

const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const;

/**
 * Server side of a WebSocket (RFC 6455) that receives text and sends only control frames.
 *
 * @returns `undefined` if the request does not ask for a WebSocket; it has been rejected.
 */
export function acceptWebSocket({ request, socket, head, maxBytes, onMessage }: WebSocketOptions): WebSocketConnection | undefined {
  const { upgrade, 'sec-websocket-key': key, 'sec-websocket-version': version } = request.headers;
  if (upgrade?.toLowerCase() !== 'websocket' || version !== '13' || key === undefined || Buffer.from(key, 'base64').length !== 16) {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    return undefined;
  }
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  let open = true;
  const close = (reason: number): void => {
    if (!open) return;
    open = false;
    socket.once('finish', () => socket.destroy());
    socket.end(frame(opcodes.close, Buffer.from([reason >> 8, reason & 0xff])));
  };
  const read = messageReader({
    maxBytes,
    onMessage,
    onPing: (payload) => void socket.write(frame(opcodes.pong, payload)),
    onClose: close,
  });
  const take = (bytes: Buffer): void => {
    if (open) read(bytes);
  };
  socket.on('data', take);
  socket.on('error', () => socket.destroy()); // the connection was lost
  socket.on('end', () => socket.end());
  if (head.length > 0) take(head);
  return { close: () => close(reasons.goingAway) };
}

/** Builds a frame of the server: short, final and unmasked. */
const frame = (opcode: number, payload: Buffer): Buffer => Buffer.concat([Buffer.from([0x80 | opcode, payload.length]), payload]);

interface ReaderOptions extends Pick<WebSocketOptions, 'maxBytes' | 'onMessage'> {
  readonly onPing: (payload: Buffer) => void;
  readonly onClose: (reason: number) => void;
}

function messageReader(options: ReaderOptions): (bytes: Buffer) => void {
  const { maxBytes, onClose } = options;
  let buffered: Buffer = Buffer.alloc(0);
  const take = frameTaker(options);
  return (bytes) => {
    buffered = buffered.length === 0 ? bytes : Buffer.concat([buffered, bytes]);
    for (;;) {
      const header = readHeader(buffered);
      if (header === undefined) return;
      if (header === 'wrong') return onClose(reasons.protocol);
      if (header.length > maxBytes) return onClose(reasons.tooBig);
      const end = header.start + header.length;
      if (buffered.length < end) return;
      const payload = Buffer.from(buffered.subarray(header.start, end));
      for (let index = 0; index < payload.length; index++) payload[index] = (payload[index] ?? 0) ^ (header.mask[index & 3] ?? 0);
      buffered = buffered.subarray(end);
      if (!take(header, payload)) return;
    }
  };
}

/** @returns a receiver for frames. It returns false after the last one. */
function frameTaker({ maxBytes, onMessage, onPing, onClose }: ReaderOptions): (header: Header, payload: Buffer) => boolean {
  let parts: Buffer[] = [];
  let size = 0;
  let begun = false;
  const end = (reason: number): false => {
    onClose(reason);
    return false;
  };
  return ({ opcode, fin }, payload) => {
    if (opcode === opcodes.close) return end(payload.length >= 2 ? payload.readUInt16BE(0) : 1000);
    if (opcode === opcodes.ping) onPing(payload);
    if (opcode === opcodes.ping || opcode === opcodes.pong) return true;
    if (opcode !== opcodes.text && opcode !== opcodes.continuation) return end(reasons.unacceptable);
    if ((opcode === opcodes.text) === begun) return end(reasons.protocol);
    begun = true;
    size += payload.length;
    if (size > maxBytes) return end(reasons.tooBig);
    parts.push(payload);
    if (!fin) return true;
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
    } catch {
      return end(reasons.notText);
    }
    parts = [];
    size = 0;
    begun = false;
    onMessage(text);
    return true;
  };
}

interface Header {
  readonly opcode: number;
  readonly fin: boolean;
  readonly length: number;
  readonly mask: Buffer;
  /** Offset of the payload. */
  readonly start: number;
}

/** Returns `undefined` if the header is incomplete. */
function readHeader(bytes: Buffer): Header | 'wrong' | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const [fin, opcode, short] = [first >= 0x80, first & 0x0f, second & 0x7f];
  const control = opcode >= 8;
  if ((first & 0x70) !== 0 || second < 0x80 || (control && (!fin || short > 125))) return 'wrong'; // clients must mask their frames
  const at = short === 127 ? 10 : short === 126 ? 4 : 2;
  if (bytes.length < at + 4) return undefined;
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
  return { opcode, fin, length, mask: bytes.subarray(at, at + 4), start: at + 4 };
}
