import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { completionChunk, eventStream } from '../../fixtures/openai-server.ts';

/** A model server whose every reply is "Otters hold hands.": the first word at once, and the rest when it may end. */
export interface WriterServer extends AsyncDisposable {
  /** For `OPENAI_BASE_URL`. */
  readonly url: string;
  /** Number of requests so far. */
  readonly requests: () => number;
  /** Lets the replies that have begun end. */
  finish(): void;
}

export async function startWriterServer(): Promise<WriterServer> {
  let count = 0;
  let begun: (() => void)[] = [];
  const server = createServer((request, response) => {
    count++;
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(completionChunk({ role: 'assistant', content: 'Otters' }))}\n\n`);
    begun.push(() => response.end(eventStream([completionChunk({ content: ' hold hands.' }), completionChunk({}, 'stop')])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: () => count,
    finish() {
      for (const end of begun) end();
      begun = [];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
