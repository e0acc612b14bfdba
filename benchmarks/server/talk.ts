import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a scripted model says. */
export interface Talk {
  /** How many tokens. */
  readonly tokens: number;
  /** Time between two of them, in milliseconds. */
  readonly gapMs: number;
}

const nameOf = ({ tokens, gapMs }: Talk): string => `talk-${tokens}-${gapMs}`;

/** Text of a user that asks for a talk. */
export const askFor = (talk: Talk): string => nameOf(talk);

/**
 * Serves chat completions: says tokens at a fixed pace, each of them when it was said, by the clock that all processes of a machine have in
 * common. The last message names the talk.
 */
export async function startTalkingModel(): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const [, tokens = '1', gapMs = '1'] = /talk-(\d+)-(\d+)/.exec(body) ?? [];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.socket?.setNoDelay(true);
    let said = 0;
    const send = (delta: object, finish: string | null = null): void => {
      const chunk = {
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'talk',
        choices: [{ index: 0, delta, finish_reason: finish }],
      };
      response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    };
    const timer = setInterval(() => {
      send({ role: 'assistant', content: `@${process.hrtime.bigint()}@` });
      if (++said < Number(tokens)) return;
      clearInterval(timer);
      send({}, 'stop');
      response.end('data: [DONE]\n\n');
    }, Number(gapMs));
    response.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}
