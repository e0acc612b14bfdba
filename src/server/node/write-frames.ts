import type { ServerResponse } from 'node:http';
import type { FrameStream } from '../http/frame-stream.ts';

/** Writes frames to a connection of Node's, without the web stream between them: a token then costs one write. */
export function writeFrames(frames: FrameStream, { status, headers }: Response, outgoing: ServerResponse): void {
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.on('drain', () => frames.drained());
  outgoing.once('close', () => frames.gone());
  if (outgoing.destroyed) {
    frames.gone(); // the reader left while its run started
    return;
  }
  frames.open({
    write: (text) => outgoing.write(text),
    end: () => void outgoing.end(),
    fail: () => void outgoing.destroy(),
  });
}
